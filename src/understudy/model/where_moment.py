"""A moment as somebody asks for it, where the column has a time zone: text without an offset is local.

Pandas reads such text in the zone of the column too. Bounds in a schema file are another matter: there,
text without an offset is UTC (`table.grid`), since a file is written by one machine for another.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["in_zone"]

_FOUR_DIGIT_YEAR = re.compile(r"[0-9]{4}-")


def in_zone(value: Any, kind: pa.DataType) -> Any:
    """Return a moment as text in UTC if it has no offset and the column a zone; a day is its midnight.

    A local time that the clocks show twice is the first of the two, the one with the earlier offset; one that
    they skip is the first moment after the gap. What has an offset, or is no moment, stays as it is.

    >>> in_zone("2024-02-01", pa.timestamp("s", "Europe/Zurich"))
    '2024-01-31 23:00:00Z'
    """
    if not pa.types.is_timestamp(kind):
        return value
    if kind.tz is None:
        return value.isoformat() if type(value) is dt.date else value
    text = _naive_text(value)
    moment = None if text is None else _in_utc(text, kind.tz)
    return value if moment is None else moment


def _naive_text(value: Any) -> str | None:
    """Return a moment without an offset as ISO text; text may still turn out to have one."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ") if value.tzinfo is None else None
    return value.isoformat() if isinstance(value, dt.date) else None


def _in_utc(text: str, zone: str) -> str | None:
    """Return local text as text in UTC; None if it is none, or so far off that UTC has no year for it."""
    for unit in ("us", "ns"):  # nanoseconds last: they end in 2262
        try:
            local = pa.array([text]).cast(pa.timestamp(unit))
        except pa.ArrowInvalid:
            continue
        zoned = pc.assume_timezone(local, zone, ambiguous="earliest", nonexistent="latest")
        found = str(zoned.cast(pa.timestamp(unit, "UTC")).cast(pa.string())[0])
        # Without noughts at its end, so that a column of whole seconds can read it.
        found = found.removesuffix("Z").rstrip("0").removesuffix(".")
        return f"{found}Z" if _FOUR_DIGIT_YEAR.match(found) else None
    return None
