"""Text that a schema says is something else, such as dates in a frame that holds them as text, read as that.

Where rows may be looked at, the cells show how they are spelled (`spelled`). Within a budget no cell decides
that, nor whether a table is refused (`by_cell`): dates are spelled YYYY-MM-DD, other times as the form of the
column says, and a cell that is spelled otherwise is missing. So is a word in a column of numbers of a file;
a frame says by itself that it holds text, and is refused for it.
"""

from __future__ import annotations

import pyarrow as pa

from understudy.table.arrow_types import from_text
from understudy.table.by_cell import read_by_cell, times_by_cell
from understudy.table.forms import form_of
from understudy.table.grid import time_kind, time_units
from understudy.table.kinds import is_text
from understudy.table.schema import Column, Schema
from understudy.table.spelled import TEXT, Read, read_text, replaced
from understudy.table.table import Table

__all__ = ["as_said"]

_SPELLED = frozenset({"datetime", "date", "time"})


def as_said(table: Table, schema: Schema, *, openly: bool) -> tuple[Table, Schema]:
    """Return the table with text read as what the schema says it is, and the schema with the types of that.

    What cannot be read so stays text: those who need it otherwise refuse it, by its type alone.
    """
    arrow, found = table.to_arrow(), dict[str, Read]()
    columns = []
    for column in schema.columns:
        read = _read(column, table, openly=openly) if column.name in arrow.schema.names else None
        if read is not None:
            found[column.name] = read
        columns.append(column if read is None else _retyped(column, read[0]))
    if not found:
        return table, schema
    schema = schema.model_copy(update={"columns": tuple(columns)})
    return Table(replaced(arrow, found), table.frame, condition=table.condition), schema


def _read(column: Column, table: Table, *, openly: bool) -> Read | None:
    arrow = table.to_arrow()
    field, cells = arrow.schema.field(column.name), arrow.column(column.name)
    if not is_text(field.type):
        return None
    if openly:
        found = read_text(field, cells)
        return found if found is not None and _fits(column, found[0].type) else None
    return _by_cell(column, field, cells, framed=table.frame is not None)


def _fits(column: Column, kind: pa.DataType) -> bool:
    if time_units(kind):
        return column.kind == time_kind(kind)
    return column.kind == "numerical" and not pa.types.is_boolean(kind)


def _retyped(column: Column, field: pa.Field) -> Column:
    kept = column.type is not None and not is_text(from_text(column.type))
    form = {**(column.form or {}), **(form_of(field) or {})}
    return column.model_copy(update={"type": column.type if kept else str(field.type), "form": form or None})


def _by_cell(column: Column, field: pa.Field, cells: pa.ChunkedArray, *, framed: bool) -> Read | None:
    if column.kind in _SPELLED:
        found = times_by_cell(column, cells)
    else:
        found = (
            read_by_cell(column, cells.cast(pa.string()))
            if column.kind == "numerical" and not framed
            else None
        )
    if found is None:
        return None
    # A frame gets text back. That a file's cells are text is what its reader made of all of them.
    notes = {**found[0], **({TEXT: str(field.type).encode()} if framed else {})}
    return pa.field(field.name, found[1].type, field.nullable, notes or None), found[1]
