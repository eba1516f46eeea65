"""Table <-> columns: the plain arrays that everything below a frame works with.

Codes for levels, steps for exact quantities, floats for the rest (docs/decisions/0001).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.missing import is_missing
from understudy.table.arrow_types import from_text, value_type
from understudy.table.forms import metadata_of
from understudy.table.grid import Grid, grid_of, read_cell
from understudy.table.ids import make_ids
from understudy.table.schema import LEVEL_KINDS, TIME_KINDS, Column, Schema

__all__ = ["Columns", "from_columns", "level_array", "level_counts", "modelled", "one_zero", "to_columns"]
__all__ += ["unknown_levels"]

Columns = dict[str, npt.NDArray[Any]]

_UNMODELLED = frozenset({"id", "constant", "all_missing", "ignore", "text"})


def modelled(schema: Schema) -> list[Column]:
    """Return the columns whose values a method learns; the others are made from the schema alone."""
    return [column for column in schema.columns if column.kind not in _UNMODELLED]


def level_counts(schema: Schema) -> dict[str, int]:
    """Return the number of levels of every modelled column that has levels."""
    return {
        c.name: len(c.levels.values)
        for c in modelled(schema)
        if c.kind in LEVEL_KINDS and c.levels is not None
    }


def to_columns(arrow: pa.Table, schema: Schema) -> Columns:
    """Return the modelled columns of a table as arrays; refuse whatever does not fit the schema."""
    _refuse_other_names(arrow, schema)
    return {column.name: _to_array(arrow.column(column.name), column) for column in modelled(schema)}


def from_columns(columns: Columns, schema: Schema, rows: int, rng: np.random.Generator) -> pa.Table:
    """Return the Arrow table of drawn columns, with ids made and constants filled in.

    Codes below 0 under the name of an id or a constant say where it is missing; else that is left to chance.
    """
    kept = [column for column in schema.columns if column.kind != "ignore"]
    arrays = [_to_arrow(columns.get(column.name), column, rows, rng) for column in kept]
    fields = [pa.field(c.name, from_text(str(c.type)), c.nullable, metadata_of(c.form)) for c in kept]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def level_array(column: Column) -> pa.Array:
    """Return the levels of a column as an Arrow array of its cell type."""
    assert column.levels is not None and column.type is not None, "a completed schema has levels"
    kind = value_type(from_text(column.type))
    try:
        return one_zero(_read_levels(list(column.levels.values), kind))
    except (ValueError, TypeError, NotImplementedError, OverflowError):
        raise SchemaError(f"column {column.name!r}: its levels do not fit the type {kind}.") from None


def one_zero(cells: Any) -> Any:
    """Return floats with -0.0 as 0.0: they are equal, and Arrow looks them up as two values."""
    if not pa.types.is_float32(cells.type) and not pa.types.is_float64(cells.type):
        return cells
    return pc.add(cells, pa.scalar(0.0, cells.type))


def _read_levels(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_temporal(kind):
        if not isinstance(values[0], str):
            raise TypeError("a time is written as text")
        return pa.concat_arrays([read_cell(value, kind) for value in values])
    # Text may stand for any type; a float, for one, is no decimal until it is written out.
    if isinstance(values[0], str) or pa.types.is_decimal(kind):
        return pa.array([str(value) for value in values], pa.string()).cast(kind)
    if all(isinstance(value, int) for value in values) and not _is_text(kind):
        return pa.array(values, kind)
    return pa.array(values).cast(kind)


def _refuse_other_names(arrow: pa.Table, schema: Schema) -> None:
    wanted, found = {column.name for column in schema.columns}, set(arrow.schema.names)
    if missing := sorted(wanted - found):
        raise SchemaError(f"table: it lacks {len(missing)} columns of the schema: {_listed(missing)}.")
    if extra := sorted(found - wanted):
        raise SchemaError(f"table: the schema does not name {len(extra)} of its columns: {_listed(extra)}.")


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else shown + ", ..."


def _to_array(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[Any]:
    who = f"column {column.name!r}"
    flat = _flat(cells)
    if not column.nullable and flat.null_count:
        raise SchemaError(
            f"{who}: {flat.null_count:,} rows are missing, and the schema says that none may be; mend one."
        )
    if column.kind in LEVEL_KINDS:
        return _codes(flat, column)
    kind = value_type(from_text(str(column.type)))
    try:
        flat = flat.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(f"{who}: type {flat.type} does not fit the schema's {kind}.") from None
    grid = grid_of(column)
    values = grid.to_steps(flat, who) if grid is not None else _floats(flat, who)
    _refuse_outside(values, column, grid)
    return values


def _flat(cells: pa.ChunkedArray) -> pa.Array:
    merged = cells.combine_chunks()
    return merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)


def unknown_levels(arrow: pa.Table, column: Column) -> npt.NDArray[np.bool_]:
    """Say which cells of a column of levels are there and none of them."""
    _, unknown = _looked_up(_flat(arrow.column(column.name)), column)
    return unknown


def _codes(flat: pa.Array, column: Column) -> npt.NDArray[np.int32]:
    codes, unknown = _looked_up(flat, column)
    if unknown.any():
        raise SchemaError(
            f"column {column.name!r}: {int(unknown.sum()):,} rows hold values that are not among its levels; "
            "add them or mend the rows."
        )
    return codes


def _looked_up(flat: pa.Array, column: Column) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return the code of each cell, -1 where it is missing or unknown, and which are unknown."""
    levels = level_array(column)
    if pa.types.is_dictionary(flat.type):
        flat = flat.cast(flat.type.value_type)
    try:
        flat = flat.cast(levels.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(
            f"column {column.name!r}: type {flat.type} does not fit the schema's {levels.type}."
        ) from None
    codes = np.asarray(pc.fill_null(pc.index_in(one_zero(flat), value_set=levels), -1), dtype=np.int32)
    there = np.asarray(pc.invert(pc.is_null(flat, nan_is_null=True)))
    return codes, (codes < 0) & there


def _floats(flat: pa.Array, who: str) -> npt.NDArray[np.float64]:
    values = np.array(pc.fill_null(flat.cast(pa.float64()), np.nan), dtype=np.float64)
    if np.isinf(values).any():
        count = int(np.isinf(values).sum())
        raise SchemaError(f"{who}: {count:,} rows are infinite; make them missing or drop them.")
    return values


def _refuse_outside(values: npt.NDArray[Any], column: Column, grid: Grid | None) -> None:
    if column.bounds is None or _ends_of_the_rows(values, column, grid):
        return
    who = f"column {column.name!r}"
    low, high = (_position(bound, grid, who) for bound in (column.bounds.low, column.bounds.high))
    if low > high:
        raise SchemaError(f"{who}: the low end of its bounds lies above the high end.")
    outside = int(((values < low) | (values > high))[~is_missing(values)].sum())
    if outside:
        raise SchemaError(
            f"{who}: {outside:,} rows lie outside its {column.bounds.source} bounds; "
            "widen them or mend the rows."
        )


def _ends_of_the_rows(values: npt.NDArray[Any], column: Column, grid: Grid | None) -> bool:
    """Say whether the bounds of a time are these rows' own; text of far-off years cannot be read back."""
    assert column.bounds is not None, "asked only where there are bounds"
    if grid is None or column.kind not in TIME_KINDS or column.bounds.source != "observed":
        return False
    present = values[~is_missing(values)]
    ends = [grid.value_of(int(end)) for end in (present.min(), present.max())] if present.size else []
    return ends == [column.bounds.low, column.bounds.high]


def _position(bound: str | float, grid: Grid | None, who: str) -> float:
    if grid is not None and pa.types.is_integer(grid.kind) and grid.divisor == 1 and isinstance(bound, int):
        return bound  # most columns of most tables: no need to build a cell for it
    if grid is not None:
        return grid.step_of(bound, who)
    try:
        return float(bound)
    except OverflowError:
        raise SchemaError(f"{who}: a bound is larger than any float.") from None


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}


