"""Decide what each text column of a CSV file is, on all of its cells.

A type is taken only if writing it again gives the same text, or for floats the same
number; the spelling that makes this possible (decimals, the style of booleans, the form
of times) is kept in the metadata of the Arrow field. Everything else stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.csv_numbers import (
    read_big_integers,
    read_decimals,
    read_fixed,
    read_floats,
    read_integers,
)
from understudy.table.csv_times import form_of, read_dates, read_times

__all__ = ["BOOLEAN", "DECIMALS", "POINT", "STYLES", "TIME", "WHOLE", "type_column"]

DECIMALS, BOOLEAN, TIME = b"understudy.decimals", b"understudy.boolean", b"understudy.time"
WHOLE, POINT = b"understudy.whole", b"1.0"  # how whole numbers stand in a column of floats
STYLES = {"true": "false", "True": "False", "TRUE": "FALSE"}

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.([0-9]+)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STYLE = {word: yes for yes, no in STYLES.items() for word in (yes, no)}

Attempt = tuple[pa.ChunkedArray | None, dict[bytes, bytes]]


def type_column(cells: pa.ChunkedArray, blanks: Sequence[str] = ("",)) -> tuple[pa.Field, pa.ChunkedArray]:
    """Return the column in the narrowest type that keeps every cell, and its field without a name.

    `blanks` are the spellings that mean missing in a column that is not text.

    >>> type_column(pa.chunked_array([["007", "8"]]))[0].type
    DataType(string)
    """
    trial = _without_blanks(cells, blanks)
    first = _first(trial)
    if first is not None:
        for column, spelling in _attempts(trial, first):
            if column is not None:
                return pa.field("", column.type, metadata=spelling or None), column
    return pa.field("", pa.string()), cells


def _without_blanks(cells: pa.ChunkedArray, blanks: Sequence[str]) -> pa.ChunkedArray:
    has_empty = pc.min(pc.binary_length(cells)).as_py() == 0
    if not has_empty and len(blanks) <= 1:
        return cells
    blank = pc.is_in(cells, value_set=pa.array(blanks, pa.string()))
    return pc.if_else(blank, pa.scalar(None, pa.string()), cells)


def _first(cells: pa.ChunkedArray) -> str | None:
    for chunk in cells.chunks:
        if chunk.null_count < len(chunk):
            place = pc.index(chunk.is_valid(), True).as_py() if chunk.null_count else 0
            first: str = chunk[place].as_py()
            return first
    return None


def _attempts(cells: pa.ChunkedArray, first: str) -> Iterator[Attempt]:
    """Try the types that the first cell allows, the narrowest first."""
    if _INTEGER.fullmatch(first):
        yield read_integers(cells), {}
        yield read_big_integers(cells), {}
        yield read_floats(cells), {}  # the first cell is a whole number without a point
    elif _NUMBER.fullmatch(first):
        yield from _decimal_attempts(cells, first)
    elif first in _STYLE:
        yield _read_booleans(cells, _STYLE[first]), {BOOLEAN: _STYLE[first].encode()}
    elif _DATE.fullmatch(first):
        yield read_dates(cells), {}
    elif (form := form_of(first)) is not None:
        yield read_times(cells, form), {TIME: form.picture.encode()}


def _decimal_attempts(cells: pa.ChunkedArray, first: str) -> Iterator[Attempt]:
    plain = _DECIMAL.fullmatch(first)
    if plain:
        yield read_fixed(cells, len(plain[1])), {DECIMALS: str(len(plain[1])).encode()}
    yield read_floats(cells), _whole_style(cells)
    if plain:
        yield read_decimals(cells, len(plain[1])), {}


def _whole_style(cells: pa.ChunkedArray) -> dict[bytes, bytes]:
    if not pc.any(pc.ends_with(cells, ".0")).as_py():
        return {}
    bare = pc.any(pc.match_substring_regex(cells, "^-?[0-9]+$")).as_py()
    return {} if bare else {WHOLE: POINT}


def _read_booleans(cells: pa.ChunkedArray, yes: str) -> pa.ChunkedArray | None:
    truth = pc.equal(cells, yes)
    known = pc.or_(truth, pc.equal(cells, STYLES[yes]))
    return truth if pc.all(known).as_py() else None
