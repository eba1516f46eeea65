import numpy as np
import pytest

from understudy.engines.binning import bin_cells, quantile_edges, width_edges

EDGES = [quantile_edges, width_edges]


@pytest.mark.parametrize("cut", EDGES)
def test_what_lies_outside_falls_into_the_outer_bins(cut):
    edges = cut(np.arange(100.0), 10)
    assert bin_cells(np.array([-1e9, 1e9]), edges).tolist() == [1, 10]


@pytest.mark.parametrize("cut", EDGES)
def test_a_shifted_column_is_not_in_the_same_bins(cut):
    values = np.arange(100.0)
    edges = cut(values, 10)
    assert np.mean(bin_cells(values, edges) == bin_cells(values + 100, edges)) <= 0.1


@pytest.mark.parametrize("cut", EDGES)
def test_a_constant_column_is_told_from_values_below_and_above_it(cut):
    edges = cut(np.full(7, 5.0), 10)
    assert bin_cells(np.array([4.9, 5.0, 5.1]), edges).tolist() == [1, 2, 3]


@pytest.mark.parametrize("cut", EDGES)
def test_a_column_without_a_value_has_one_bin_and_a_cell_for_missing(cut):
    edges = cut(np.full(3, np.nan), 10)
    assert bin_cells(np.array([np.nan, 1.0]), edges).tolist() == [0, 1]


def test_bins_of_quantiles_hold_equal_counts():
    values = np.random.default_rng(0).permutation(1_000.0 + np.arange(1_000))
    assert np.bincount(bin_cells(values, quantile_edges(values, 20)))[1:].tolist() == [50] * 20


def test_a_value_of_most_rows_has_a_bin_of_its_own():
    values = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    edges = quantile_edges(values, 10)
    cells = bin_cells(np.array([-0.5, 0.0, 0.5]), edges)
    assert len(set(cells.tolist())) == 3


def test_an_increasing_map_moves_no_value_to_another_bin():
    values = np.random.default_rng(1).exponential(size=500)
    for mapped in (7 * values + 3, np.log(values)):
        cells = bin_cells(mapped, quantile_edges(mapped, 10))
        assert np.array_equal(cells, bin_cells(values, quantile_edges(values, 10)))


def test_equal_widths_of_a_range_too_wide_for_a_float_stay_finite():
    assert np.isfinite(width_edges(np.array([-1.7e308, 1.7e308]), 4)).all()
