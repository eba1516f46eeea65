"""A comparison of sums as one line, sum of factor x position + constant, against 0; and how cells get there.

Where all columns lie on grids, factors and positions are whole numbers of any size, and sums are exact:
`net + tax == gross` holds to the last cent, `start + stay == end` to the nanosecond. Floats that lie on no
grid are summed as the metric `constraints` sums them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.model.legal import Legal
from understudy.table.arrow_types import from_text, value_type
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.rule import Comparison, Linear, Match, Operator
from understudy.table.schema import Column

__all__ = ["Line", "line_of"]

Columns = dict[str, npt.NDArray[Any]]

_SAFE = 2**62  # sums below it cannot overflow
_APART = 32.0  # roundings by which two sums must differ for the metric to call them different
_MIRRORED: dict[Operator, Operator] = {
    "<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!=",
}  # fmt: skip


@final
@dataclass(frozen=True)
class Line:
    """Factors of columns and a constant, whole numbers if `exact`; `first` is the column that it defines."""

    factors: Mapping[str, Any]
    constant: Any
    operator: Operator
    exact: bool
    first: str
    precision: float

    def order(self, turn: int, rng: np.random.Generator) -> list[str]:
        """Return which column moves first: the one that is defined, in later turns any."""
        others = [name for name in self.factors if name != self.first]
        names = [self.first, *others]
        return names if turn == 0 else [names[place] for place in rng.permutation(len(names))]

    def moved(
        self,
        cells: Columns,
        legal: Mapping[str, Legal],
        order: Sequence[str],
        *,
        wanted: Operator | None = None,
        lean: int = 0,
    ) -> Columns:
        """Return cells that come as close to the line as is legal: each column in turn takes what is left.

        Where a sum falls between two steps, `lean` takes the lower (-1), the upper (1) or the nearest (0).
        """
        wanted = wanted or self.operator
        cells = self._swapped(cells, legal, wanted)
        for name in order:
            rest, size = self._rest(cells, legal, name)
            low, high = self._target(rest, size, name, (legal[name].whole, wanted, lean))
            cells = cells | {name: legal[name].between(cells[name], low, high)}
        return cells

    def _swapped(self, cells: Columns, legal: Mapping[str, Legal], wanted: Operator) -> Columns:
        """Exchange two cells that are in the wrong order, where each is legal in the other's place."""
        if len(self.factors) != 2 or self.constant or wanted in {"==", "!="}:
            return cells
        (one, left), (two, right) = self.factors.items()
        kinds = {(legal[name].codes is None, legal[name].whole) for name in (one, two)}
        if left != -right or kinds not in ({(True, True)}, {(True, False)}):
            return cells
        a, b = cells[one], cells[two]
        wrong = (a > b) if (left > 0) is (wanted in {"<=", "<"}) else (a < b)
        fits = wrong & legal[one].accepts(b) & legal[two].accepts(a)
        return cells | {one: np.where(fits, b, a), two: np.where(fits, a, b)}

    def _rest(self, cells: Columns, legal: Mapping[str, Legal], name: str) -> tuple[Any, Any]:
        """Return the sum of all but one column, and the size of what is summed with that one."""
        parts = {each: self._part(cells[each], legal[each], each) for each in self.factors}
        rest: Any = self.constant
        size: Any = abs(self.constant)
        for each, part in parts.items():
            rest = rest if each == name else rest + part
            size = size + np.abs(part)
        return rest + np.zeros(len(cells[name]), dtype=np.int64), size

    def _part(self, values: npt.NDArray[Any], legal: Legal, name: str) -> npt.NDArray[Any]:
        position = legal.positions(values)
        factor = self.factors[name]
        if not self.exact:
            return np.asarray(factor * position.astype(np.float64))
        largest = max((abs(int(position.min())), abs(int(position.max())))) if len(position) else 0
        # Whole numbers of any size are slow: only where 64 bits could overflow.
        small = (abs(factor) * largest + abs(self.constant)) * (len(self.factors) + 1) < _SAFE
        return np.asarray(position.astype(np.int64 if small else object) * factor)

    def _target(self, rest: Any, size: Any, name: str, how: tuple[bool, Operator, int]) -> tuple[Any, Any]:
        """Return between which positions this column keeps the line, all others as they are."""
        factor, (whole, wanted, lean) = self.factors[name], how
        if factor < 0:
            factor, rest, wanted = -factor, -rest, _MIRRORED[wanted]
        if wanted in {"<", ">", "!="}:
            rest = rest - self._margin(size) if wanted == ">" else rest + self._margin(size)
        if wanted in {"<=", "<", "!="}:
            return None, self._below(-rest, factor, whole)
        if wanted in {">=", ">"}:
            return self._above(-rest, factor, whole), None
        if lean:
            end = (self._below if lean < 0 else self._above)(-rest, factor, whole)
        else:
            end = self._nearest(-rest, factor, whole)
        return end, end

    def _below(self, total: Any, factor: Any, whole: bool) -> Any:
        if self.exact:
            return total // factor
        return np.floor(total / factor) if whole else total / factor

    def _above(self, total: Any, factor: Any, whole: bool) -> Any:
        return -self._below(-total, factor, whole)

    def _nearest(self, total: Any, factor: Any, whole: bool) -> Any:
        if self.exact:
            return (2 * total + factor) // (2 * factor)
        return np.rint(total / factor) if whole else total / factor

    def _margin(self, size: Any) -> Any:
        """Return by how much sums must differ to be told apart after rounding."""
        wide = _APART * self.precision * np.asarray(size, dtype=np.float64)
        if self.exact:
            return 1 + np.floor(wide).astype(np.int64)
        return np.maximum(wide, np.finfo(np.float32).tiny)


