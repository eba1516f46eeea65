"""The order of levels that were told, where the type of their column has one.

A type that is ordered lists its categories from least to most: a pandas dtype, or an Enum of polars. Types
are public, and the order is a part of one; which of the categories the rows hold is not, nor is it read here.

An Arrow column is no such type, though it may be marked as ordered. Its list lies beside the rows, chunk by
chunk, and is often made from them: a Parquet file without pages of dictionaries lists values as they come. So
of Arrow, and of all files, levels keep the order of the alphabet; who wants another one declares it.
"""

from __future__ import annotations

import pyarrow as pa

from understudy.table.arrow_types import from_text
from understudy.table.frames import Frame
from understudy.table.kinds import dictionary_values
from understudy.table.raw import level_values
from understudy.table.schema import Column, Levels, Schema
from understudy.table.table import Table

__all__ = ["in_order_of_types"]

_LISTING = (
    "category",
    "Enum",
)  # what `Frame` calls the dtypes of pandas and polars that list their categories


def in_order_of_types(schema: Schema, table: Table) -> Schema:
    """Return the schema with bought levels of ordered types from least to most; all others stay as they are.

    Guarantee: levels that were told change places, and none is added: the answer is a function of what was
    told and of the types that the caller's frame states.
    """
    arrow, listed = table.to_arrow(), _listed(table.frame)
    columns = tuple(
        _in_order(column, arrow.column(column.name)) if column.name in listed and _is_told(column) else column
        for column in schema.columns
    )
    return schema.model_copy(update={"columns": columns})


def _listed(frame: Frame | None) -> set[str]:
    """Return the columns whose types list their categories in an order."""
    columns = frame.columns if frame is not None else ()
    return {c.name for c in columns if c.dtype.startswith(_LISTING) and _is_ordered(from_text(c.type))}


def _is_ordered(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def _is_told(column: Column) -> bool:
    return column.levels is not None and column.levels.source == "bought"


def _in_order(column: Column, cells: pa.ChunkedArray) -> Column:
    assert column.levels is not None, "only levels that were told have an order"
    places = {level: place for place, level in enumerate(level_values(dictionary_values(cells)))}
    # The stand-in for a column of which nothing was told is no category; it comes last.
    told = sorted(column.levels.values, key=lambda level: places.get(level, len(places)))
    return column.model_copy(update={"levels": Levels(values=tuple(told), source="bought")})
