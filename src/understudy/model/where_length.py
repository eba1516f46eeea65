"""A length of time as somebody writes it: seconds as in CSV files, a clock, days and a clock, ISO 8601."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pyarrow as pa

__all__ = ["LENGTHS", "as_length", "length_text"]

LENGTHS = "'3600' (seconds, as in a CSV file), '01:00:00', '2 days 01:00:00', 'PT1H30M' or '90 s'"

_LONGEST_TEXT = 60  # no length that fits a column takes more
_LARGEST = 2**62  # steps; what lies beyond is counted in seconds, and beyond those it is cut
_NUMBER = r"[0-9]+(?:\.[0-9]*)?"
_SECONDS = re.compile(rf"(?P<sign>[+-])?(?P<seconds>{_NUMBER})")
_CLOCK = re.compile(
    r"(?P<sign>[+-])?(?:(?P<days>[0-9]+) days?(?P<apart>, ?| ?\+| )?(?=[0-9]|$))?"
    r"(?:(?P<hours>[0-9]+):(?P<minutes>[0-5][0-9]):(?P<seconds>[0-5][0-9](?:\.[0-9]*)?))?"
)
_ISO = re.compile(
    rf"(?P<sign>[+-])?P(?:(?P<weeks>{_NUMBER})W)?(?:(?P<days>{_NUMBER})D)?"
    rf"(?:T(?=[0-9])(?:(?P<hours>{_NUMBER})H)?(?:(?P<minutes>{_NUMBER})M)?(?:(?P<seconds>{_NUMBER})S)?)?"
)
_IN_SECONDS = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def as_length(value: Any, kind: pa.DataType) -> Any:
    """Return the text of a length as a count and a unit, such as `90 s`; anything else stays as it is.

    >>> as_length("01:00:00", pa.duration("s"))
    '3600000000 us'
    """
    if not pa.types.is_duration(kind) or not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        return value
    length = _length(value.strip())
    counted = None if length is None else _counted(length)
    return value if counted is None else counted


def length_text(nanoseconds: int) -> str:
    """Return a length as a clock shows it, which `as_length` reads back.

    >>> length_text(90_000_500_000_000)
    '25:00:00.5'
    """
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
    return f"-{clock}" if nanoseconds < 0 else clock


def _length(text: str) -> Fraction | None:
    """Return a length in seconds; None if the text is none that is known here."""
    for form in (_SECONDS, _CLOCK, _ISO):
        match = form.fullmatch(text)
        if match is not None and any(match.groupdict().get(part) for part in _IN_SECONDS):
            return _seconds(match.groupdict())
    return None


def _seconds(found: dict[str, str | None]) -> Fraction:
    parts = {part: Fraction(found.get(part) or 0) * size for part, size in _IN_SECONDS.items()}
    sign = -1 if found.get("sign") == "-" else 1
    # "-1 days +23:00:00" and "-1 day, 23:00:00", as pandas and Python write them, are an hour before 0.
    if (found.get("apart") or " ").strip():
        return sign * parts.pop("days") + sum(parts.values())
    return sign * sum(parts.values(), Fraction(0))


def _counted(seconds: Fraction) -> str | None:
    for unit, per in (("us", 10**6), ("ns", 10**9)):
        count = seconds * per
        if abs(count) >= _LARGEST:
            return f"{max(-_LARGEST, min(_LARGEST, int(seconds)))} s"
        if count.denominator == 1:
            return f"{count} {unit}"
    return None  # finer than any column tells apart
