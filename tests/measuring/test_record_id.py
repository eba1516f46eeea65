"""A row keeps its name wherever it stands, and equal rows have names of their own."""

import pyarrow as pa
from hypothesis import given, strategies as st

from understudy.measuring.record_id import record_ids

CELLS = st.one_of(st.none(), st.integers(-3, 3))


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), st.randoms())
def test_ids_follow_their_rows_through_any_order(rows, random):
    def ids(some):
        return record_ids(pa.table({"a": [row[0] for row in some], "b": [row[1] for row in some]}))

    moved = list(rows)
    random.shuffle(moved)
    assert sorted(zip(rows, ids(rows), strict=True), key=repr) == sorted(
        zip(moved, ids(moved), strict=True), key=repr
    )
    assert len(set(ids(rows))) == len(rows)


def test_cells_of_other_columns_are_other_rows():
    one, two = pa.table({"a": ["x"], "b": ["y"]}), pa.table({"a": ["y"], "b": ["x"]})
    assert record_ids(one) != record_ids(two)
    assert record_ids(pa.table({"a": ["1"]})) != record_ids(pa.table({"a": [1]}))
    assert record_ids(pa.table({"a": [None]})) != record_ids(pa.table({"a": ["None"]}))


def test_no_cell_can_be_read_off_its_id():
    (found,) = record_ids(pa.table({"name": ["Quentin Zebedee"]}))
    assert len(found) == 12
    assert set(found) <= set("0123456789abcdef")
