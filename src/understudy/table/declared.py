"""Which rows break what a schema declares of single columns: bounds, levels, no missing cells, a resolution.

What was only observed in the rows is no declaration; a resolution carries no source, and is one where no
other part of its column was observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.cells import as_levels, as_numbers, flat_cells, is_words
from understudy.table.columns import level_array
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.schema import TIME_KINDS, Column, Schema

__all__ = ["declarations"]

Mask = npt.NDArray[np.bool_]
Broken = Callable[[pa.Array], Mask]

_FLOAT_NOISE = 1e-6  # of a step: 0.1 + 0.2 is still meant to lie on a grid of 0.1
_ROUNDINGS = 4


def declarations(schema: Schema) -> Iterator[tuple[str, str, Callable[[pa.Table], Mask]]]:
    """Yield each column, the part of it that is declared, and what says which rows of a table break it.

    The schema names the types, as that of evidence does.

    >>> age = {"name": "age", "kind": "numerical", "type": "int64", "bounds": {"low": 0, "high": 9}}
    >>> ((name, part, broken),) = declarations(Schema.model_validate({"columns": [age]}))
    >>> name, part, broken(pa.table({"age": [5, 10, None]})).tolist()
    ('age', 'bounds', [False, True, False])
    """
    for column in schema.columns:
        if column.kind in {"ignore", "text", "id"}:
            continue
        for part, broken in _parts(column):
            yield column.name, part, _of_table(column.name, broken)


def _of_table(name: str, broken: Broken) -> Callable[[pa.Table], Mask]:
    return lambda table: broken(flat_cells(table.column(name)))


def _parts(column: Column) -> Iterator[tuple[str, Broken]]:
    sources = dict(column.sources())
    if column.bounds is not None and column.bounds.source != "observed":
        yield "bounds", lambda cells: _outside(column, cells)
    if column.levels is not None and column.levels.source != "observed":
        yield "levels", lambda cells: _of_no_level(column, cells)
    if not column.nullable:
        yield "missing", lambda cells: np.asarray(cells.is_null())
    if column.resolution is not None and "observed" not in sources.values():
        yield "resolution", lambda cells: _beside(column, cells)


def _outside(column: Column, cells: pa.Array) -> Mask:
    assert column.bounds is not None, "asked only where there are bounds"
    kind, who = _kind(column), f"column {column.name!r}"
    values = as_numbers(cells, kind, column.name)
    ends = (column.bounds.low, column.bounds.high)
    if column.kind in TIME_KINDS:
        low, high = (float(Grid(kind).step_of(end, who)) for end in ends)
    else:
        low, high = (float(end) for end in ends)
    if pa.types.is_float32(kind):
        low, high = float(np.float32(low)), float(np.float32(high))
    return np.asarray((values < low) | (values > high))


def _of_no_level(column: Column, cells: pa.Array) -> Mask:
    known = level_array(column)
    found = as_levels(cells, known.type)
    if found is None:
        # Some cell does not fit the type of the levels, so it is none of them: told apart as text.
        known, found = (each.cast(pa.large_string()) for each in (known, cells))
    if is_words(known.type):
        known, found = known.cast(pa.large_string()), found.cast(pa.large_string())
    return np.asarray(pc.and_(found.is_valid(), pc.invert(pc.is_in(found, value_set=known))))


def _beside(column: Column, cells: pa.Array) -> Mask:
    """Return which values lie between two steps, as far as floats can tell."""
    kind = _kind(column)
    values = as_numbers(cells, kind, column.name)
    if column.kind in TIME_KINDS:
        grid = grid_of(column)
        assert grid is not None and time_units(kind), "a time has a grid"
        step = float(grid.divisor)
    else:
        step = float(column.resolution or 1.0)
    with np.errstate(over="ignore"):
        steps = np.where(np.isfinite(values), values, 0.0) / step
    eps = np.finfo(np.float32 if pa.types.is_float32(kind) else np.float64).eps
    room = _FLOAT_NOISE + _ROUNDINGS * eps * np.abs(steps)
    return np.asarray(np.isfinite(steps) & (np.abs(steps - np.rint(steps)) > room))


def _kind(column: Column) -> pa.DataType:
    if column.type is None:
        raise SchemaError(f"column {column.name!r}: the schema leaves its type open; complete it first.")
    return value_type(from_text(column.type))
