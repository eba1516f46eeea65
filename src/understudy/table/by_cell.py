"""Text read by the type that a schema declares, each cell by itself.

A reader that finds out what a column is looks at all of its cells: one word among numbers, one more decimal,
and every other cell is read differently. Within a budget nobody has paid for that. Here the schema alone says
what a column is, and a cell that is spelled otherwise is missing, whatever the others are.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.arrow_types import from_text, value_type
from understudy.table.csv_times import TimeForm, read_dates, read_times
from understudy.table.csv_types import STYLES, TIME
from understudy.table.kinds import is_text
from understudy.table.schema import Column

__all__ = ["read_by_cell", "times_by_cell"]

Read = tuple[dict[bytes, bytes], pa.ChunkedArray]  # notes on the field, and the cells

_TIME = TIME.decode().rpartition(".")[2]
_LONG, _SHORT = r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])", r"(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
_DAY = rf"(?:{_LONG}|{_SHORT}|02-(?:0[1-9]|1\d|2[0-8]))"
_LEAP = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29"
# An offset moves a moment by less than a day: the calendar ends neither in year 1 nor in 9999 by that.
_YEARS, _NANO_YEARS = r"^(?:0000|0001|9999)-", r"^(?:0|1[0-5]|16[0-6]|167[0-7]|226[2-9]|22[7-9]|2[3-9]|[3-9])"
_NANOSECONDS = 7  # digits of a second, from which on a time is counted in them

_WHOLE = r"^-?[0-9]{1,18}$"  # as many digits as 64 bits hold, whatever they are
_NUMBER = r"^-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$"
_MOST = float(2**63 - 1024)  # the largest float that is a 64-bit integer


def read_by_cell(column: Column, cells: pa.ChunkedArray) -> Read | None:
    """Return the cells in the type that is declared; None where the schema does not say how they are read.

    >>> told = Column(name="n", kind="numerical", type="int64")
    >>> read_by_cell(told, pa.chunked_array([["7", "+7", "n/a", "7.2"]]))[1].to_pylist()
    [7, 7, None, 7]
    """
    if column.type is None:
        return None
    wanted = value_type(from_text(column.type))
    if is_text(wanted):
        return {}, cells
    if pa.types.is_boolean(wanted):
        return {}, _booleans(cells)
    if pa.types.is_integer(wanted):
        return {}, _integers(cells)
    if pa.types.is_floating(wanted) or pa.types.is_decimal(wanted):
        return {}, _floats(_plain(cells))
    return times_by_cell(column, cells)


def times_by_cell(column: Column, cells: pa.ChunkedArray) -> Read | None:
    """Return dates that are spelled YYYY-MM-DD, or other times as the form of the column says.

    Without a form those of whole seconds are HH:MM:SS, of moments behind a date; None for all others.
    """
    picture = (column.form or {}).get(_TIME, "")
    form = TimeForm.from_picture(picture)
    if column.kind == "date":
        found = read_dates(_only(cells, rf"^\d{{4}}-{_DAY}$|^{_LEAP}$", _YEARS))
        return None if found is None else ({}, found)
    if not picture and column.type == str(pa.timestamp("s")):
        # Nobody said which of two spellings: both of them are read, of each cell its own.
        form, cells = TimeForm(), pc.replace_substring_regex(cells, r"^(\d{4}-\d\d-\d\d)T", r"\1 ")
    elif not picture and column.type == str(pa.time32("s")):
        form = TimeForm(separator="")
    if form is None or bool(form.separator) is not (column.kind == "datetime"):
        return None
    years = _NANO_YEARS if form.digits >= _NANOSECONDS else _YEARS
    found = read_times(_only(cells, _shape(form), years if form.separator else None), form)
    # None where the form itself cannot be, such as an offset of more than a day, whatever the rows hold.
    return None if found is None else ({TIME: picture.encode()} if picture else {}, found)


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the cells without blanks around them and without a plus."""
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(cells), r"^\+", "")


def _floats(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    found = _matching(cells, _NUMBER).cast(pa.float64())
    return pc.if_else(pc.is_finite(found), found, pa.scalar(None, pa.float64()))


def _integers(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers; one with a fraction is rounded, one out of 64 bits becomes their end."""
    plain = _plain(cells)
    whole = _matching(plain, _WHOLE).cast(pa.int64())
    rounded = pc.round(_floats(plain), round_mode="half_to_even")
    within = pc.min_element_wise(
        pc.max_element_wise(rounded, -_MOST, skip_nulls=False), _MOST, skip_nulls=False
    )
    return pc.coalesce(whole, within.cast(pa.int64()))


def _booleans(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    yes, no = (pa.array([*words], pa.string()) for words in (STYLES.keys(), STYLES.values()))
    truth = pc.is_in(cells, value_set=yes)
    known = pc.or_(truth, pc.is_in(cells, value_set=no))
    return pc.if_else(known, truth, pa.scalar(None, pa.bool_()))


def _matching(cells: pa.ChunkedArray, shape: str) -> pa.ChunkedArray:
    """Return the cells of a shape, all others missing."""
    return pc.if_else(pc.match_substring_regex(cells, shape), cells, pa.scalar(None, cells.type))


def _only(cells: pa.ChunkedArray, shape: str, out: str | None) -> pa.ChunkedArray:
    """Return the cells of a shape, and not of another one, all others missing."""
    text = cells.cast(pa.large_string())
    good = pc.match_substring_regex(text, shape)
    if out is not None:
        good = pc.and_(good, pc.invert(pc.match_substring_regex(text, out)))
    return pc.if_else(good, text, pa.scalar(None, text.type)).cast(pa.string())


def _shape(form: TimeForm) -> str:
    """Return the regular expression of a form: days of the calendar, hours to 23, seconds to 59."""
    clock = r"(?:[01]\d|2[0-3]):[0-5]\d" + (r":[0-5]\d" if form.seconds else "")
    clock += rf"\.\d{{{form.digits}}}" if form.digits else ""
    clock += re.escape(form.zone)
    if not form.separator:
        return f"^{clock}$"
    return rf"^(?:\d{{4}}-{_DAY}|{_LEAP}){form.separator}{clock}$"
