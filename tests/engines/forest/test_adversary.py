"""Forests split where columns depend on each other, and every leaf has enough real rows."""

import numpy as np
import pytest

from understudy.engines.forest.adversary import Growth, grow


def dependent(rows=1_500):
    """Return two columns that move together and one that does not."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 50, rows)
    return np.stack([first, first + rng.integers(0, 3, rows), rng.integers(0, 50, rows)], axis=1).astype(
        np.int32
    )


def grown(cells, rounds=3, shuffled=True, leaf=5):
    rounds_told = []
    growth = Growth(trees=8, leaf=leaf, rounds=rounds, tolerance=0.0, shuffled=shuffled)
    return grow(cells, growth, np.random.default_rng(1), lambda: rounds_told.append(1)), len(rounds_told)


@pytest.mark.parametrize("shuffled", [True, False])
def test_columns_shuffled_inside_of_leaves_still_move_together(shuffled):
    cells = dependent()
    partition, rounds = grown(cells, shuffled=shuffled)
    leaf = partition.apply(cells)[0]
    rng = np.random.default_rng(3)
    order, mixed = np.argsort(leaf, kind="stable"), np.lexsort([rng.random(len(leaf)), leaf])
    assert np.corrcoef(cells[order, 0], cells[mixed, 1])[0, 1] > 0.8
    assert np.bincount(leaf)[np.unique(leaf)].min() >= 5
    assert 1 <= rounds <= 3


def test_columns_that_have_nothing_to_do_with_each_other_end_the_rounds_early():
    rng = np.random.default_rng(2)
    _, rounds = grown(rng.integers(0, 20, (1_000, 3)).astype(np.int32), rounds=10, shuffled=False)
    assert rounds <= 3


def test_no_columns_and_one_row_give_a_stump():
    for cells in (np.zeros((5, 0), dtype=np.int32), np.zeros((1, 2), dtype=np.int32)):
        partition, _ = grown(cells)
        assert (partition.feature[partition.roots] < 0).all()


def test_the_same_generator_grows_the_same_trees():
    one, two = (grown(dependent())[0] for _ in range(2))
    assert (one.cut == two.cut).all() and (one.feature == two.feature).all()
