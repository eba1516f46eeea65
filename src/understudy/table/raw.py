"""Rows for a private vault: turned into arrays cell by cell, so that no row decides how another is read.

Nothing here raises because of a cell. A refusal that depends on private rows tells something about
them, so what does not fit is moved to where it fits: a number to the end of its range, an unknown
level to missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP, is_missing
from understudy.table.arrow_types import from_text, value_type
from understudy.table.columns import Columns, level_array, modelled
from understudy.table.grid import Grid, grid_of
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["encode", "ends_of", "raw_columns"]

_FARTHEST = 2**61


def raw_columns(arrow: pa.Table, schema: Schema) -> Columns:
    """Return the modelled columns; one without levels yet is an array of its values, None for missing."""
    absent = [column.name for column in schema.columns if column.name not in arrow.schema.names]
    if absent:
        raise SchemaError(f"table: it lacks column {absent[0]!r}, which the schema names.")
    return {column.name: _raw(_flat(arrow.column(column.name)), column) for column in modelled(schema)}


def encode(columns: Columns, schema: Schema) -> Columns:
    """Return raw columns in the terms of a schema that is now complete: codes, and numbers in bounds."""
    return {column.name: _encoded(columns[column.name], column) for column in modelled(schema)}


def ends_of(column: Column) -> tuple[Any, Any]:
    """Return the bounds of a quantity in its array's own terms: steps or floats."""
    assert column.bounds is not None, "a completed schema has bounds"
    grid = grid_of(column)
    if grid is None:
        return float(column.bounds.low), float(column.bounds.high)
    who = f"column {column.name!r}"
    return grid.step_of(column.bounds.low, who), grid.step_of(column.bounds.high, who)


def _flat(cells: pa.ChunkedArray) -> pa.Array:
    merged = cells.combine_chunks()
    flat = merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)
    return flat.cast(flat.type.value_type) if pa.types.is_dictionary(flat.type) else flat


def _raw(flat: pa.Array, column: Column) -> npt.NDArray[Any]:
    if column.kind in LEVEL_KINDS:
        return _words(flat) if column.levels is None else _codes(flat, column)
    flat = flat.cast(value_type(from_text(str(column.type))), safe=False)
    grid = grid_of(column)
    return _floats(flat) if grid is None else _steps(flat, grid)


def _words(flat: pa.Array) -> npt.NDArray[Any]:
    kind = flat.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    text = flat if plain else flat.cast(pa.string())
    coded = text.dictionary_encode()
    words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return np.asarray(words[np.asarray(pc.fill_null(coded.indices, len(words) - 1))])


def _codes(flat: pa.Array, column: Column) -> npt.NDArray[np.int32]:
    levels = level_array(column)
    found = pc.index_in(flat.cast(levels.type, safe=False), value_set=levels)
    return np.asarray(pc.fill_null(found, -1), dtype=np.int32)


def _floats(flat: pa.Array) -> npt.NDArray[np.float64]:
    values = np.array(pc.fill_null(flat.cast(pa.float64()), np.nan), dtype=np.float64)
    return np.nan_to_num(values, nan=np.nan, posinf=1e300, neginf=-1e300)


def _steps(flat: pa.Array, grid: Grid) -> npt.NDArray[np.int64]:
    """Return steps as `Grid` counts them, with what it would refuse moved to the far end."""
    missing = np.asarray(pc.is_null(flat, nan_is_null=True))
    if (
        pa.types.is_floating(flat.type)
        or pa.types.is_decimal(flat.type)
        or pa.types.is_unsigned_integer(flat.type)
    ):
        values = np.nan_to_num(np.array(pc.fill_null(flat.cast(pa.float64()), 0.0)), nan=0.0)
        scale = 10.0**grid.decimals if pa.types.is_floating(flat.type) else _scale(flat.type, grid)
        steps = np.rint(np.clip(values * scale, -_FARTHEST, _FARTHEST)).astype(np.int64)
    else:
        raw = flat if pa.types.is_integer(flat.type) else flat.view(_storage(flat.type))
        whole = np.array(pc.fill_null(raw.cast(pa.int64()), 0), dtype=np.int64)
        steps = np.floor_divide(np.clip(whole, -_FARTHEST, _FARTHEST), grid.divisor)
    return np.where(missing, MISSING_STEP, steps)


def _scale(kind: pa.DataType, grid: Grid) -> float:
    places = kind.scale if pa.types.is_decimal(kind) else 0
    return float(10.0**places / grid.divisor)


def _storage(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _encoded(values: npt.NDArray[Any], column: Column) -> npt.NDArray[Any]:
    if values.dtype == object:
        assert column.levels is not None, "a completed schema has levels"
        places = {level: code for code, level in enumerate(column.levels.values)}
        return np.fromiter((places.get(word, -1) for word in values), dtype=np.int32, count=len(values))
    if column.kind in LEVEL_KINDS:
        return values
    low, high = ends_of(column)
    return np.where(is_missing(values), values, np.clip(values, low, high))
