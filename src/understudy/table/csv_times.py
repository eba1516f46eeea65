"""Dates, times and timestamps from text and back, in the spelling in which they came.

A `TimeForm` is one spelling, kept as a picture such as `YYYY-MM-DDTHH:MM:SS.fff+02:00`.
A column is read as times only if all of its cells have one form and print the same again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import final

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import FrameError
from understudy.table.arrow_limits import refuse_impossible
from understudy.table.csv_trial import all_true, is_same_text, try_type

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
    return _possible(
        try_type(cells, pa.date32(), lambda text, days: is_same_text(pc.cast(days, pa.string()), text))
    )


def read_times(cells: pa.ChunkedArray, form: TimeForm) -> pa.ChunkedArray | None:
    """Return timestamps or times of day if every cell has the form and prints the same again."""
    length = len(form.picture)
    if abs(offset_seconds(form.zone)) >= 86_400:
        return None
    if not all_true(pc.equal(pc.binary_length(cells), length)) or not all_true(
        pc.ends_with(cells, form.zone)
    ):
        return None
    body = pc.utf8_slice_codeunits(cells, 0, length - len(form.zone))
    if not form.separator:
        body = pc.binary_join_element_wise(pa.scalar("1970-01-01"), body, " ")
    bare = replace(form, zone="", separator=form.separator or " ")
    local = try_type(
        body, pa.timestamp(form.unit), lambda text, times: is_same_text(_spell(times, bare), text)
    )
    return None if local is None else _possible(_shift(local, form, -1).cast(_type_of(form)))


def _possible(times: pa.ChunkedArray | None) -> pa.ChunkedArray | None:
    """Return the times, or None if one lies in a year, such as 0000, that no calendar has."""
    try:
        if times is not None:
            refuse_impossible("", times)
    except FrameError:  # the answer "no", as in `try_type`
        return None
    return times


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
