"""Saying what a column is by looking at its rows. Everything found here is marked observed."""

from __future__ import annotations

import math
import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import FrameError, SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.arrow_types import from_text, value_type
from understudy.table.forms import form_of
from understudy.table.grid import Grid, grid_of, time_kind, time_units
from understudy.table.ids import template_of
from understudy.table.resolution import decimal_resolution, resolution_of
from understudy.table.schema import LEVEL_KINDS, TIME_KINDS, Bounds, Column, Kind, Levels, Missing, Schema
from understudy.table.table import Table

__all__ = ["complete", "infer"]

FEW = 10  # whole numbers with at most so many different values are ordered levels, not quantities
NEARLY_ALL = 0.95  # of the texts are different: they identify rows instead of describing them
FEWEST_ROWS = 20  # below this, "all different" says nothing about a column
_ID_NAME = re.compile(r"(^|[ _\-.])(id|uuid|guid|key|identifier)$|^(id|uuid|guid)($|[ _\-.])", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](ID|Id)$")


def infer(table: Table) -> Schema:
    """Return the schema of a table as its rows show it.

    >>> schema = infer(Table(pa.table({"member": [True, False, None]})))
    >>> schema.column("member").kind, schema.column("member").missing.source
    ('boolean', 'observed')
    """
    arrow = table.to_arrow()
    if arrow.num_columns == 0:
        raise SchemaError("table: it has no columns.")
    return Schema(
        columns=tuple(_infer_column(field, arrow.column(i)) for i, field in enumerate(arrow.schema))
    )


def complete(schema: Schema, table: Table) -> Schema:
    """Return the schema with every part that it leaves open looked up in the rows."""
    arrow = table.to_arrow()
    known = set(arrow.schema.names)
    for column in schema.columns:
        if column.name not in known:
            raise SchemaError(f"table: it lacks column {column.name!r}, which the schema names.")
    columns = (_complete_column(c, arrow.schema.field(c.name), arrow.column(c.name)) for c in schema.columns)
    return schema.model_copy(update={"columns": tuple(columns)})


def _infer_column(field: pa.Field, cells: pa.ChunkedArray) -> Column:
    kind = _kind_of(field, cells)
    bare = Column(name=field.name, kind=kind, type=_type_of(field), nullable=field.nullable)
    return _complete_column(bare, field, cells)


def _complete_column(column: Column, field: pa.Field, cells: pa.ChunkedArray) -> Column:
    found: dict[str, Any] = {}
    if column.type is None:
        found["type"] = _type_of(field)
        if "nullable" not in column.model_fields_set:
            found["nullable"] = field.nullable
    if column.form is None:
        found["form"] = form_of(field)
    column = column.model_copy(update=found)
    if column.missing is None and column.kind not in {"ignore", "all_missing"}:
        rate = pc.mean(pc.is_null(cells, nan_is_null=True).cast(pa.float64())).as_py() if len(cells) else 0.0
        column = column.model_copy(update={"missing": Missing(rate=rate, source="observed")})
    if column.kind in LEVEL_KINDS | {"constant"} and column.levels is None:
        return column.model_copy(update={"levels": _levels(column, cells)})
    if column.kind in TIME_KINDS or column.kind == "numerical":
        return _measured(column, cells)
    if column.kind == "id" and column.template is None:
        return column.model_copy(update={"template": template_of(cells)})
    return column


def _kind_of(field: pa.Field, cells: pa.ChunkedArray) -> Kind:
    kind = value_type(from_text(_type_of(field)))
    present = pc.drop_null(_plain_cells(cells))
    if pa.types.is_floating(kind):
        present = present.filter(pc.invert(pc.is_nan(present)))
    if len(present) == 0:
        return "all_missing"
    if pa.types.is_dictionary(field.type):
        return "ordinal" if field.type.ordered else "categorical"
    if pa.types.is_boolean(kind):
        return "boolean"
    distinct = int(pc.count_distinct(present).as_py())
    if distinct == 1 and len(present) == len(cells):
        return "constant"
    if time_units(kind):
        return time_kind(kind)
    return _text_kind(present, distinct) if _is_text(kind) else _number_kind(field.name, present, distinct)


def _type_of(field: pa.Field) -> str:
    """Return the type as a schema writes it; refuse cells that no schema can describe."""
    try:
        from_text(str(field.type))
    except FrameError:
        raise SchemaError(
            f"column {field.name!r}: cells of type {field.type} are not supported; drop it or make it text."
        ) from None
    return str(field.type)


