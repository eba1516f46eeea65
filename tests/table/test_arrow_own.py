"""A table has its own memory: nobody can change it from outside."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import understudy as us
from understudy.table import arrow_own
from understudy.table.arrow_own import own

WIDE = pa.table(
    {
        "number": pa.chunked_array([[1.5, None], [2.5]]),
        "text": pa.chunked_array([["a", ""], [None]]),
        "level": pa.array(["x", None, "y"]).dictionary_encode(),
        "truth": [True, None, False],
    },
    schema=pa.schema(
        [
            pa.field("number", pa.float64(), metadata={"understudy.decimals": "1"}),
            pa.field("text", pa.string()),
            pa.field("level", pa.dictionary(pa.int32(), pa.string())),
            pa.field("truth", pa.bool_()),
        ],
        metadata={"understudy.synthetic": "yes"},
    ),
)


def addresses(table: pa.Table) -> set[int]:
    buffers = [b for column in table.columns for chunk in column.chunks for b in chunk.buffers()]
    return {buffer.address for buffer in buffers if buffer is not None and buffer.size}


@pytest.mark.parametrize("at_once", [1, 20, 2**26])
def test_the_copy_is_equal_and_shares_no_memory(monkeypatch, at_once):
    monkeypatch.setattr(arrow_own, "AT_ONCE", at_once)
    copy = own(WIDE)
    assert copy.equals(WIDE, check_metadata=True)
    assert not addresses(copy) & addresses(WIDE)


def test_a_slice_is_copied_without_the_rest():
    slice_of_much = pa.table({"a": np.arange(1_000_000)}).slice(10, 3)
    copy = own(slice_of_much)
    assert copy.column("a").to_pylist() == [10, 11, 12]
    assert copy.get_total_buffer_size() < 1_000


def test_levels_survive_where_there_is_no_row():
    levels = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array(["x", "y"]))
    assert own(pa.table({"a": levels})).column("a").chunk(0).dictionary.to_pylist() == ["x", "y"]


def test_an_edit_of_a_pandas_frame_does_not_reach_the_table():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2], "c": pd.array([1, 2], "Int64")})
    table = us.read(frame)
    frame.loc[0] = [9.0, 9, 9]
    assert table.to_arrow().to_pydict() == {"a": [1.0, 2.0], "b": [1, 2], "c": [1, 2]}


@pytest.mark.parametrize(
    "frame_of",
    [
        lambda cells: pd.DataFrame({"a": cells}, copy=False),
        lambda cells: pa.table({"a": cells}),
        lambda cells: pa.record_batch({"a": pa.array(cells)}),
        lambda cells: pa.table({"a": cells}).to_reader(),
        lambda cells: pl.DataFrame({"a": cells}),
        lambda cells: pl.from_arrow(pa.table({"a": cells})),
    ],
    ids=["pandas", "arrow", "batch", "stream", "polars", "polars over arrow"],
)
def test_an_edit_of_the_array_under_a_frame_does_not_reach_the_table(frame_of):
    cells = np.arange(5.0)
    table = us.read(frame_of(cells))
    cells[:] = 77
    assert table.to_arrow().column("a").to_pylist() == [0, 1, 2, 3, 4]
