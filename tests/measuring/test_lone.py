"""Predicates that match one row, in tables of another size."""

import numpy as np
import pytest
from scipy import integrate

from understudy.errors import ParameterError
from understudy.measuring.lone import alone_in, growth, lone_share


def test_the_integral_is_the_known_one():
    assert float(lone_share(9, 1.0)) == pytest.approx(0.1)
    by_sums = integrate.quad(lambda u: 50 * u * (1 - u) ** 49, 0, 0.02)[0]
    assert float(lone_share(50, 0.02)) == pytest.approx(by_sums)


def test_parts_of_a_table_are_counted_as_drawing_them_would():
    rng = np.random.default_rng(0)
    matches = np.array([0, 1, 2, 5, 30])
    rows = np.arange(40)
    drawn = [[(rng.permutation(rows)[:10] < c).sum() == 1 for c in matches] for _ in range(4_000)]
    assert alone_in(matches, 40, 10) == pytest.approx(np.sum(drawn) / 4_000, abs=0.05)


def test_the_whole_table_counts_its_own_lone_rows():
    matches = np.array([1, 1, 0, 7, 2, 1])
    assert alone_in(matches, 7, 7) == pytest.approx(3)
    with pytest.raises(ParameterError):
        alone_in(matches, 7, 8)


@pytest.mark.parametrize("width", [0.0005, 0.005, 0.05])
def test_growth_says_what_a_larger_table_shows(width):
    # Successes are scaled, not queries: anonymeter 1.1.0 counts the latter and would always say 1.
    rng = np.random.default_rng(1)
    chances = rng.random(20_000) * width
    small, large = (rng.binomial(rows, chances) for rows in (500, 1_500))
    expected = (large == 1).sum() / (small == 1).sum()
    found = growth(small, 500, 1_500)
    assert found.factor == pytest.approx(expected, rel=0.1)
    assert 0 < found.deviation < 0.1


def test_nothing_grows_where_nothing_is_alone_or_sizes_are_equal():
    assert growth(np.array([0, 2, 3]), 10, 100) == (1, 0)
    assert growth(np.array([1, 2, 3]), 10, 10) == (1, 0)


def test_a_row_alone_grows_at_most_as_the_table_does():
    assert 0 < growth(np.array([1, 0]), 1, 2).factor <= 2 + 1e-9
    assert growth(np.array([1]), 50, 500).factor <= 10 + 1e-9
