"""The one code of a set of tables: which levels get which numbers, and which quantities which range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.columns import one_zero
from understudy.table.schema import LEVEL_KINDS, TIME_KINDS, Column, Schema

__all__ = ["Coding"]

_LEFT_OUT = {"id", "text", "ignore"}
_OF_LEVELS = LEVEL_KINDS | {"constant", "all_missing"}


@final
@dataclass(frozen=True)
class Coding:
    """Turns tables of one schema into coded tables.

    Levels are numbered in the schema's order; levels of real rows that it does not name follow, sorted; then
    those of the synthetic table alone. Times count in ticks of their Arrow type.
    """

    columns: tuple[Column, ...]
    domain: tuple[CodedColumn, ...]
    levels: dict[str, pa.Array]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, schema: Schema, real: list[pa.Table], synthetic: pa.Table) -> Coding:
        """Return the code of these tables; the first real one gives the ranges."""
        judged = tuple(column for column in schema.columns if column.kind not in _LEFT_OUT)
        if not judged:
            raise SchemaError("evidence: no column can be judged; all are ids, free text or ignored.")
        levels: dict[str, pa.Array] = {}
        domain = []
        for column in judged:
            cells = [_flat(table.column(column.name)) for table in (*real, synthetic)]
            if column.kind in _OF_LEVELS:
                known, levels[column.name] = _levels(column, cells)
                meaning = CodedColumn(column.name, levels=len(levels[column.name]), known=known)
            else:
                low, high = _range(_numbers(cells[0], column))
                meaning = CodedColumn(column.name, quantity=True, low=low, high=high)
            missing = any(_missing(each).any() for each in cells)
            ordered = meaning.quantity or column.kind == "ordinal"
            domain.append(replace(meaning, has_missing=missing, ordered=ordered))
        names = {column.name for column in judged}
        others = tuple(column.name for column in schema.columns if column.name not in names)
        return cls(judged, tuple(domain), levels, others)

    @property
    def names(self) -> tuple[str, ...]:
        """The judged columns, in the schema's order."""
        return tuple(column.name for column in self.columns)

    def apply(self, table: pa.Table) -> CodedTable:
        """Return a table in this code."""
        return CodedTable(self.domain, {c.name: self._array(table.column(c.name), c) for c in self.columns})

    def _array(self, cells: pa.ChunkedArray, column: Column) -> npt.NDArray[Any]:
        flat = _flat(cells)
        if column.name not in self.levels:
            return _numbers(flat, column)
        known = self.levels[column.name]
        if len(known) == 0:
            return np.full(len(flat), -1, dtype=np.int32)
        found = pc.index_in(_as(flat, known.type, column.name), value_set=known)
        return np.asarray(pc.fill_null(found, -1), dtype=np.int32)


def _flat(cells: pa.ChunkedArray) -> pa.Array:
    merged = cells.combine_chunks()
    flat = merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)
    return flat.cast(value_type(flat.type)) if pa.types.is_dictionary(flat.type) else flat


def _missing(flat: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.is_null(flat, nan_is_null=True))


def _levels(column: Column, cells: list[pa.Array]) -> tuple[int, pa.Array]:
    """Return how many levels real rows have, and all levels: the last cells are the synthetic ones."""
    kind = _common(column, cells)
    stated = [_as(_stated(column), kind, column.name)] if column.levels is not None else []
    real = _behind(stated, [_as(each, kind, column.name) for each in cells[:-1]], kind)
    return len(real), _behind([real], [_as(cells[-1], kind, column.name)], kind)


def _stated(column: Column) -> pa.Array:
    assert column.levels is not None, "asked only of columns with levels"
    values = list(column.levels.values)
    return pa.array([str(v) for v in values] if isinstance(values[0], str) else values)


def _behind(known: list[pa.Array], cells: list[pa.Array], kind: pa.DataType) -> pa.Array:
    """Return the known levels and behind them, sorted, those of the cells that are new."""
    base = pc.drop_null(known[0]) if known else pa.array([], kind)
    met = pc.drop_null(pc.unique(pa.concat_arrays(cells)))
    if pa.types.is_floating(kind):
        met = met.filter(pc.invert(pc.is_nan(met)))
    new = met.filter(pc.invert(pc.is_in(met, value_set=base)))
    return pa.concat_arrays([base, new.take(pc.sort_indices(new))])


def _common(column: Column, cells: list[pa.Array]) -> pa.DataType:
    """Return a type that tells the cells of all tables apart: the schema's own, a float, or text."""
    wanted = value_type(from_text(column.type)) if column.type is not None else cells[0].type
    if pa.types.is_null(wanted):
        wanted = next((each.type for each in cells if not pa.types.is_null(each.type)), pa.string())
    for kind in (wanted, pa.float64()):
        try:
            for each in cells:
                _as(each, kind, column.name)
            return kind
        except SchemaError:
            continue
    return pa.string()


def _as(flat: pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    try:
        return one_zero(flat if flat.type == kind else flat.cast(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(
            f"evidence: column {name!r} is of type {kind} in the schema and of {flat.type} in a table."
        ) from None


def _numbers(flat: pa.Array, column: Column) -> npt.NDArray[np.float64]:
    if column.kind in TIME_KINDS and not pa.types.is_null(flat.type):
        kind = value_type(from_text(str(column.type)))
        # A table may keep the same moments in another unit; what is finer than the schema's is cut.
        flat = _timed(flat, kind, column.name).view(pa.int32() if kind.bit_width == 32 else pa.int64())
    if not (pa.types.is_null(flat.type) or _is_number(flat.type)):
        raise SchemaError(f"evidence: column {column.name!r} holds numbers, and {flat.type} in a table.")
    values = np.array(pc.fill_null(flat.cast(pa.float64(), safe=False), np.nan), dtype=np.float64)
    return np.where(np.isinf(values), np.sign(values) * np.finfo(np.float64).max / 4, values)


def _timed(flat: pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    try:
        return flat.cast(kind, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(f"evidence: column {name!r} holds times, and {flat.type} in a table.") from None


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    return any(test(kind) for test in tests)


def _range(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    present = values[~np.isnan(values)]
    return (float(present.min()), float(present.max())) if len(present) else (np.nan, np.nan)
