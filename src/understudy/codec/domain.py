"""What a schema alone tells the codec about one column."""

from __future__ import annotations

from typing import Any

import numpy as np

from understudy.errors import SchemaError
from understudy.table.grid import grid_of
from understudy.table.schema import LEVEL_KINDS, Column

__all__ = ["bounds_of", "can_be_missing", "dtype_of", "levels_of"]

MOST_CODES = 2**24  # a float32 holds every whole number up to here


def can_be_missing(column: Column) -> bool:
    """Say whether the schema leaves room for missing entries; an unknown rate does."""
    return column.missing is None or column.missing.rate > 0


def dtype_of(column: Column) -> np.dtype[Any]:
    """Return the type of the column's array: codes, steps or floats.

    >>> dtype_of(Column(name="member", kind="boolean"))
    dtype('int32')
    """
    if column.kind in LEVEL_KINDS:
        return np.dtype(np.int32)
    if column.type is None:
        raise SchemaError(
            f"column {column.name!r}: the schema names no type; complete it from a table first."
        )
    return np.dtype(np.float64 if grid_of(column) is None else np.int64)


def levels_of(column: Column) -> int:
    """Return the number of levels, which must be known and few enough for a matrix."""
    if column.levels is None:
        raise SchemaError(
            f"column {column.name!r}: the schema lists no levels; complete it from a table first."
        )
    count = len(column.levels.values)
    if count >= MOST_CODES:
        raise SchemaError(
            f"column {column.name!r}: {count:,} levels; a codec holds fewer than {MOST_CODES:,}."
        )
    return count


def bounds_of(column: Column) -> tuple[int, int] | tuple[float, float] | None:
    """Return the bounds in steps or floats; None when the schema leaves them open."""
    if column.bounds is None:
        return None
    who = f"column {column.name!r}"
    ends = (column.bounds.low, column.bounds.high)
    grid = grid_of(column)
    if grid is not None:
        low, high = (grid.step_of(end, who) for end in ends)
        if low > high:
            raise SchemaError(f"{who}: its low bound lies above its high bound.")
        return low, high
    try:
        first, last = (float(end) for end in ends)
    except OverflowError:
        raise SchemaError(f"{who}: its bounds are too large for a float.") from None
    return first, last
