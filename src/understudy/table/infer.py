"""Saying what a column is by looking at its rows. Everything found here is marked observed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import FrameError, SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.arrow_types import from_text, value_type
from understudy.table.contradictions import refuse_contradictions
from understudy.table.forms import form_of
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.ids import template_of
from understudy.table.kinds import dictionary_values, is_text, kind_of, plain_cells
from understudy.table.resolution import resolution_of
from understudy.table.schema import LEVEL_KINDS, TIME_KINDS, Bounds, Column, Levels, Missing, Schema
from understudy.table.spelled import spelled_out
from understudy.table.table import Table

__all__ = ["complete", "infer", "infer_as_typed"]

_FARTHEST = 2**62  # whole numbers from here on are refused by the grid


def infer(table: Table) -> Schema:
    """Return the schema of a table as its rows show it; text that spells times is times (`spelled`).

    >>> schema = infer(Table(pa.table({"member": [True, False, None]})))
    >>> schema.column("member").kind, schema.column("member").missing.source
    ('boolean', 'observed')
    """
    return infer_as_typed(spelled_out(table.to_arrow()))


def infer_as_typed(arrow: pa.Table) -> Schema:
    """Return the schema of rows that are of the types that they mean."""
    if arrow.num_columns == 0:
        raise SchemaError("table: it has no columns.")
    return Schema(
        columns=tuple(_infer_column(field, arrow.column(i)) for i, field in enumerate(arrow.schema))
    )


def complete(schema: Schema, table: Table) -> Schema:
    """Return the schema with every part that it leaves open looked up in the rows, in the table's order.

    What the schema does say and the rows deny is refused.
    """
    arrow = table.to_arrow()
    places = {name: place for place, name in enumerate(arrow.schema.names)}
    for column in schema.columns:
        if column.name not in places:
            raise SchemaError(f"table: it lacks column {column.name!r}, which the schema names.")
    said = sorted(schema.columns, key=lambda column: places[column.name])
    columns = (_checked_column(c, arrow.schema.field(c.name), arrow.column(c.name)) for c in said)
    return schema.model_copy(update={"columns": tuple(columns)})


def _infer_column(field: pa.Field, cells: pa.ChunkedArray) -> Column:
    kind = _type_of(field)
    bare = Column(name=field.name, kind=kind_of(field.name, cells), type=kind, nullable=field.nullable)
    return _complete_column(bare, field, cells)


def _checked_column(said: Column, field: pa.Field, cells: pa.ChunkedArray) -> Column:
    full = _complete_column(said, field, cells)
    refuse_contradictions(said, full, cells)
    return full


def _complete_column(column: Column, field: pa.Field, cells: pa.ChunkedArray) -> Column:
    found: dict[str, Any] = {}
    if column.type is None:
        found["type"] = _type_of(field)
        if "nullable" not in column.model_fields_set:
            found["nullable"] = field.nullable
    if column.form is None:
        found["form"] = form_of(field)
    if column.missing is None and column.kind not in {"ignore", "all_missing"}:
        found["missing"] = Missing(rate=_missing_rate(cells), source="observed")
    column = column.model_copy(update=found)
    if column.kind in LEVEL_KINDS | {"constant"} and column.levels is None:
        return column.model_copy(update={"levels": _levels(column, cells)})
    if column.kind in TIME_KINDS or column.kind == "numerical":
        return _measured(column, cells)
    if column.kind == "id" and column.template is None:
        return column.model_copy(update={"template": template_of(cells)})
    return column


def _missing_rate(cells: pa.ChunkedArray) -> float:
    """Return the share of rows that are missing; only floats have NaN beside null."""
    if pa.types.is_primitive(cells.type) and not pa.types.is_floating(cells.type):
        return int(cells.null_count) / max(len(cells), 1)
    return float(pc.mean(pc.is_null(cells, nan_is_null=True).cast(pa.float64())).as_py() or 0.0)


def _type_of(field: pa.Field) -> str:
    """Return the type as a schema writes it; refuse cells that no schema can describe."""
    try:
        from_text(str(field.type))
    except FrameError:
        raise SchemaError(
            f"column {field.name!r}: cells of type {field.type} are not supported; drop it or make it text."
        ) from None
    return str(field.type)


def _levels(column: Column, cells: pa.ChunkedArray) -> Levels | None:
    kind = from_text(str(column.type))
    if pa.types.is_dictionary(kind):
        values = dictionary_values(cells)
    else:
        present = pc.unique(pc.drop_null(plain_cells(cells)))
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
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or is_text(kind):
        # 0.0 and -0.0 are one value, whichever of them came first.
        return [value + 0.0 if isinstance(value, float) else value for value in values.to_pylist()]
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
        plain = plain_cells(pa.chunked_array([flat]))
        ends = pc.min_max(plain.filter(pc.is_finite(plain))).as_py()
        low, high = ends["min"], ends["max"]
        if low is None:
            raise SchemaError(f"column {column.name!r}: no row holds a finite number; declare its bounds.")
        return column.model_copy(update={"bounds": Bounds(low=low, high=high, source="observed")})
    if whole := _whole_bounds(flat, grid):
        return column.model_copy(update={"bounds": whole})
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


def _whole_bounds(flat: pa.Array, grid: Grid) -> Bounds | None:
    """Return the ends of whole numbers, whose steps are their cells: the short way of wide tables."""
    if not pa.types.is_integer(grid.kind) or grid.divisor != 1:
        return None
    low, high = pc.min_max(flat).as_py().values()
    if low is None or low <= -_FARTHEST or high >= _FARTHEST:
        return None  # the grid says what is wrong with them
    return Bounds(low=low, high=high, source="observed")
