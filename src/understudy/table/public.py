"""What may be known of a table without looking at a cell: names, types, and what somebody declared."""

from __future__ import annotations

import pyarrow as pa

from understudy.errors import SchemaError
from understudy.table.arrow_plain import NULL
from understudy.table.arrow_types import from_text, value_type
from understudy.table.forms import form_of, metadata_of
from understudy.table.grid import time_kind, time_units
from understudy.table.schema import LEVEL_KINDS, Column, Kind, Levels, Missing, Schema
from understudy.table.table import Table

__all__ = ["as_declared", "by_type", "is_text", "kinds_beyond_types"]

_UNREAD = frozenset({"all_missing", "ignore", "text"})
_WORDED = LEVEL_KINDS | {"constant", "id"}
_MOST_DECIMALS = 22  # a finer step is no exact float
_MOST_WRITTEN = 15  # decimals that a float keeps


def by_type(table: Table, declared: Schema | None = None) -> Schema:
    """Return a schema made of types and declarations alone; everything else is left open.

    A private fit starts from it. Without a schema kinds follow from types, so no change of rows can change
    them; those of a schema are taken as it states them, and whoever wrote it vouches for them. Whatever else
    a schema only observed in the rows is left open again, to be bought. What is refused here is refused for
    its type, before a row is looked at.

    >>> by_type(Table(pa.table({"town": ["A", "A"]}))).column("town").kind
    'categorical'
    """
    arrow = table.to_arrow()
    if declared is None:
        return Schema(columns=tuple(_column(field) for field in arrow.schema))
    unknown = [name for name in arrow.schema.names if name not in {c.name for c in declared.columns}]
    if unknown:
        raise SchemaError(f"table: the schema does not name its column {unknown[0]!r}.")
    kept = {column.name: _kept(column, arrow.schema) for column in declared.columns}
    # In the table's order, whatever the order of the schema file is.
    return declared.model_copy(update={"columns": tuple(kept[name] for name in arrow.schema.names)})


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type is text, in any of its three layouts."""
    return str(kind) in {"string", "large_string", "string_view"}


def _column(field: pa.Field) -> Column:
    kind = "all_missing" if _is_null(field) else _kind(field.type, field.name)
    form = form_of(field)
    return Column(
        name=field.name,
        kind=kind,
        type=str(field.type),
        nullable=field.nullable,
        resolution=_resolution(value_type(field.type), kind, form),
        levels=Levels(values=(False, True)) if kind == "boolean" else None,
        missing=_never_missing(field),
        form=form,
    )


def _kind(kind: pa.DataType, name: str) -> Kind:
    if pa.types.is_dictionary(kind):
        # Whoever lists the values means levels, whatever type these have; between two of them lies nothing.
        found = _kind(kind.value_type, name)
        return found if found in {"boolean", "all_missing"} else "categorical"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_null(kind):
        return "all_missing"
    if _is_number(kind):
        return "numerical"
    if time_units(kind):
        return time_kind(kind)
    if is_text(kind):
        return "categorical"
    raise SchemaError(
        f"column {name!r}: cells of type {kind} are not supported; drop it or turn it into text."
    )


def _is_null(field: pa.Field) -> bool:
    """Say whether a column came without a type, and is text inside only because it must be something."""
    return NULL.items() <= (field.metadata or {}).items()


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _never_missing(field: pa.Field) -> Missing | None:
    """Return a rate of nought where the type has no room for a missing cell; NaN is one, in any float."""
    possible = field.nullable or pa.types.is_floating(value_type(field.type))
    return None if possible else Missing(rate=0.0)


def _resolution(kind: pa.DataType, meaning: Kind, form: dict[str, str] | None) -> float | None:
    if meaning != "numerical":
        return None
    if pa.types.is_floating(kind):
        # How a file writes its numbers is taken to be public, as its types are; the certificate says so.
        decimals = (form or {}).get("decimals", "")
        return float(f"1e-{decimals}") if decimals.isdecimal() and int(decimals) <= _MOST_DECIMALS else None
    return float(f"1e{-kind.scale}") if pa.types.is_decimal(kind) else 1.0


def _kept(column: Column, schema: pa.Schema) -> Column:
    """Return a declared column with its type filled in and its observed parts taken out."""
    if column.name not in schema.names:
        raise SchemaError(f"table: it lacks column {column.name!r}, which the schema names.")
    field = schema.field(column.name)
    if column.kind in _UNREAD:
        # Nothing of it is modelled, so nothing of it may be told: what is known of its rows stays behind.
        told = {"type": column.type or str(field.type), "nullable": field.nullable, "note": column.note}
        return Column(name=column.name, kind=column.kind, **told)
    found = _column(field)
    observed = [part for part, source in column.sources() if source == "observed"]
    updates: dict[str, object] = dict.fromkeys(observed)
    if observed:
        # Whoever looked at the rows for one part did so for these two, which carry no source of their own.
        updates |= {"resolution": None, "template": None}
    if column.kind == "constant" and "levels" in observed:
        updates |= {"kind": found.kind}
    kept = column.model_copy(update=updates)
    return _completed(kept, found)


def _completed(column: Column, found: Column) -> Column:
    """Return the column with what its type alone tells filled in, or refuse it for its type."""
    updates: dict[str, object] = {}
    if column.type is None:
        updates |= {"type": found.type, "nullable": found.nullable}
    elif not _fits(column, value_type(from_text(str(found.type)))):
        raise SchemaError(
            f"column {column.name!r}: cells of type {found.type} do not fit the schema's {column.type}; "
            "convert one to the other."
        )
    # What a declared type does not tell is left open: the table's own may be what its cells made of it.
    told = found if column.type is None else _of_declared_type(column)
    if column.resolution is None and column.kind == told.kind:
        updates["resolution"] = told.resolution
    if column.kind == "boolean" and column.levels is None:
        updates["levels"] = told.levels
    if column.missing is None and not column.nullable:
        updates["missing"] = told.missing
    if column.form is None:
        updates["form"] = told.form if column.type is None else _form_of_steps(column)
    return column.model_copy(update=updates)


def _of_declared_type(column: Column) -> Column:
    kind = from_text(str(column.type))
    return _column(pa.field(column.name, kind, column.nullable, metadata_of(column.form)))


def as_declared(column: Column) -> Column:
    """Return a column with all that its declared type tells filled in; without a type, as it is."""
    return column if column.type is None else _completed(column, _of_declared_type(column))


def kinds_beyond_types(schema: Schema) -> tuple[str, ...]:
    """Return the columns whose kind is not that of their type, of a schema that was looked up in rows.

    Nobody says of a kind where it comes from; in such a schema it was most probably looked up as well.
    """
    if not schema.observed():
        return ()
    typed = [column for column in schema.columns if column.type is not None]
    return tuple(column.name for column in typed if column.kind != _of_declared_type(column).kind)


def _form_of_steps(column: Column) -> dict[str, str] | None:
    """Return the decimals that steps of a power of ten need, where the type has none of its own."""
    if column.resolution is None or not pa.types.is_floating(value_type(from_text(str(column.type)))):
        return None
    decimals = next((n for n in range(1, _MOST_WRITTEN + 1) if column.resolution == float(f"1e-{n}")), None)
    return None if decimals is None else {"decimals": str(decimals)}


def _fits(column: Column, found: pa.DataType) -> bool:
    """Say whether every cell of one type can be read as the column's, whatever it holds."""
    wanted = value_type(from_text(str(column.type)))
    if wanted == found or (is_text(wanted) and column.kind in _WORDED):
        return True
    both_moments = pa.types.is_timestamp(wanted) and pa.types.is_timestamp(found) and wanted.tz == found.tz
    both_lengths = pa.types.is_duration(wanted) and pa.types.is_duration(found)
    return both_moments or both_lengths or (_is_number(wanted) and _is_number(found))
