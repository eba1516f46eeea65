"""Features of whole sets: each stands at its place, in units that do not matter."""

import numpy as np
import pytest

from understudy.measuring.set_features import correlations, histograms, moments
from understudy.table.coded import CodedColumn, CodedTable

X = CodedColumn("x", quantity=True, low=1_000.0, high=4_000.0)
RANK = CodedColumn("rank", levels=4, known=4, ordered=True)
SEX = CodedColumn("sex", levels=2, known=2)


def table(**arrays):
    kinds = {"x": (X, float), "rank": (RANK, np.int32), "sex": (SEX, np.int32)}
    domain = tuple(kinds[name][0] for name in arrays)
    return CodedTable(domain, {name: np.array(values, kinds[name][1]) for name, values in arrays.items()})


def test_bins_keep_their_order_whatever_their_counts():
    held = table(x=[1_500, 1_600, 2_500, 3_500, 3_600, 3_700])
    assert 6 * histograms(held, 3) == pytest.approx([2, 1, 3, 0])


def test_values_outside_of_the_range_count_to_the_bins_at_its_ends():
    assert 4 * histograms(table(x=[-1e9, 0, 1e9, np.nan]), 3) == pytest.approx([2, 0, 1, 1])


def test_a_column_of_ordered_levels_moves_no_column_behind_it():
    both = histograms(table(rank=[0, 3, 3], sex=[1, 1, 0]), 10)
    assert 3 * both == pytest.approx([1, 0, 0, 2, 0, 1, 2, 0])
    assert both[5:] == pytest.approx(histograms(table(sex=[1, 1, 0]), 10))


def test_missing_levels_have_a_share_of_their_own():
    assert 2 * histograms(table(sex=[-1, 1]), 10) == pytest.approx([0, 1, 1])


def test_a_constant_quantity_has_one_full_bin():
    column = CodedColumn("c", quantity=True, low=7.0, high=7.0)
    empty = CodedColumn("c", quantity=True)
    for domain in (column, empty):
        assert histograms(CodedTable((domain,), {"c": np.full(3, 7.0)}), 4).sum() == pytest.approx(1)


def test_moments_come_as_means_then_medians_then_variances():
    found = moments(np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 4.0]]))
    assert found == pytest.approx([1, 2, 0, 1, 2, 2])


def test_correlations_are_those_of_numpy_and_nothing_is_undefined():
    values = np.random.default_rng(0).normal(size=(50, 4))
    expected = np.corrcoef(values, rowvar=False)[np.triu_indices(4, k=1)]
    assert correlations(values) == pytest.approx(expected)
    values[:, 2] = 0.1
    found = correlations(values)
    assert np.isfinite(found).all() and found[1] == found[3] == found[5] == 0
