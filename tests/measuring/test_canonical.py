"""Orders and names that mean nothing are taken away, and those that mean something are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from measuring.people import SAME, people
from understudy.measuring.canonical import canonical, numbering, renumbered
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence


def coded(values, levels, known=None, ordered=False):
    column = CodedColumn("a", levels=levels, known=levels if known is None else known, ordered=ordered)
    return column, CodedTable((column,), {"a": np.array(values, dtype=np.int32)})


def arrays(table, other):
    evidence = Evidence(train=table, synthetic=other, target="rich")
    return canonical([evidence.coded("train"), evidence.coded("synthetic")])


def standard(values):
    return (values - np.nanmean(values)) / np.nanstd(values)


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_the_same_rows_in_any_order_units_and_names_have_one_form(change):
    first, second = people(120, 3), people(90, 4)
    plain, changed = arrays(first, second), arrays(change(first), change(second))
    for one, other in zip(plain, changed, strict=True):
        assert [column.name for column in one.domain] == [column.name for column in other.domain]
        for column in one.categories:
            assert np.array_equal(one[column.name], other[column.name])
        for column in one.quantities:
            np.testing.assert_allclose(standard(one[column.name]), standard(other[column.name]), atol=1e-9)


def test_levels_are_numbered_by_how_often_they_are_met_in_the_first_table_then_the_others():
    column, first = coded([2, 2, 0, 1], 3)
    _, second = coded([1, 1, 0], 3)
    assert numbering(column, [first]).tolist() == [1, 2, 0]
    assert numbering(column, [first, second]).tolist() == [2, 1, 0]


def test_levels_of_the_synthetic_table_alone_stay_behind_those_of_real_rows():
    column, real = coded([0, 1, 1], 4, known=2)
    _, synthetic = coded([3, 3, 3, 2, 0], 4, known=2)
    assert numbering(column, [real, synthetic]).tolist() == [1, 0, 3, 2]


def test_the_order_of_ordinal_levels_is_kept():
    column, table = coded([2, 2, 0, 1], 3, ordered=True)
    assert numbering(column, [table]).tolist() == [0, 1, 2]


def test_missing_cells_stay_missing():
    _, table = coded([1, -1, 1, 0, -1], 2)
    assert canonical([table])[0]["a"].tolist() == [-1, -1, 0, 0, 1]


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=30))
def test_no_cell_is_lost_and_none_made_up(values):
    column, table = coded(values, 5, known=3)
    places = np.append(numbering(column, [table]), -1)
    assert sorted(places[:-1].tolist()) == [0, 1, 2, 3, 4]
    assert canonical([table])[0]["a"].tolist() == sorted(places[values].tolist())


def test_rows_stay_together():
    table = people(50, 6)
    found = arrays(table, table)[0]
    age = np.asarray(table.column("age"))
    sex = np.asarray(table.column("sex"))
    for place in range(50):
        row = int(np.flatnonzero(age == found["age"][place])[0])
        assert (found["sex"][place] == 0) == (sex[row] == "M")


def test_a_table_of_no_rows_has_a_form_too():
    _, table = coded([], 2)
    assert len(canonical([table])[0]) == 0


def test_columns_of_times_are_left_as_they_are():
    days = pa.array([3, 1, 2], pa.date32())
    evidence = Evidence(train=pa.table({"day": days}), synthetic=pa.table({"day": days}))
    assert canonical([evidence.coded("train")])[0]["day"].tolist() == [1.0, 2.0, 3.0]


def test_other_tables_are_told_in_the_terms_of_the_known_ones_and_keep_their_rows():
    _, known = coded([1, 1, 0], 2)
    _, other = coded([0, -1, 1, 0], 2)
    assert renumbered([other], [known])[0]["a"].tolist() == [1, -1, 0, 1]
