"""Dates, times and decimals that a frame or a database holds as text, read as what they are, and text again.

A CSV file is all text, and its reader takes `2019-05-24` for a date. A frame says that the column is text; as
words, dates would be levels or ids, and a new one in the shape of `9999-99-99` is no date. So where rows may
be looked at, a column of text of which every cell is a date or a time in one spelling is read as such, and so
are numbers with decimals that would be ids or free text. The form of the column notes that it came as text.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from understudy.table.arrow_types import from_text
from understudy.table.csv_render import renderer
from understudy.table.csv_types import type_column
from understudy.table.grid import time_units
from understudy.table.kinds import is_text, kind_of

__all__ = ["TEXT", "Read", "in_words", "read_text", "replaced", "spelled_alike", "spelled_out"]

TEXT = b"understudy.text"  # the type of text that the cells came as
_FEW = 100  # cells that show most columns of words for what they are

Read = tuple[pa.Field, pa.ChunkedArray]


def spelled_out(arrow: pa.Table) -> pa.Table:
    """Return the rows with every text column that spells dates, times or decimals read as these.

    >>> spelled_out(pa.table({"joined": ["2019-05-24", "2020-02-29"]})).schema.field("joined").type
    DataType(date32[day])
    """
    found = {field.name: _read(field, arrow.column(field.name)) for field in arrow.schema}
    return replaced(arrow, {name: read for name, read in found.items() if read is not None})


def spelled_alike(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """Return the tables spelled out where none of them keeps text in the same column."""
    out = [spelled_out(table) for table in tables]
    words = {name for table in out for name in table.schema.names if _holds_words(table, name)}
    return [
        replaced(table, {name: _column(as_it_was, name) for name in words & set(table.schema.names)})
        for table, as_it_was in zip(out, tables, strict=True)
    ]


def in_words(arrow: pa.Table) -> pa.Table:
    """Return the rows with every column that came as text as text again, in the spelling in which it came."""
    found = {field.name: _as_text(field, arrow.column(field.name)) for field in arrow.schema}
    return replaced(arrow, {name: words for name, words in found.items() if words is not None})


def _as_text(field: pa.Field, cells: pa.ChunkedArray) -> Read | None:
    kind = (field.metadata or {}).get(TEXT, b"").decode()
    if not kind or is_text(field.type):
        return None
    render = renderer(field, cells)
    words = pa.chunked_array([render(chunk) for chunk in cells.chunks], pa.string()).cast(from_text(kind))
    return pa.field(field.name, words.type, field.nullable), words


def replaced(arrow: pa.Table, columns: dict[str, Read]) -> pa.Table:
    """Return the rows with these columns in the places of those of their names."""
    for name, (field, cells) in columns.items():
        place = arrow.schema.get_field_index(name)
        arrow = arrow.set_column(place, field, cells)
    return arrow


def _column(arrow: pa.Table, name: str) -> Read:
    return arrow.schema.field(name), arrow.column(name)


def _holds_words(arrow: pa.Table, name: str) -> bool:
    cells = arrow.column(name)
    return is_text(cells.type) and cells.null_count < len(cells)


def read_text(field: pa.Field, cells: pa.ChunkedArray) -> Read | None:
    """Return text in the type in which the CSV reader would read it; None if it would leave it text."""
    head = cells.slice(0, _FEW)
    if head.null_count < len(head) and is_text(_csv_type(head)[0].type):
        return None  # most columns of words show it early
    found, read = _csv_type(cells)
    if is_text(found.type):
        return None
    notes = {**(found.metadata or {}), TEXT: str(field.type).encode()}
    return pa.field(field.name, found.type, field.nullable, notes), read


def _read(field: pa.Field, cells: pa.ChunkedArray) -> Read | None:
    found = read_text(field, cells) if is_text(field.type) else None
    if found is None or time_units(found[0].type):
        return found
    # Numbers written as text are often meant as words: only those that could not be levels are read.
    return found if _has_decimals(found[0].type) and kind_of(field.name, cells) in {"id", "text"} else None


def _has_decimals(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind.scale > 0))


def _csv_type(cells: pa.ChunkedArray) -> Read:
    # A text that is empty is a text in a frame, not a missing cell; so no spelling means missing.
    return type_column(cells.cast(pa.string()), ())
