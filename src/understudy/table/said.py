"""Text that a schema says is times, read as these: `"kind": "date"` for a column that a frame holds as text.

Where rows may be looked at, the cells show how they are spelled (`spelled`). Within a budget no cell decides
that, nor whether a table is refused: dates are spelled YYYY-MM-DD, other times as the form of the column
says, and a cell that is spelled otherwise is missing.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.arrow_types import from_text
from understudy.table.csv_times import TimeForm, read_dates, read_times
from understudy.table.csv_types import TIME
from understudy.table.forms import form_of
from understudy.table.grid import time_kind, time_units
from understudy.table.kinds import is_text
from understudy.table.schema import Column, Schema
from understudy.table.spelled import TEXT, Read, read_text, replaced
from understudy.table.table import Table

__all__ = ["as_said"]

_TIME = TIME.decode().rpartition(".")[2]
_SPELLED = frozenset({"datetime", "date", "time"})
_LONG, _SHORT = r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])", r"(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
_DAY = rf"(?:{_LONG}|{_SHORT}|02-(?:0[1-9]|1\d|2[0-8]))"
_LEAP = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29"
# An offset moves a moment by less than a day: the calendar ends neither in year 1 nor in 9999 by that.
_YEARS, _NANO_YEARS = r"^(?:0000|0001|9999)-", r"^(?:0|1[0-5]|16[0-6]|167[0-7]|226[2-9]|22[7-9]|2[3-9]|[3-9])"
_NANOSECONDS = 7  # digits of a second, from which on a time is counted in them


def as_said(table: Table, schema: Schema, *, openly: bool) -> tuple[Table, Schema]:
    """Return the table with text read as what the schema says it is, and the schema with the types of that.

    What cannot be read so stays text: those who need it otherwise refuse it, by its type alone.
    """
    arrow, found = table.to_arrow(), dict[str, Read]()
    columns = []
    for column in schema.columns:
        read = _read(column, arrow, openly=openly) if column.name in arrow.schema.names else None
        if read is not None:
            found[column.name] = read
        columns.append(column if read is None else _retyped(column, read[0]))
    if not found:
        return table, schema
    schema = schema.model_copy(update={"columns": tuple(columns)})
    return Table(replaced(arrow, found), table.frame, condition=table.condition), schema


def _read(column: Column, arrow: pa.Table, *, openly: bool) -> Read | None:
    field, cells = arrow.schema.field(column.name), arrow.column(column.name)
    if not is_text(field.type):
        return None
    if openly:
        found = read_text(field, cells)
        return found if found is not None and _fits(column, found[0].type) else None
    return _row_by_row(column, field, cells) if column.kind in _SPELLED else None


def _fits(column: Column, kind: pa.DataType) -> bool:
    if time_units(kind):
        return column.kind == time_kind(kind)
    return column.kind == "numerical" and not pa.types.is_boolean(kind)


def _retyped(column: Column, field: pa.Field) -> Column:
    kept = column.type is not None and not is_text(from_text(column.type))
    form = {**(column.form or {}), **(form_of(field) or {})}
    return column.model_copy(update={"type": column.type if kept else str(field.type), "form": form})


def _row_by_row(column: Column, field: pa.Field, cells: pa.ChunkedArray) -> Read | None:
    """Return what each cell spells, by itself, as what its schema says; None where that does not say how."""
    notes, picture = {TEXT: str(field.type).encode()}, (column.form or {}).get(_TIME, "")
    form = TimeForm.from_picture(picture)
    if column.kind == "date":
        found = read_dates(_only(cells, rf"^\d{{4}}-{_DAY}$|^{_LEAP}$", _YEARS))
    elif form is not None and bool(form.separator) is (column.kind == "datetime"):
        notes[TIME] = picture.encode()
        years = _NANO_YEARS if form.digits >= _NANOSECONDS else _YEARS
        found = read_times(_only(cells, _shape(form), years if form.separator else None), form)
    else:
        return None
    # None where the form itself cannot be, such as an offset of more than a day, whatever the rows hold.
    return None if found is None else (pa.field(field.name, found.type, field.nullable, notes), found)


def _only(cells: pa.ChunkedArray, shape: str, out: str | None) -> pa.ChunkedArray:
    """Return the cells of a shape, all others missing."""
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
