"""Cells: levels and bins of two samples on one axis."""

import numpy as np
import pytest

from understudy.engines.transport.cells import Quantity, joined, level_cells


def test_a_quantity_of_few_values_keeps_them_all():
    cells = Quantity(np.array([0.0, 1.0, 1.0]), np.array([0.25])).cells(3)
    assert cells.first.tolist() == [0, 2, 2] and cells.second.tolist() == [1]
    assert cells.axis.steps.tolist() == [0.25, 0.75]


def test_twice_as_many_values_as_bins_are_kept_and_more_are_binned():
    values = np.arange(64.0)
    assert Quantity(values, values).cells(32).axis.places == 64
    assert Quantity(np.append(values, 64.0), values).cells(32).axis.places < 35


def test_bins_lie_at_the_mean_of_their_values_so_that_the_mean_is_kept():
    rng = np.random.default_rng(0)
    values = rng.gamma(0.5, size=4_000)
    cells = Quantity(values[:3_000], values[3_000:]).cells(32)
    codes = np.concatenate([cells.first, cells.second])
    at = np.concatenate([[0.0], np.cumsum(cells.axis.steps)])[codes]
    assert at.mean() - at.min() == pytest.approx(values.mean() - values[codes == 0].mean())
    assert 20 <= cells.axis.places <= 34


def test_bins_keep_the_order_of_values():
    values = np.random.default_rng(1).normal(size=2_000)
    cells = Quantity(values[:1_000], values[1_000:]).cells(16)
    order = np.argsort(values)
    assert (np.diff(np.concatenate([cells.first, cells.second])[order]) >= 0).all()


def test_missing_cells_have_a_place_of_their_own_behind_the_values():
    cells = Quantity(np.array([0.0, np.nan]), np.array([1.0, np.nan])).cells(8)
    assert cells.first.tolist() == [0, 2] and cells.second.tolist() == [1, 2]
    assert cells.axis.distances[2].tolist() == [1.0, 1.0, 0.0]


def test_a_quantity_without_any_value_is_all_missing():
    cells = Quantity(np.array([np.nan]), np.array([np.nan, np.nan])).cells(8)
    assert cells.first.tolist() == [1] and cells.second.tolist() == [1, 1]


def test_only_levels_that_occur_have_a_place_and_missing_is_one_of_them():
    cells = level_cells(np.array([7, -1]), np.array([2, 7]))
    assert cells.first.tolist() == [2, 0] and cells.second.tolist() == [1, 2]
    assert cells.axis.outer == 3


def test_units_do_not_move_a_value_to_another_bin():
    values = np.random.default_rng(2).integers(0, 1_000, 5_000) / 8
    one = Quantity(values[:2_500], values[2_500:]).cells(64)
    other = Quantity(values[:2_500] * 2.54 + 273.15, values[2_500:] * 2.54 + 273.15).cells(64)
    assert (one.first == other.first).all() and (one.second == other.second).all()


def test_two_columns_of_levels_are_one_column_of_pairs():
    one, other = level_cells(np.array([0, 1]), np.array([1])), level_cells(np.array([5, 5]), np.array([5]))
    pairs = joined(one, other)
    assert pairs.first.tolist() == [0, 1] and pairs.second.tolist() == [1]


def test_codes_too_many_to_count_are_sorted():
    cells = level_cells(np.array([10**12, 3]), np.array([3]))
    assert cells.first.tolist() == [1, 0] and cells.second.tolist() == [0]
