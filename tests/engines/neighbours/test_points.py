import numpy as np
import pytest

from understudy.engines.neighbours.points import GRAIN, Facing, Points, on_grid


def test_sums_that_differ_by_rounding_alone_are_equal_on_the_grid():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 100, size=(2_000, 30)) / 97
    shuffled = rng.permuted(cells, axis=1)
    assert (cells.sum(axis=1) != shuffled.sum(axis=1)).any()
    assert (on_grid(cells.sum(axis=1)) == on_grid(shuffled.sum(axis=1))).all()


def test_the_grid_keeps_the_order_and_moves_nothing_by_more_than_half_a_grain():
    values = np.sort(np.random.default_rng(0).random(1_000) * 50)
    assert (np.diff(on_grid(values)) >= 0).all()
    assert np.abs(on_grid(values) - values).max() <= GRAIN / 2


def test_whole_distances_are_on_the_grid():
    assert on_grid(np.arange(100.0)).tolist() == list(range(100))


@pytest.mark.parametrize("kind", [Facing, Points])
def test_what_the_search_asks_for_has_to_be_written(kind):
    with pytest.raises(TypeError, match="abstract"):
        kind()
