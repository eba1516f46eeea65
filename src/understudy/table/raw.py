"""Rows for a private vault: turned into arrays cell by cell, so that no row decides how another is read.

Nothing here raises because of a cell. A refusal that depends on private rows tells something about
them, so what does not fit is moved to where it fits: a number to the end of its range, an unknown
level to missing or to a known one.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP, is_missing
from understudy.table.columns import Columns, level_array, modelled, one_zero
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.public import is_text
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["encode", "ends_of", "level_values", "raw_columns"]

LARGEST_FLOAT = 1e300  # floats beyond it leave no room for the difference of two of them
_FARTHEST = 2**61  # steps


def raw_columns(arrow: pa.Table, schema: Schema) -> Columns:
    """Return the modelled columns; one without levels yet is an array of its values, None for missing."""
    absent = [column.name for column in schema.columns if column.name not in arrow.schema.names]
    if absent:
        raise SchemaError(f"table: it lacks column {absent[0]!r}, which the schema names.")
    return {column.name: _raw(_flat(arrow.column(column.name)), column) for column in modelled(schema)}


def encode(columns: Columns, schema: Schema, shares: Mapping[str, Sequence[float]] | None = None) -> Columns:
    """Return raw columns in the terms of a schema that is now complete: codes, and numbers in bounds.

    A value that is not among the levels is missing, or, where the shares of the levels are given, one of
    them: which one, the cells of its row say, so that the levels keep these shares.

    Guarantee: what becomes of a row depends on that row, the schema and the shares alone, so if both are
    public, one row more adds one row here.
    """
    known = {name: each for name, each in (shares or {}).items() if columns[name].dtype == object}
    lots = _lots(columns) if known else None
    return {
        c.name: _encoded(columns[c.name], c)
        if lots is None or c.name not in known
        else _with_untold(columns[c.name], c, np.cumsum(known[c.name]), lots)
        for c in modelled(schema)
    }


def ends_of(column: Column) -> tuple[Any, Any]:
    """Return the bounds of a quantity in its array's own terms: steps or floats."""
    assert column.bounds is not None, "a completed schema has bounds"
    grid, who = grid_of(column), f"column {column.name!r}"
    low, high = (_end(bound, grid, who) for bound in (column.bounds.low, column.bounds.high))
    if low > high:
        raise SchemaError(f"{who}: the low end of its bounds lies above the high end.")
    return low, high


def _end(bound: str | float, grid: Grid | None, who: str) -> int | float:
    if grid is not None:
        return grid.step_of(bound, who)
    return float(max(-LARGEST_FLOAT, min(LARGEST_FLOAT, float(bound))))


def _flat(cells: pa.ChunkedArray) -> pa.Array:
    merged = cells.combine_chunks()
    flat = merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)
    return flat.cast(flat.type.value_type) if pa.types.is_dictionary(flat.type) else flat


def _raw(flat: pa.Array, column: Column) -> npt.NDArray[Any]:
    if column.kind in LEVEL_KINDS:
        return level_values(flat) if column.levels is None else _codes(flat, column)
    grid = grid_of(column)
    return _floats(flat) if grid is None else _steps(flat, grid)


def level_values(flat: pa.Array) -> npt.NDArray[Any]:
    """Return each cell's value, None for missing; floats that no schema can write down are missing too.

    Of -0.0 and 0.0 there is one: they are equal, and which of them stands for both would be one row's say.
    """
    kind = flat.type
    if pa.types.is_floating(kind):
        flat = flat.cast(pa.float32()) if pa.types.is_float16(kind) else flat
        flat = one_zero(pc.if_else(pc.is_finite(flat), flat, pa.scalar(None, flat.type)))
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    coded = (flat if plain else _written(flat)).dictionary_encode()
    words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return np.asarray(words[np.asarray(pc.fill_null(coded.indices, len(words) - 1))])


def _written(flat: pa.Array) -> pa.Array:
    """Return the cells as text that a schema reads back."""
    if pa.types.is_duration(flat.type):
        return pc.binary_join_element_wise(flat.cast(pa.int64()).cast(pa.string()), flat.type.unit, " ")
    return flat.cast(pa.string())


def _codes(flat: pa.Array, column: Column) -> npt.NDArray[np.int32]:
    levels = level_array(column)
    if is_text(levels.type):
        flat = flat.cast(levels.type)
    elif levels.type != flat.type:
        # The levels are public, so they may be what does not fit; a cell may not.
        levels = _levels_as(levels, flat.type, column.name)
    found = pc.index_in(one_zero(flat), value_set=one_zero(levels))
    return np.asarray(pc.fill_null(found, -1), dtype=np.int32)


