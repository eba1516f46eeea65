"""Distances of records to the sets of shadow models: an average over sets, in the units of paper 004."""

import numpy as np
import pytest

from understudy.engines.shadows.plan import Shadows
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_distance import shadow_distances
from understudy.table.coded import CodedColumn, CodedTable


def line(values):
    return CodedTable(
        (CodedColumn("x", quantity=True, low=0.0, high=10.0),), {"x": np.asarray(values, dtype=float)}
    )


@pytest.mark.parametrize("length", ["l2", "l1"])
def test_the_nearest_row_of_each_set_counts_and_sets_are_averaged(length):
    records = line([0.0, 10.0])
    sets = np.array([1.0, 9.0, 3.0, 10.0])  # two sets of two rows
    shadows = Shadows(np.array([[True, False], [False, True]]), 2, ({"x": sets}, {"x": sets + 1}))
    shown = Shown(records, np.arange(2), 2, shadows)
    found = shadow_distances(shown, records, length)
    assert found == pytest.approx(np.array([[0.2, 0.05], [0.3, 0.05]]))


@pytest.mark.parametrize("length", ["l2", "l1"])
def test_four_columns_of_levels_that_differ_in_one(length):
    domain = tuple(CodedColumn(name, levels=2, known=2) for name in "abcd")
    same = {name: np.zeros(1, np.int32) for name in "abcd"}
    records = CodedTable(domain, same)
    shadows = Shadows(np.array([[True], [False]]), 1, (same | {"c": np.ones(1, np.int32)}, same))
    found = shadow_distances(Shown(records, np.arange(1), 1, shadows), records, length)
    assert found.ravel() == pytest.approx([0.707107 if length == "l2" else 0.25, 0], abs=1e-6)
