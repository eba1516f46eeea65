"""Which rows of a table break a rule.

A comparison in which a cell is missing cannot be told, and what cannot be told is not broken; as the
condition of an implication it is not met. Sums of floats are compared with room for their rounding.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.cells import as_levels, as_numbers, flat_cells, is_words, time_family
from understudy.table.grid import Grid
from understudy.table.rule import Comparison, Condition, Implies, IsMissing, Linear, Match, Rule
from understudy.table.rules_text import parse_rule
from understudy.table.schema import TIME_KINDS, Column, Schema

__all__ = ["broken_rows", "rules_of"]

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_ROUNDINGS = 8  # of each number of a sum
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class _Told:
    """For each row whether a condition is known to hold, and whether it is known not to."""

    met: Mask
    broken: Mask


def rules_of(schema: Schema) -> tuple[Rule, ...]:
    """Return the rules of a schema, as values.

    >>> schema = Schema.from_json('{"columns": [{"name": "a", "kind": "numerical"}], "rules": ["a >= 5"]}')
    >>> rules_of(schema)[0].columns
    ('a',)
    """
    return tuple(parse_rule(text) for text in schema.rules)


def broken_rows(rule: Rule, table: pa.Table, schema: Schema) -> Mask:
    """Return which rows of a table break a rule; the schema says what the columns are.

    >>> schema = Schema.from_json('{"columns": [{"name": "a", "kind": "numerical", "type": "int64"}]}')
    >>> broken_rows(parse_rule("a >= 5"), pa.table({"a": [4, 5, None]}), schema).tolist()
    [True, False, False]
    """
    if isinstance(rule, Implies):
        condition, consequence = (_told(part, table, schema) for part in (rule.condition, rule.consequence))
        return condition.met & consequence.broken
    return _told(rule, table, schema).broken


def _told(condition: Condition, table: pa.Table, schema: Schema) -> _Told:
    for name in condition.columns:
        if name not in table.schema.names:
            raise SchemaError(f"rule: the table lacks column {name!r}.")
    if isinstance(condition, IsMissing):
        holes = np.asarray(flat_cells(table.column(condition.column)).is_null())
        met = holes if condition.missing else ~holes
        return _Told(met, ~met)
    if isinstance(condition, Comparison):
        return _compared(condition, table, schema)
    column, cells = schema.column(condition.column), flat_cells(table.column(condition.column))
    if column.kind in TIME_KINDS:
        return _compared_times(condition, _kind(column, table), cells)
    return _matched(condition, column, cells)


def _compared(rule: Comparison, table: pa.Table, schema: Schema) -> _Told:
    columns = {name: _numbers(schema.column(name), table) for name in rule.columns}
    left, right = (_sum(side, columns, table.num_rows) for side in (rule.left, rule.right))
    with np.errstate(over="ignore", invalid="ignore"):
        gap = left[0] - right[0]
        room = _ROUNDINGS * _precision(rule, table, schema) * (left[1] + right[1])
    # Infinity less infinity is no number, but the two are equal.
    gap = np.where(left[0] == right[0], 0.0, gap)
    holds = _COMPARE[rule.operator](np.where(np.abs(gap) <= room, 0.0, gap), 0.0)
    known = ~(np.isnan(left[0]) | np.isnan(right[0]))
    return _Told(known & holds, known & ~holds)


def _sum(side: Linear, columns: dict[str, Floats], rows: int) -> tuple[Floats, Floats]:
    """Return the sum of each row, and that of the sizes of what is summed."""
    total, size = np.full(rows, side.constant), np.full(rows, abs(side.constant))
    with np.errstate(over="ignore", invalid="ignore"):
        for term in side.terms:
            part = term.factor * columns[term.column]
            total, size = total + part, size + np.abs(part)
    return total, np.where(np.isfinite(size), size, 0.0)


def _precision(rule: Comparison, table: pa.Table, schema: Schema) -> float:
    """Return how exact the numbers of a comparison are: a bare comparison of doubles is exact."""
    kinds = [_kind(schema.column(name), table) for name in rule.columns]
    if any(pa.types.is_float32(kind) for kind in kinds):
        return float(np.finfo(np.float32).eps)
    parts = sum(len(side.terms) + bool(side.constant) for side in (rule.left, rule.right))
    factors = [term.factor for side in (rule.left, rule.right) for term in side.terms]
    bare = parts <= 2 and all(factor == 1 for factor in factors)
    return 0.0 if bare else float(np.finfo(np.float64).eps)


def _numbers(column: Column, table: pa.Table) -> Floats:
    """Return numbers as they are, and times in nanoseconds, so that those of all units can be compared."""
    kind = _kind(column, table)
    family = time_family(kind)
    nanoseconds = {"moment": pa.timestamp("ns"), "time": pa.time64("ns"), "duration": pa.duration("ns")}
    return as_numbers(flat_cells(table.column(column.name)), nanoseconds.get(family, kind), column.name)


def _compared_times(rule: Match, kind: pa.DataType, cells: pa.Array) -> _Told:
    wanted = Grid(kind).step_of(rule.value, f"rule: column {rule.column!r}")
    found = as_numbers(cells, kind, rule.column)
    known = ~np.isnan(found)
    holds = _COMPARE[rule.operator](found, float(wanted))
    return _Told(known & holds, known & ~holds)


def _matched(rule: Match, column: Column, cells: pa.Array) -> _Told:
    if rule.operator in {"==", "!="}:
        same = _equal(cells, rule.value)
        known = np.asarray(cells.is_valid())
        holds = same if rule.operator == "==" else ~same
        return _Told(known & holds, known & ~holds)
    places = _places(column, cells)
    wanted = _place_of(rule, column)
    known = places >= 0
    holds = _COMPARE[rule.operator](places, wanted)
    return _Told(known & holds, known & ~holds)


def _equal(cells: pa.Array, value: str | bool) -> Mask:
    """Return which cells are this word, as the types of the cells write it; missing ones are not."""
    word = pa.array([value])
    kind = pa.large_string() if is_words(cells.type) else cells.type
    wanted = as_levels(word, kind)
    if wanted is None:
        return np.zeros(len(cells), dtype=bool)
    if isinstance(value, bool) and is_words(kind):
        cells = pc.utf8_lower(cells)
    return np.asarray(pc.is_in(cells.cast(kind), value_set=wanted))


def _places(column: Column, cells: pa.Array) -> npt.NDArray[np.int64]:
    """Return the place of each cell among the levels from lowest to highest; -1 for others."""
    assert column.levels is not None, "the schema was validated: only levels that it states have an order"
    words = pa.array([str(value) for value in column.levels.values], pa.large_string())
    found = pc.index_in(cells.cast(pa.large_string()), value_set=words)
    return np.asarray(pc.fill_null(found, -1), dtype=np.int64)


def _place_of(rule: Match, column: Column) -> int:
    assert column.levels is not None, "the schema was validated: only levels that it states have an order"
    return [str(value) for value in column.levels.values].index(str(rule.value))


def _kind(column: Column, table: pa.Table) -> pa.DataType:
    """Return the type that the schema states, or else that of the cells."""
    stated = from_text(column.type) if column.type is not None else table.schema.field(column.name).type
    return value_type(stated)