def _levels_as(levels: pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    try:
        return levels.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(f"column {name!r}: its levels do not fit the type {kind} of the table.") from None


def _floats(flat: pa.Array) -> npt.NDArray[np.float64]:
    values = np.array(pc.fill_null(flat.cast(pa.float64(), safe=False), np.nan), dtype=np.float64)
    return np.where(np.isnan(values), np.nan, np.clip(values, -LARGEST_FLOAT, LARGEST_FLOAT))


def _steps(flat: pa.Array, grid: Grid) -> npt.NDArray[np.int64]:
    """Return steps as `Grid` counts them, with what it would refuse moved to the far end."""
    missing = np.asarray(pc.is_null(flat, nan_is_null=True))
    whole = pa.types.is_signed_integer(flat.type) and pa.types.is_integer(grid.kind)
    if whole or time_units(grid.kind):
        steps = _whole(flat, grid)
    else:
        values = np.where(missing, 0.0, np.nan_to_num(_floats(flat)))
        steps = np.rint(np.clip(values * _per_unit(grid), -_FARTHEST, _FARTHEST)).astype(np.int64)
    return np.where(missing, MISSING_STEP, steps)


def _whole(flat: pa.Array, grid: Grid) -> npt.NDArray[np.int64]:
    if time_units(grid.kind):
        flat = flat.cast(grid.kind, safe=False).view(_storage(grid.kind))
    cells = np.array(pc.fill_null(flat.cast(pa.int64()), 0), dtype=np.int64)
    steps, rest = np.divmod(np.clip(cells, -_FARTHEST, _FARTHEST), grid.divisor)
    nearest = pa.types.is_integer(grid.kind) or pa.types.is_duration(grid.kind)
    return np.asarray(steps + (rest >= grid.divisor - grid.divisor // 2) if nearest else steps)


def _per_unit(grid: Grid) -> float:
    """Return how many steps there are in 1."""
    if pa.types.is_floating(grid.kind):
        return float(10.0**grid.decimals)
    places = grid.kind.scale if pa.types.is_decimal(grid.kind) else 0
    return float(10.0**places / grid.divisor)


def _storage(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _encoded(values: npt.NDArray[Any], column: Column) -> npt.NDArray[Any]:
    if values.dtype == object:
        return _coded(values, column)
    if column.kind in LEVEL_KINDS:
        return values
    low, high = ends_of(column)
    return np.where(is_missing(values), values, np.clip(values, low, high)).astype(values.dtype, copy=False)


def _coded(values: npt.NDArray[Any], column: Column) -> npt.NDArray[np.int32]:
    assert column.levels is not None, "a completed schema has levels"
    places: dict[Any, int] = {level: code for code, level in enumerate(column.levels.values)}
    return np.fromiter((places.get(word, -1) for word in values), dtype=np.int32, count=len(values))


def _with_untold(
    values: npt.NDArray[Any], column: Column, ends: npt.NDArray[np.float64], lots: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int32]:
    """Return codes in which values that are no levels are taken for levels, by the lot of their row."""
    codes = _coded(values, column)
    untold = (codes < 0) & (values != None)  # noqa: E711 - cell by cell
    own = _stirred(lots[untold] ^ np.uint64(zlib.crc32(column.name.encode())))
    drawn = (own >> np.uint64(11)) / 2.0**53 * ends[-1]
    codes[untold] = np.minimum(np.searchsorted(ends, drawn, "right"), len(ends) - 1)
    return codes


def _lots(columns: Columns) -> npt.NDArray[np.uint64]:
    """Return numbers that look random and are always the same for a row of the same cells."""
    found = np.zeros(len(next(iter(columns.values()))), dtype=np.uint64)
    for values in columns.values():
        found = _stirred(found ^ _bits(values))
    return found


def _bits(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    if values.dtype == object:
        known = {word: zlib.crc32(repr(word).encode()) for word in set(values)}
        return np.fromiter((known[word] for word in values), dtype=np.uint64, count=len(values))
    wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    return np.asarray(wide.view(np.uint64))


def _stirred(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return bits of which each depends on all that were given (the last steps of splitmix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((bits + np.uint64(0x9E3779B97F4A7C15)) ^ (bits >> np.uint64(31)))
