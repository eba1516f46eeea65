from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.frames import Frame, ingest
from understudy.table.frames_arrow import retyped

CANARY = "canary-2277"
COLUMNS = {
    **{str(kind): pa.array([0, None, 100], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{
        str(kind): pa.array([0, None, 200], kind)
        for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    },
    **{str(kind): pa.array([0.5, None, -0.0], kind) for kind in (pa.float32(), pa.float64())},
    "halffloat": pa.array([np.float16(0.5), None, np.float16(-0.0)], pa.float16()),
    **{
        str(kind): pa.array(["a", None, ""], kind)
        for kind in (pa.string(), pa.large_string(), pa.string_view())
    },
    "bool": pa.array([True, None, False]),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("0.01")], pa.decimal128(12, 2)),
    "decimal256": pa.array([Decimal(10) ** 50, None, Decimal(1)], pa.decimal256(60, 2)),
    "date32": pa.array([dt.date(2020, 1, 1), None, dt.date(1, 1, 1)]),
    "date64": pa.array([dt.date(2020, 1, 1), None, dt.date(1960, 1, 1)], pa.date64()),
    "time32": pa.array([dt.time(1, 2), None, dt.time(0)], pa.time32("s")),
    "time64": pa.array([dt.time(1, 2, 3, 4), None, dt.time(0)], pa.time64("ns")),
    **{f"timestamp {u}": pa.array([1, None, -1], pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "zone": pa.array([1, None, -1], pa.timestamp("us", "Europe/Berlin")),
    **{f"duration {u}": pa.array([1, None, -1], pa.duration(u)) for u in ("s", "ms", "us", "ns")},
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["z", "a", "unused"]),
    "ordered": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.uint16()), [3, 1], ordered=True),
    "null": pa.nulls(3),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int16()), ["a", "b"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_identical(name):
    before = pa.table({name: COLUMNS[name]})
    arrow, frame = ingest(before)
    after = Frame.from_json(frame.to_json()).restore(arrow)
    assert after.schema.equals(before.schema)
    assert after.column(0).to_pylist() == before.column(0).to_pylist()
    after.validate(full=True)


def test_levels_that_do_not_occur_are_kept():
    arrow, frame = ingest(pa.table({"x": COLUMNS["dictionary"]}))
    assert frame.restore(arrow).column("x").chunk(0).dictionary.to_pylist() == ["z", "a", "unused"]


def test_nullability_comes_back():
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64())])
    before = pa.table([[1], [2]], schema=schema)
    arrow, frame = ingest(before)
    assert frame.restore(arrow).schema.equals(schema)
    missing = frame.restore(pa.table({"a": pa.array([None], pa.int64()), "b": [1]}))
    assert missing.schema.field("a").nullable


def test_a_record_batch_comes_back_as_a_record_batch():
    before = pa.record_batch(COLUMNS)
    arrow, frame = ingest(before)
    after = frame.restore(arrow)
    assert isinstance(after, pa.RecordBatch)
    assert after.schema.equals(before.schema)
    empty = frame.restore(arrow.slice(0, 0))
    assert isinstance(empty, pa.RecordBatch)
    assert empty.num_rows == 0


@pytest.mark.parametrize(
    "make", [lambda t: t.to_reader(), lambda t: type("S", (), {"__arrow_c_stream__": t.__arrow_c_stream__})()]
)
def test_a_stream_comes_back_as_a_table(make):
    before = pa.table({"x": [1, None], "y": ["a", "b"]})
    arrow, frame = ingest(make(before))
    assert frame.kind == "stream"
    assert frame.restore(arrow).equals(before)


def test_a_stream_that_breaks_is_refused_without_its_cells():
    def broken():
        yield pa.record_batch({"x": [1]})
        raise RuntimeError(CANARY)

    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), broken())
    with pytest.raises(FrameError) as caught:
        ingest(reader)
    assert CANARY not in str(caught.value)


def test_text_that_is_no_utf8_is_refused():
    whole = pa.array([b"\xff\xfe"])
    broken = pa.Array.from_buffers(pa.string(), 1, whole.buffers())
    with pytest.raises(FrameError):
        ingest(pa.table({"x": broken}))


def test_a_column_without_a_note_keeps_its_type():
    table = pa.table({"x": pa.array([1], pa.int8())})
    assert retyped(table, []).schema.equals(table.schema)
