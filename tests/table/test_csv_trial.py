"""Trying a type on a column of text."""

from __future__ import annotations

import pyarrow as pa

from understudy.table.csv_trial import all_true, is_same_text, try_type


def _always(text: pa.Array, values: pa.Array) -> bool:
    return len(text) == len(values)


def test_a_type_is_taken_only_if_every_chunk_can_be_cast_and_holds() -> None:
    cells = pa.chunked_array([["1", "2"], ["3", None]])
    assert try_type(cells, pa.int64(), _always).to_pylist() == [1, 2, 3, None]
    assert try_type(cells, pa.int64(), lambda text, _: "3" not in text.to_pylist()) is None
    assert try_type(pa.chunked_array([["1"], ["x"]]), pa.int64(), _always) is None


def test_chunks_are_kept_even_when_one_is_empty() -> None:
    cells = pa.chunked_array([pa.array(["1"]), pa.array([], pa.string()), pa.array(["2"])])
    assert try_type(cells, pa.int64(), _always).to_pylist() == [1, 2]


def test_missing_cells_are_not_judged() -> None:
    assert is_same_text(pa.array(["a", None]), pa.array(["a", None]))
    assert not is_same_text(pa.array(["a", "b"]), pa.array(["a", "c"]))
    assert all_true(pa.array([True, None]))
    assert not all_true(pa.array([True, None, False]))
    assert all_true(pa.array([], pa.bool_()))
