"""Cells that an Arrow type can hold and nothing else can: refused at the door, by column.

A damaged or hostile file can hold a date in the year 5,000,000, a time zone that exists nowhere, a decimal
with a million decimals, or levels that are not text. Each would fail somewhere deep inside a fit.
"""

from __future__ import annotations

import re
import zoneinfo

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from understudy.errors import FrameError

__all__ = ["refuse_impossible"]

_OFFSET = re.compile(r"[+-]\d\d:?\d\d")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAYS = (-719_162, 2_932_896)  # 0001-01-01 and 9999-12-31, counted from 1970-01-01
_MOST_DAYS = 999_999_999  # the longest timedelta of Python
_DAY = 86_400


def refuse_impossible(name: str, column: pa.ChunkedArray, who: str = "table") -> None:
    """Refuse a column with a type or a cell that no calendar, time zone or number can hold."""
    kind = column.type
    if pat.is_dictionary(kind):
        for levels in [chunk.dictionary for chunk in column.chunks[:1]]:
            levels.validate(full=True)  # Arrow checks the codes of a dictionary, and not its levels
            refuse_impossible(name, pa.chunked_array([levels]), who)
    elif pat.is_decimal(kind) and not -76 <= kind.scale <= 76:
        raise FrameError(f"{who}: column {name!r} has decimals of an impossible scale; repair the source.")
    elif pat.is_timestamp(kind) and kind.tz is not None and not _is_zone(kind.tz):
        raise FrameError(
            f"{who}: column {name!r} has a time zone that is not known here; use one like Europe/Paris."
        )
    limits = _limits(kind)
    if limits is not None and not _within(column, *limits):
        raise FrameError(f"{who}: column {name!r} holds a time outside the years 1 to 9999; make it missing.")


def _is_zone(zone: str) -> bool:
    if _OFFSET.fullmatch(zone):
        return True
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _limits(kind: pa.DataType) -> tuple[int, int] | None:
    if pat.is_date32(kind):
        return _DAYS
    if pat.is_timestamp(kind) and kind.unit != "ns":
        per_second = _PER_SECOND[kind.unit]
        return _DAYS[0] * _DAY * per_second, (_DAYS[1] + 1) * _DAY * per_second - 1
    if pat.is_duration(kind) and kind.unit in ("s", "ms"):
        most = _MOST_DAYS * _DAY * _PER_SECOND[kind.unit]
        return -most, most
    return None


def _within(column: pa.ChunkedArray, low: int, high: int) -> bool:
    counts = column.cast(pa.int32() if pat.is_date32(column.type) else pa.int64())
    ends = pc.min_max(counts).as_py()
    return ends["min"] is None or (low <= ends["min"] and ends["max"] <= high)
