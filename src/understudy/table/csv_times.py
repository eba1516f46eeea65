"""Dates, times and timestamps from text and back, in the spelling in which they came.

A `TimeForm` is one spelling, kept as a picture such as `YYYY-MM-DDTHH:MM:SS.fff+02:00`.
A column is read as times only if all of its cells have one form and print the same again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import final

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.csv_numbers import is_same_text

__all__ = ["TimeForm", "form_of", "offset_seconds", "read_dates", "read_times", "times_text"]

_CELL = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d(?P<separator>[ T]))?\d\d:\d\d(?P<seconds>:\d\d(?:\.(?P<fraction>\d{1,9}))?)?"
    r"(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@final
@dataclass(frozen=True)
class TimeForm:
    """How a time is spelled: date separator ("" for a time of day), seconds, fraction digits, zone."""

    separator: str = " "
    seconds: bool = True
    digits: int = 0
    zone: str = ""

    @property
    def picture(self) -> str:
        """The form as a picture that a person can read."""
        day = f"YYYY-MM-DD{self.separator}" if self.separator else ""
        fraction = "." + "f" * self.digits if self.digits else ""
        return f"{day}HH:MM{':SS' if self.seconds else ''}{fraction}{self.zone}"

    @property
    def unit(self) -> str:
        """The coarsest Arrow unit that holds the fraction."""
        return ("s", "ms", "us", "ns")[(self.digits + 2) // 3]

    @classmethod
    def from_picture(cls, picture: str) -> TimeForm | None:
        """Read a picture back; None if it is none.

        >>> TimeForm.from_picture("HH:MM:SS.ff").digits
        2
        """
        return form_of(re.sub("[YMDHSf]", "0", picture))


def form_of(cell: str) -> TimeForm | None:
    """Return the form of one cell, or None if it is not spelled like a time.

    >>> form_of("2024-05-01T10:30Z").picture
    'YYYY-MM-DDTHH:MMZ'
    """
    match = _CELL.fullmatch(cell)
    if match is None or (match["zone"] and not match["date"]):
        return None
    digits = len(match["fraction"] or "")
    return TimeForm(match["separator"] or "", match["seconds"] is not None, digits, match["zone"] or "")


def offset_seconds(zone: str) -> int:
    """Return the offset of a zone spelling from UTC; Z and no zone are 0.

    >>> offset_seconds("-0330")
    -12600
    """
    digits = re.sub(r"\D", "", zone).ljust(4, "0")
    size = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -size if zone.startswith("-") else size


def read_dates(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the cells as dates if every one is a day of the calendar spelled YYYY-MM-DD."""
    days = _cast(cells, pa.date32())
    return days if days is not None and is_same_text(pc.cast(days, pa.string()), cells) else None


def read_times(cells: pa.ChunkedArray, form: TimeForm) -> pa.ChunkedArray | None:
    """Return the cells as timestamps or times of day if every one has the form and prints the same again."""
    if abs(offset_seconds(form.zone)) >= 86_400 or not is_same_length(cells, len(form.picture)):
        return None
    body = pc.utf8_slice_codeunits(cells, 0, len(form.picture) - len(form.zone))
    if not form.separator:
        body = pc.binary_join_element_wise(pa.scalar("1970-01-01"), body, " ")
    local = _cast(body, pa.timestamp(form.unit))
    if local is None or not is_same_text(_spell(local, form), cells):
        return None
    return _shift(local, form, -1).cast(_type_of(form))


def is_same_length(cells: pa.ChunkedArray, length: int) -> bool:
    """Say whether every cell has `length` bytes: a cheap look before the dear one."""
    return pc.all(pc.equal(pc.binary_length(cells), length)).as_py() is not False


def times_text(values: pa.Array | pa.ChunkedArray, form: TimeForm) -> pa.Array | pa.ChunkedArray:
    """Print timestamps or times of day in the given form.

    >>> times_text(pa.array([0], pa.timestamp("s")), TimeForm("T", seconds=False)).to_pylist()
    ['1970-01-01T00:00']
    """
    unit = values.type.unit
    width = pa.int32() if pa.types.is_time32(values.type) else pa.int64()
    local = values.cast(width).cast(pa.int64()).cast(pa.timestamp(unit))
    return _spell(_shift(local, form, 1), form)


def _type_of(form: TimeForm) -> pa.DataType:
    if not form.separator:
        return pa.time32(form.unit) if form.unit in ("s", "ms") else pa.time64(form.unit)
    if not form.zone:
        return pa.timestamp(form.unit)
    offset = offset_seconds(form.zone)
    sign, size = "-" if offset < 0 else "+", abs(offset) // 60
    return pa.timestamp(form.unit, f"{sign}{size // 60:02d}:{size % 60:02d}" if offset else "UTC")


def _shift(times: pa.ChunkedArray, form: TimeForm, sign: int) -> pa.ChunkedArray:
    offset = offset_seconds(form.zone) * PER_SECOND[times.type.unit] * sign
    return pc.add(times.cast(pa.int64()), offset).cast(times.type) if offset else times


def _spell(local: pa.ChunkedArray, form: TimeForm) -> pa.ChunkedArray:
    text = pc.cast(local, pa.string())  # YYYY-MM-DD HH:MM:SS and the fraction of its unit
    stop = 20 + form.digits if form.digits else 19 if form.seconds else 16
    text = pc.utf8_slice_codeunits(text, 0 if form.separator else 11, stop)
    if form.separator == "T":
        text = pc.binary_replace_slice(text, 10, 11, "T")
    return pc.binary_join_element_wise(text, pa.scalar(form.zone), "") if form.zone else text


def _cast(cells: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    try:
        return pc.cast(cells, kind)
    except pa.ArrowInvalid:  # the answer "no": these cells are not of that type
        return None
