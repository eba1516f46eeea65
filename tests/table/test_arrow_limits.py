from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.arrow_limits import refuse_impossible
from understudy.table.arrow_plain import plain

DAY = 86_400
ENDS = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59), None]


def counted(kind, *counts) -> pa.ChunkedArray:
    width = pa.int32() if kind == pa.date32() else pa.int64()
    return pa.chunked_array([pa.array([*counts, None], width).cast(kind)])


POSSIBLE = [
    pa.chunked_array([pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None])]),
    *(pa.chunked_array([pa.array(ENDS, pa.timestamp(unit))]) for unit in ("s", "ms", "us")),
    counted(pa.timestamp("ns"), -(2**63), 2**63 - 1),
    counted(pa.timestamp("us", "Europe/Berlin"), 0),
    counted(pa.timestamp("us", "+02:00"), 0),
    counted(pa.duration("ns"), -(2**63), 2**63 - 1),
    counted(pa.duration("us"), 2**63 - 1),
    counted(pa.duration("s"), 999_999_999 * DAY),
    pa.chunked_array([[None]], pa.date32()),
    pa.chunked_array([], pa.timestamp("s")),
    pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())),
]  # fmt: skip


@pytest.mark.parametrize("column", POSSIBLE, ids=lambda column: str(column.type))
def test_what_a_calendar_can_hold_passes(column):
    refuse_impossible("x", column)
    assert len(column.to_pylist()) == len(column)


IMPOSSIBLE = [
    counted(pa.date32(), 2_932_897),
    counted(pa.date32(), -719_163),
    counted(pa.timestamp("s"), 253_402_300_800),
    counted(pa.timestamp("ms"), -62_135_596_800_001),
    counted(pa.timestamp("us"), 2**63 - 1),
    counted(pa.timestamp("us", "Mars/Olympus"), 0),
    counted(pa.timestamp("us", "../../etc/passwd"), 0),
    counted(pa.timestamp("us", "Europe"), 0),
    counted(pa.timestamp("us", " "), 0),
    counted(pa.duration("s"), 2**62),
    counted(pa.duration("ms"), -(2**63)),
    pa.chunked_array([pa.nulls(1, pa.decimal128(5, 2_000_000))]),
    pa.chunked_array([pa.nulls(1, pa.decimal128(5, -2_000_000))]),
    counted(pa.date32(), 2_932_897).dictionary_encode(),
]


@pytest.mark.parametrize("column", IMPOSSIBLE, ids=lambda column: str(column.type))
def test_what_no_calendar_or_number_can_hold_is_refused_by_name(column):
    with pytest.raises(FrameError, match="'x'"):
        refuse_impossible("x", column)


def test_levels_that_are_no_text_are_refused():
    levels = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers())
    array = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), levels)
    with pytest.raises(FrameError, match="'x'"):
        plain(pa.table({"x": array}))