def line_of(rule: Comparison | Match, legal: Mapping[str, Legal]) -> Line | None:
    """Return a comparison of numbers or times as a line; None where no column is left in it."""
    if isinstance(rule, Match):
        return _moment(rule, legal[rule.column].column)
    factors, constant = _collected(rule)
    exact = all(legal[name].whole for name in factors)
    steps = {name: factor * _unit(legal[name].column, legal[name]) for name, factor in factors.items()}
    precision = _precision([legal[name].column for name in factors])
    if not steps:
        return None
    if not exact:
        plain = {name: float(factor) for name, factor in steps.items()}
        return Line(plain, float(constant), rule.operator, False, _defined(rule, factors), precision)
    scale = math.lcm(*(value.denominator for value in (*steps.values(), constant)))
    whole = {name: int(factor * scale) for name, factor in steps.items()}
    return Line(whole, int(constant * scale), rule.operator, True, _defined(rule, factors), precision)


def _collected(rule: Comparison) -> tuple[dict[str, Fraction], Fraction]:
    """Return left less right, each column once; numbers are taken as they are written."""
    factors: dict[str, Fraction] = {}
    for side, sign in ((rule.left, 1), (rule.right, -1)):
        for term in side.terms:
            factors[term.column] = factors.get(term.column, Fraction(0)) + sign * Fraction(repr(term.factor))
    constant = Fraction(repr(rule.left.constant)) - Fraction(repr(rule.right.constant))
    return {name: factor for name, factor in factors.items() if factor}, constant


def _defined(rule: Comparison, factors: Mapping[str, Fraction]) -> str:
    """Return the column that stands alone on a side, the right one if both do."""
    for side in (rule.right, rule.left):
        if _alone(side) and side.terms[0].column in factors:
            return side.terms[0].column
    return next(iter(factors))


def _alone(side: Linear) -> bool:
    return len(side.terms) == 1 and not side.constant


def _unit(column: Column, legal: Legal) -> Fraction:
    """Return what one step is worth in the numbers that rules compare: times in nanoseconds."""
    grid = grid_of(column) if legal.codes is None else None
    if grid is None:
        return Fraction(1)
    if pa.types.is_floating(grid.kind):
        return Fraction(1) / _power(grid.decimals)
    if pa.types.is_decimal(grid.kind):
        return Fraction(grid.divisor) / _power(grid.kind.scale)
    return Fraction(grid.divisor * (time_units(grid.kind) or 1))


def _power(decimals: int) -> Fraction:
    return Fraction(10**decimals) if decimals >= 0 else Fraction(1, 10**-decimals)


def _precision(columns: Sequence[Column]) -> float:
    kinds = [value_type(from_text(str(column.type))) for column in columns]
    narrow = any(pa.types.is_float32(kind) for kind in kinds)
    return float(np.finfo(np.float32 if narrow else np.float64).eps)


def _moment(rule: Match, column: Column) -> Line:
    """Return a time against the text of one, in ticks of the column's type."""
    grid = grid_of(column)
    assert grid is not None, "a time lies on a grid"
    wanted = Grid(grid.kind).step_of(rule.value, f"rule: column {rule.column!r}")
    return Line(
        {rule.column: grid.divisor},
        -wanted,
        rule.operator,
        True,
        rule.column,
        float(np.finfo(np.float64).eps),
    )
