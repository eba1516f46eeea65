"""The order of levels that were told, where the type of their column has one.

A type that is ordered lists its categories from least to most. Types are public, and the order is a part of
one, as a pandas dtype or an Enum has it; which of the categories the rows hold is not, and is not read here.
"""

from __future__ import annotations

import pyarrow as pa

from understudy.table.kinds import dictionary_values
from understudy.table.raw import level_values
from understudy.table.schema import Column, Levels, Schema
from understudy.table.table import Table

__all__ = ["in_order_of_types"]


def in_order_of_types(schema: Schema, table: Table) -> Schema:
    """Return the schema with bought levels of ordered types from least to most; all others stay as they are.

    Guarantee: levels that were told change places, and none is added: the answer is a function of what was
    told and of the types.
    """
    arrow = table.to_arrow()
    columns = tuple(
        _in_order(column, arrow.column(column.name)) if _is_told(column, arrow.schema) else column
        for column in schema.columns
    )
    return schema.model_copy(update={"columns": columns})


def _is_told(column: Column, schema: pa.Schema) -> bool:
    kind = schema.field(column.name).type
    ordered = pa.types.is_dictionary(kind) and kind.ordered
    return ordered and column.levels is not None and column.levels.source == "bought"


def _in_order(column: Column, cells: pa.ChunkedArray) -> Column:
    assert column.levels is not None, "only levels that were told have an order"
    places = {level: place for place, level in enumerate(level_values(dictionary_values(cells)))}
    # The stand-in for a column of which nothing was told is no category; it comes last.
    told = sorted(column.levels.values, key=lambda level: places.get(level, len(places)))
    return column.model_copy(update={"levels": Levels(values=tuple(told), source="bought")})
