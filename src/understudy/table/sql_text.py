"""Cells that a database hands over as text, turned into the exact type they stand for."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from understudy.errors import SqlError

__all__ = ["parse_decimals", "parse_text"]

_WIDEST = ((pa.decimal128, 38), (pa.decimal256, 76))


def parse_text(name: str, column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return the cells as `kind`, or refuse with the column's name; nothing is rounded."""
    try:
        return _parsed(column, kind)
    except pa.ArrowException:
        raise SqlError(
            f"sql: column {name!r} holds a value outside what {kind} can hold (such as infinity, or a year "
            "beyond 9999); leave it out with ?query=."
        ) from None


def parse_decimals(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers without a declared scale as decimals with the most decimals that occur.

    >>> str(parse_decimals("x", pa.chunked_array([["1.5", "10", None]])).type)
    'decimal128(38, 1)'
    """
    scale = _longest(column, r"^[^.]*\.?")
    for make, width in _WIDEST:
        try:
            return _decimals(column, make(width, min(scale, width)))
        except pa.ArrowException:
            continue  # too wide for this one; the refusal is below
    raise SqlError(
        f"sql: column {name!r} holds NaN, infinity, or more than 76 digits; leave it out with ?query=."
    )


def _decimals(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    # Arrow's cast from text to decimal drops the leading digits of a number that is too long, without a word.
    if _longest(column, r"^-|\..*$") > kind.precision - kind.scale:
        raise pa.ArrowInvalid("too many digits")
    return column.cast(kind)


def _longest(column: pa.ChunkedArray, without: str) -> int:
    return pc.max(pc.utf8_length(pc.replace_substring_regex(column, without, ""))).as_py() or 0


def _parsed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pat.is_time(kind):
        # Arrow reads no bare time of day, but it does read one that has a date.
        whole = pc.binary_join_element_wise(pa.scalar("1970-01-01"), column, " ")
        return whole.cast(pa.timestamp("us")).cast(kind)
    if pat.is_timestamp(kind) and kind.tz is not None:
        return column.cast(pa.timestamp(kind.unit)).cast(kind)
    if pat.is_duration(kind):
        return column.cast(pa.int64()).cast(kind)
    return _decimals(column, kind) if pat.is_decimal(kind) else column.cast(kind)
