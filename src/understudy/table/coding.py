"""The one code of a set of tables: which levels get which numbers, and which quantities which range."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.cells import as_levels, as_numbers, flat_cells, is_number, is_words
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.columns import level_array
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["FARTHEST", "Coding", "cut_short"]

FARTHEST = 1e9  # training ranges beyond an end: whatever lies farther off, infinity too, counts as this far
_LARGEST = 1e100  # squares of larger numbers, and sums of squares, leave the floats

_LEFT_OUT = {"id", "text", "ignore"}
_OF_LEVELS = LEVEL_KINDS | {"constant", "all_missing"}

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Coding:
    """Turns tables of one schema into coded tables.

    Levels are numbered in the schema's order; levels of real rows that it does not name follow, sorted; then
    those of the synthetic table alone. Times count in ticks of their Arrow type. A quantity beyond 1e100 is
    told in a larger unit (`units`), and one farther off the training range than `FARTHEST` ranges counts
    as lying there: no measure depends on the unit, and none has to fear that a square overflows.
    """

    columns: tuple[Column, ...]
    domain: tuple[CodedColumn, ...]
    levels: dict[str, pa.Array]
    left_out: tuple[str, ...]
    units: dict[str, float]

    @classmethod
    def of(cls, schema: Schema, real: list[pa.Table], synthetic: pa.Table) -> Coding:
        """Return the code of these tables; the first real one gives the ranges."""
        judged = tuple(_typed(column, real[0]) for column in schema.columns if column.kind not in _LEFT_OUT)
        if not judged:
            raise SchemaError("evidence: no column can be judged; all are ids, free text or ignored.")
        levels: dict[str, pa.Array] = {}
        units: dict[str, float] = {}
        domain = []
        for column in judged:
            cells = [flat_cells(table.column(column.name)) for table in (*real, synthetic)]
            if column.kind in _OF_LEVELS:
                known, levels[column.name] = _levels(column, cells)
                meaning = CodedColumn(column.name, levels=len(levels[column.name]), known=known)
            else:
                low, high, units[column.name] = _range(_numbers(cells[0], column))
                meaning = CodedColumn(column.name, quantity=True, low=low, high=high)
            ordered = meaning.quantity or column.kind == "ordinal"
            holes = any(each.null_count for each in cells)
            domain.append(replace(meaning, has_missing=holes, ordered=ordered))
        names = {column.name for column in judged}
        others = tuple(column.name for column in schema.columns if column.name not in names)
        return cls(judged, tuple(domain), levels, others, units)

    @property
    def names(self) -> tuple[str, ...]:
        """The judged columns, in the schema's order."""
        return tuple(column.name for column in self.columns)

    def apply(self, table: pa.Table) -> CodedTable:
        """Return a table in this code."""
        arrays = {
            column.name: self._array(flat_cells(table.column(column.name)), column, meaning)
            for column, meaning in zip(self.columns, self.domain, strict=True)
        }
        return CodedTable(self.domain, arrays)

    def _array(self, flat: pa.Array, column: Column, meaning: CodedColumn) -> npt.NDArray[Any]:
        if meaning.quantity:
            return _within(_numbers(flat, column) * self.units[column.name], meaning)
        known = self.levels[column.name]
        if len(known) == 0:
            return np.full(len(flat), -1, dtype=np.int32)
        cells = _in_words(flat, column) if is_words(known.type) else as_levels(flat, known.type)
        if cells is None:
            raise SchemaError(
                f"evidence: column {column.name!r} has levels of type {known.type}; got a table with cells "
                f"of type {flat.type} that are none."
            )
        return np.asarray(pc.fill_null(pc.index_in(cells, value_set=known), -1), dtype=np.int32)


def cut_short(table: CodedTable) -> list[str]:
    """Return the quantities with cells so far outside of the training range that they were moved nearer."""
    return [column.name for column in table.quantities if _is_far(table[column.name], column).any()]


def _is_far(values: Floats, meaning: CodedColumn) -> npt.NDArray[np.bool_]:
    low, high = _limits(meaning)
    return (values <= low) | (values >= high)


def _typed(column: Column, table: pa.Table) -> Column:
    """Return the column with the type of these rows if the schema leaves it open."""
    if column.type is not None:
        return column
    return column.model_copy(update={"type": str(table.schema.field(column.name).type)})


def _kind(column: Column) -> pa.DataType:
    return value_type(from_text(str(column.type)))


def _numbers(flat: pa.Array, column: Column) -> Floats:
    return as_numbers(flat, _kind(column), column.name)


def _range(values: Floats) -> tuple[float, float, float]:
    """Return the ends of the finite values in a unit that keeps them from overflowing, and that unit."""
    present = values[np.isfinite(values)]
    if len(present) == 0:
        return math.nan, math.nan, 1.0
    low, high = float(present.min()), float(present.max())
    largest = max(abs(low), abs(high))
    unit = 2.0 ** -math.frexp(largest)[1] if largest > _LARGEST else 1.0
    return low * unit, high * unit, unit


def _within(values: Floats, meaning: CodedColumn) -> Floats:
    return np.clip(values, *_limits(meaning))


def _limits(meaning: CodedColumn) -> tuple[float, float]:
    if math.isnan(meaning.low):
        return -_LARGEST, _LARGEST
    return meaning.low - FARTHEST * meaning.span, meaning.high + FARTHEST * meaning.span


def _levels(column: Column, cells: list[pa.Array]) -> tuple[int, pa.Array]:
    """Return how many levels are stated or real, and all levels: the last cells are the synthetic ones."""
    stated = [level_array(column)] if column.levels is not None else []
    kind, read = _common(column, [*stated, *cells])
    known = _behind(pc.unique(read[0]) if stated else pa.array([], kind), read[len(stated) : -1])
    return len(known), _behind(known, read[-1:])


def _behind(known: pa.Array, cells: list[pa.Array]) -> pa.Array:
    """Return the known levels and behind them, sorted, those of the cells that are new."""
    met = pc.drop_null(pc.unique(pa.concat_arrays(cells)))
    new = met.filter(pc.invert(pc.is_in(met, value_set=known)))
    return pa.concat_arrays([known, new.take(pc.sort_indices(new))])


def _common(column: Column, cells: list[pa.Array]) -> tuple[pa.DataType, list[pa.Array]]:
    """Return a type that tells the cells of all tables apart, and the cells in it.

    The schema's own type if all fit it, a float if all are numbers, or else text.
    """
    wanted = _kind(column)
    numeric = is_number(wanted) or pa.types.is_boolean(wanted)
    for kind in (wanted, pa.float64()) if numeric else (wanted,):
        if is_words(kind):
            break
        read = [as_levels(each, kind) for each in cells]
        if all(each is not None for each in read):
            return kind, read
    return pa.large_string(), [_in_words(each, column) for each in cells]


def _in_words(flat: pa.Array, column: Column) -> pa.Array:
    """Return the cells as text; a whole number is written without a point, a truth value in small letters."""
    words = flat.cast(pa.large_string())
    return pc.utf8_lower(words) if pa.types.is_boolean(_kind(column)) else words
