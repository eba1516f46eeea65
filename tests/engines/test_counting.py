import numpy as np
import pytest

from understudy.engines.counting import aligned_counts, count_cells, join_cells, total_variation


def test_every_pair_of_cells_has_a_place_of_its_own():
    first, second = np.divmod(np.arange(12), 4)
    assert join_cells(first, second, 4).tolist() == list(range(12))


def test_more_cells_than_can_be_kept_are_counted_by_those_that_occur():
    cells = np.array([3, 10**12, 3])
    assert count_cells(cells, 10**13).tolist() == [2, 1]
    one, other = aligned_counts(cells, np.array([10**12, 5]), 10**13)
    assert (one.tolist(), other.tolist()) == ([2, 0, 1], [0, 1, 1])


def test_few_and_many_cells_give_one_total_variation():
    rng = np.random.default_rng(0)
    one, other = rng.integers(50, size=300), rng.integers(40, size=200)
    few = total_variation(*aligned_counts(one, other, 50))
    many = total_variation(*aligned_counts(one, other, 10**9))
    assert few == pytest.approx(many, abs=1e-15)


def test_total_variation_of_a_a_b_b_and_a_b_b_b_is_a_quarter():
    assert total_variation(np.array([2, 2]), np.array([1, 3])) == 0.25


def test_swapped_labels_are_not_the_same_frequencies():
    assert total_variation(np.array([70, 30]), np.array([30, 70])) == pytest.approx(0.4)
