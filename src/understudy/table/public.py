"""What may be known of a table without looking at a cell: names, types, and what somebody declared."""

from __future__ import annotations

import pyarrow as pa

from understudy.errors import SchemaError
from understudy.table.arrow_types import value_type
from understudy.table.forms import form_of
from understudy.table.grid import time_kind, time_units
from understudy.table.schema import Column, Kind, Levels, Schema
from understudy.table.table import Table

__all__ = ["by_type"]


def by_type(table: Table, declared: Schema | None = None) -> Schema:
    """Return a schema made of types and declarations alone; everything else is left open.

    A private fit starts from it: kinds follow from types, so no change of rows can change them. Whatever
    a given schema only observed in the rows is left open again, to be bought.

    >>> by_type(Table(pa.table({"town": ["A", "A"]}))).column("town").kind
    'categorical'
    """
    arrow = table.to_arrow()
    if declared is None:
        return Schema(columns=tuple(_column(field) for field in arrow.schema))
    unknown = [name for name in arrow.schema.names if name not in {c.name for c in declared.columns}]
    if unknown:
        raise SchemaError(f"table: the schema does not name its column {unknown[0]!r}.")
    return declared.model_copy(update={"columns": tuple(_kept(c, arrow.schema) for c in declared.columns)})


def _column(field: pa.Field) -> Column:
    kind = _kind(value_type(field.type), field.name)
    levels = Levels(values=(False, True)) if kind == "boolean" else None
    return Column(
        name=field.name,
        kind=kind,
        type=str(field.type),
        nullable=field.nullable,
        resolution=_resolution(value_type(field.type), kind),
        levels=levels,
        form=form_of(field),
    )


def _kind(kind: pa.DataType, name: str) -> Kind:
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numerical"
    if time_units(kind):
        return time_kind(kind)
    if str(kind) in {"string", "large_string", "string_view"}:
        return "categorical"
    raise SchemaError(
        f"column {name!r}: cells of type {kind} are not supported; drop it or turn it into text."
    )


def _resolution(kind: pa.DataType, meaning: Kind) -> float | None:
    if meaning != "numerical" or pa.types.is_floating(kind):
        return None
    return float(f"1e{-kind.scale}") if pa.types.is_decimal(kind) else 1.0


def _kept(column: Column, schema: pa.Schema) -> Column:
    """Return a declared column with its type filled in and its observed parts taken out."""
    if column.name not in schema.names:
        raise SchemaError(f"table: it lacks column {column.name!r}, which the schema names.")
    field = schema.field(column.name)
    found = _column(field)
    updates: dict[str, object] = {part: None for part, source in column.sources() if source == "observed"}
    if column.type is None:
        updates |= {"type": found.type, "nullable": found.nullable}
    if column.resolution is None:
        updates["resolution"] = found.resolution
    if column.kind == "boolean" and column.levels is None:
        updates["levels"] = found.levels
    return column.model_copy(update=updates)