def _plain_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the cells in a type that Arrow can count, sort and compare."""
    kind = value_type(cells.type)
    if str(kind) == "string_view":
        kind = pa.large_string()
    kind = pa.float32() if pa.types.is_float16(kind) else kind
    return cells.cast(kind)


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}


def _text_kind(present: pa.ChunkedArray, distinct: int) -> Kind:
    """Unique words are ids, mostly different sentences are free text, the rest are levels."""
    if len(present) < FEWEST_ROWS:
        return "categorical"
    spaces = pc.count_substring_regex(pc.utf8_trim_whitespace(present.cast(pa.large_string())), r"\s+")
    if distinct >= NEARLY_ALL * len(present):
        # Levels that hardly ever come twice teach nothing and would copy what identifies a row.
        return "text" if pc.any(pc.greater(spaces, 0)).as_py() else "id"
    sentences = pc.mean(spaces).as_py() >= 3
    return "text" if sentences and distinct > len(present) / 2 else "categorical"


def _number_kind(name: str, present: pa.ChunkedArray, distinct: int) -> Kind:
    kind = value_type(present.type)
    whole = pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0)
    if not _countable(present):
        return "id" if distinct == len(present) else "categorical"
    if not whole:
        return "numerical"
    if distinct == len(present) >= FEWEST_ROWS and (_named_like_id(name) or _is_sequence(present)):
        return "id"
    return "ordinal" if distinct <= FEW and len(present) >= FEWEST_ROWS else "numerical"


def _countable(present: pa.ChunkedArray) -> bool:
    """Say whether the numbers can be counted in steps of 64 bits; longer ones can only be told apart."""
    kind = present.type
    if pa.types.is_floating(kind):
        return True
    ends = pc.min_max(present).as_py()
    steps = 10 ** max(0, -round(math.log10(decimal_resolution(present)))) if pa.types.is_decimal(kind) else 1
    return bool(max(abs(ends["min"]), abs(ends["max"])) * steps < 2**62)


def _named_like_id(name: str) -> bool:
    return bool(_ID_NAME.search(name) or _CAMEL_ID.search(name))


def _is_sequence(present: pa.ChunkedArray) -> bool:
    ends = pc.min_max(present).as_py()
    return int(ends["max"]) - int(ends["min"]) + 1 == len(present)


def _levels(column: Column, cells: pa.ChunkedArray) -> Levels | None:
    kind = from_text(str(column.type))
    if pa.types.is_dictionary(kind):
        found = cells.unify_dictionaries().combine_chunks()
        flat = found if isinstance(found, pa.Array) else found.chunk(0)
        values = pc.unique(pc.drop_null(flat.dictionary))
    else:
        present = pc.unique(pc.drop_null(_plain_cells(cells)))
        values = present.take(pc.sort_indices(present)) if len(present) else present
    if pa.types.is_floating(values.type):
        values = values.filter(pc.is_finite(values))  # NaN is missing, and infinity is refused with the rows
    plain = list(dict.fromkeys(_plain(values)))
    if column.kind == "boolean" and all(isinstance(value, bool) for value in plain):
        # False and True are known without a look at the rows.
        return Levels(values=(False, True), source="declared")
    if not plain:
        raise SchemaError(
            f"column {column.name!r}: every row is missing; declare its levels or make it all_missing."
        )
    if column.kind == "constant" and len(plain) != 1:
        raise SchemaError(
            f"column {column.name!r}: it is said to be constant, and its rows hold {len(plain):,} values."
        )
    return Levels(values=tuple(plain), source="observed")


def _plain(values: pa.Array) -> list[Any]:
    """Return values that JSON can hold: numbers, text and booleans; all else as text."""
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or _is_text(kind):
        return list(values.to_pylist())
    if time_units(kind):
        return [Grid(kind).value_of(cell.value) for cell in values]
    return list(values.cast(pa.string()).to_pylist())


def _measured(column: Column, cells: pa.ChunkedArray) -> Column:
    """Fill in resolution and bounds of a quantity."""
    merged = cells.combine_chunks()
    flat = merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)
    kind = value_type(from_text(str(column.type)))
    try:
        flat = flat.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(
            f"column {column.name!r}: type {flat.type} does not fit the schema's {kind}."
        ) from None
    grid_of(column)  # refuses a type that cannot be counted, before anything is looked up
    if column.resolution is None:
        column = column.model_copy(update={"resolution": resolution_of(flat)})
    if column.bounds is not None:
        return column
    grid = grid_of(column)
    if grid is None:
        plain = _plain_cells(pa.chunked_array([flat]))
        ends = pc.min_max(plain.filter(pc.is_finite(plain))).as_py()
        low, high = ends["min"], ends["max"]
        if low is None:
            raise SchemaError(f"column {column.name!r}: no row holds a finite number; declare its bounds.")
        return column.model_copy(update={"bounds": Bounds(low=low, high=high, source="observed")})
    steps = grid.to_steps(flat, f"column {column.name!r}")
    steps = steps[steps != MISSING_STEP]
    if steps.size == 0:
        raise SchemaError(
            f"column {column.name!r}: every row is missing; declare its bounds or make it all_missing."
        )
    ends = [grid.value_of(int(end)) for end in (steps.min(), steps.max())]
    if any(isinstance(end, str) for end in ends):
        ends = [str(end) for end in ends]
    return column.model_copy(update={"bounds": Bounds(low=ends[0], high=ends[1], source="observed")})