def _to_arrow(
    values: npt.NDArray[Any] | None, column: Column, rows: int, rng: np.random.Generator
) -> pa.Array:
    kind = from_text(str(column.type))
    if column.kind == "id":
        return _encoded(_with_holes(make_ids(column, rows, rng), column, values, rng), column, kind)
    if column.kind == "all_missing":
        return pa.nulls(rows, kind)
    if column.kind == "constant":
        filled = pa.repeat(level_array(column)[0], rows)
        return _encoded(_with_holes(filled, column, values, rng), column, kind)
    assert values is not None and len(values) == rows, f"{column.name}: a sampler must draw every column"
    if column.kind in LEVEL_KINDS:
        return _from_codes(values, column, kind)
    grid = grid_of(column)
    cells = grid.from_steps(values) if grid is not None else pa.array(values, mask=np.isnan(values))
    if not column.nullable and pa.types.is_floating(cells.type):
        cells = pc.fill_null(cells, np.nan)  # a column that has no nulls says missing as NaN, as its rows did
    return _encoded(cells, column, kind)


def _with_holes(
    cells: pa.Array, column: Column, codes: npt.NDArray[Any] | None, rng: np.random.Generator
) -> pa.Array:
    """Return the cells with those missing that codes say, or as many, at random, as the schema says."""
    if codes is not None:
        return pc.if_else(pa.array(codes < 0), pa.scalar(None, cells.type), cells)
    if column.missing is None or column.missing.rate == 0 or not column.nullable:
        return cells
    holes = pa.array(rng.random(len(cells)) < column.missing.rate)
    return pc.if_else(holes, pa.scalar(None, cells.type), cells)


def _encoded(cells: pa.Array, column: Column, kind: pa.DataType) -> pa.Array:
    """Return the cells in the column's own type, as a dictionary where it is one."""
    if not pa.types.is_dictionary(kind):
        return cells.cast(kind)
    encoded = cells.dictionary_encode()
    return _dictionary(encoded.indices, encoded.dictionary.cast(kind.value_type), column, kind)


def _dictionary(indices: pa.Array, levels: pa.Array, column: Column, kind: pa.DataType) -> pa.Array:
    try:
        indices = indices.cast(kind.index_type)
    except pa.ArrowInvalid:
        raise SchemaError(
            f"column {column.name!r}: {len(levels):,} different values do not fit the type {kind}; widen it."
        ) from None
    return pa.DictionaryArray.from_arrays(indices, levels, ordered=kind.ordered)


def _from_codes(codes: npt.NDArray[Any], column: Column, kind: pa.DataType) -> pa.Array:
    indices = pa.array(codes, mask=codes < 0)
    if pa.types.is_dictionary(kind):
        return _dictionary(indices, level_array(column), column, kind)
    return level_array(column).take(indices)
