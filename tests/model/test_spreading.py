"""A few numbers of a range stand for all of it."""

import numpy as np
import pytest
from scipy.stats import kstest

from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.slot import NumberSlot
from understudy.engines.condition import Between, IsMissing
from understudy.model.spreading import MANY, spread

ROWS = 2_000


def slot(values, normal=True):
    return NumberSlot("x", Quantile.fit(values, 500, normal=normal), "never", 0.0)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("normal", [True, False])
@pytest.mark.parametrize("rows", [1, 7, MANY - 1])
def test_values_fill_the_range_as_the_column_does_and_none_leaves_it(normal, rows):
    column = rng(1).exponential(size=20_000)
    inside = column[(column >= 1) & (column <= 2)]
    few = rng(2).choice(inside, rows)
    found = spread(slot(column, normal), Between(1.0, 2.0), rng(3).choice(few, ROWS), rows, rng(4))
    assert found.min() >= 1 and found.max() <= 2 and len(np.unique(found)) > 0.9 * ROWS
    whole = np.exp(-1.0) - np.exp(-2.0)
    off = kstest(found, lambda x: (np.exp(-1.0) - np.exp(-x)) / whole).statistic
    assert off < (0.3 if rows == 1 else 1.5 / np.sqrt(rows))  # as near as so few rows are themselves


def test_a_kernel_leaves_an_even_law_even():
    column = rng(1).normal(size=20_000)
    inside = column[(column >= 0) & (column <= 1)]
    found = spread(slot(column), Between(0.0, 1.0), rng(2).choice(inside, ROWS), 20, rng(3))
    assert abs(np.median(found) - np.median(inside)) < 0.03
    assert abs((found < 0.1).mean() - (inside < 0.1).mean()) < 0.03


def test_a_value_that_many_rows_share_keeps_its_share_at_the_end_of_a_range():
    column = np.where(rng(1).random(20_000) < 0.5, 0.0, rng(2).exponential(size=20_000))
    inside = column[column <= 1]
    found = spread(slot(column), Between(0.0, 1.0), rng(3).choice(inside, ROWS), 20, rng(4))
    assert abs((found == 0).mean() - (inside == 0).mean()) < 0.05


@pytest.mark.parametrize(
    ("condition", "rows"), [(Between(1.0, 2.0), MANY), (Between(1.5, 1.5), 3), (IsMissing(), 3)]
)
def test_of_many_rows_of_one_value_and_of_gaps_nothing_is_moved(condition, rows):
    values = np.full(9, 1.5)
    assert spread(slot(rng().random(99) * 3), condition, values, rows, rng()) is values


def test_whole_numbers_stay_whole_and_in_the_range():
    column = rng(1).integers(0, 1_000, 5_000)
    found = spread(slot(column), Between(100, 110), np.full(ROWS, 104), 1, rng(2))
    assert found.dtype == column.dtype and set(found.tolist()) == set(range(100, 111))


def of_modes(column, modes=10):
    return NumberSlot("x", Modes.fit(column, modes, rng()), "never", 0.0)


@pytest.mark.parametrize("rows", [1, 7, MANY - 1])
def test_distances_from_modes_fill_the_range_as_the_mixture_does(rows):
    column = rng(1).exponential(size=20_000)
    inside = column[(column >= 1) & (column <= 2)]
    few = rng(2).choice(inside, rows)
    found = spread(of_modes(column), Between(1.0, 2.0), rng(3).choice(few, ROWS), rows, rng(4))
    assert found.min() >= 1 and found.max() <= 2 and len(np.unique(found)) > 0.9 * ROWS
    whole = np.exp(-1.0) - np.exp(-2.0)
    off = kstest(found, lambda x: (np.exp(-1.0) - np.exp(-x)) / whole).statistic
    assert off < (0.3 if rows == 1 else 1.5 / np.sqrt(rows))


def test_ties_of_a_column_of_modes_keep_their_share_and_nothing_lies_beside_them():
    column = np.where(rng(1).random(20_000) < 0.5, 0.0, 1 + rng(2).exponential(size=20_000))
    inside = column[column <= 3]
    found = spread(of_modes(column), Between(0.0, 3.0), rng(3).choice(inside, ROWS), 20, rng(4))
    assert abs((found == 0).mean() - (inside == 0).mean()) < 0.05
    assert not ((found > 0) & (found < 0.5)).any()


def test_whole_numbers_of_modes_stay_whole_and_in_the_range():
    column = rng(1).integers(0, 1_000, 5_000)
    found = spread(of_modes(column), Between(100, 110), np.full(ROWS, 104), 1, rng(2))
    assert found.dtype == column.dtype and set(found.tolist()) == set(range(100, 111))
    counts = np.unique(found, return_counts=True)[1]
    assert counts.min() > 0.4 * counts.max()  # the first and the last one too


def test_a_range_that_no_mode_reaches_is_filled_evenly():
    column = np.concatenate([rng(1).normal(0, 1e-3, 5_000), [1.0]])
    found = spread(of_modes(column, 2), Between(0.5, 0.6), np.full(ROWS, 0.55), 1, rng(2))
    assert found.min() >= 0.5 and found.max() <= 0.6 and len(np.unique(found)) > 0.9 * ROWS


def test_numbers_at_the_ends_of_what_floats_hold_are_spread_too():
    column = rng(1).normal(size=2_000) * 1e307
    with np.errstate(over="raise", invalid="raise"):
        found = spread(of_modes(column), Between(-1e308, 1e308), column[:9], 9, rng(2))
    assert np.isfinite(found).all()
