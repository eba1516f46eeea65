"""What the cells of one column may be: its bounds or levels, what `where` asks for, whether missing.

A *position* is what rules of numbers are worked out in: the step of a quantity on a grid, the float of one
that lies on none, the number of a level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.condition import Among, Between, Condition, IsMissing
from understudy.errors import WhereError
from understudy.missing import is_missing, missing_like
from understudy.model.scale import highest, lowest
from understudy.table.arrow_types import value_type
from understudy.table.cells import as_numbers, time_family
from understudy.table.columns import level_array
from understudy.table.grid import grid_of, reach
from understudy.table.schema import LEVEL_KINDS, Column

__all__ = ["Legal"]

Mask = npt.NDArray[np.bool_]
_NANOSECONDS = {"moment": pa.timestamp("ns"), "time": pa.time64("ns"), "duration": pa.duration("ns")}


@final
@dataclass(frozen=True, eq=False)
class Legal:
    """Legal cells of a column: positions from `low` to `high`, or the levels that `codes` marks."""

    column: Column
    low: float
    high: float
    codes: Mask | None
    holes: bool

    @classmethod
    def of(cls, column: Column, condition: Condition | None = None) -> Legal:
        """Return what a schema and a condition leave open."""
        holes = column.nullable and isinstance(condition, IsMissing | None)
        if column.kind in LEVEL_KINDS | {"constant", "id"}:
            size = 1 if column.levels is None or column.kind == "id" else len(column.levels.values)
            allowed = condition.allowed if isinstance(condition, Among) else np.ones(size + 1, dtype=bool)
            return cls(column, 0, 0, allowed[:-1], column.nullable and bool(allowed[-1]))
        low, high = _ends(column)
        if isinstance(condition, Between):
            low, high = max(low, condition.low), min(high, condition.high)
        if isinstance(condition, IsMissing):
            low, high = np.inf, -np.inf
        return cls(column, low, high, None, holes)

    @property
    def whole(self) -> bool:
        """Say whether positions are whole steps."""
        return self.codes is None and grid_of(self.column) is not None

    def accepts(self, values: npt.NDArray[Any]) -> Mask:
        """Say which cells are legal."""
        gone = is_missing(values)
        if self.codes is not None:
            return np.where(gone, self.holes, self.codes[values])
        return np.where(gone, self.holes, (values >= self.low) & (values <= self.high))

    def positions(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the positions of cells that are there."""
        return values if self.codes is None else self.numbers()[values]

    def numbers(self) -> npt.NDArray[np.float64]:
        """Return the number that each level is; times count in nanoseconds, as rules compare them."""
        levels = level_array(self.column)
        kind = value_type(levels.type)
        return as_numbers(levels, _NANOSECONDS.get(time_family(kind), kind), self.column.name)

    def between(self, values: npt.NDArray[Any], low: Any, high: Any) -> npt.NDArray[Any]:
        """Return the legal cells nearest to these with positions in [low, high], or nearest to that.

        None leaves an end open: infinity would turn long whole numbers into floats.
        """
        if self.codes is not None:
            return self._levels_between(values, low, high)
        if self.low > self.high:
            return values
        moved = values if low is None else np.maximum(values, low)
        moved = moved if high is None else np.minimum(moved, high)
        return np.asarray(np.minimum(np.maximum(moved, self.low), self.high)).astype(values.dtype)

    def anything(self, rows: int, rng: np.random.Generator, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return so many legal cells: levels at random, the end of a range next to 0, missing if need be.

        Where not even that is legal, the cells stay as they are.
        """
        legal = np.zeros(0) if self.codes is None else np.flatnonzero(self.codes)
        if (self.codes is not None and not legal.size) or self.low > self.high:
            return np.full(rows, missing_like(like), dtype=like.dtype) if self.holes else like
        if self.codes is not None:
            return np.asarray(rng.choice(legal, rows)).astype(like.dtype)
        return np.full(rows, min(max(0, self.low), self.high)).astype(like.dtype)

    def _levels_between(self, values: npt.NDArray[Any], low: Any, high: Any) -> npt.NDArray[Any]:
        numbers = self.numbers()
        assert self.codes is not None, "asked only of levels"
        legal = np.flatnonzero(self.codes)
        if not legal.size:
            return values
        order = legal[np.argsort(numbers[legal], kind="stable")]
        ranked = numbers[order]
        now = numbers[values]
        low = np.asarray(-np.inf if low is None else low, dtype=np.float64)
        high = np.asarray(np.inf if high is None else high, dtype=np.float64)
        first, last = np.searchsorted(ranked, low), np.searchsorted(ranked, high, side="right") - 1
        place = np.where(now < low, first, np.where(now > high, last, np.searchsorted(ranked, now)))
        return np.asarray(order[np.clip(place, 0, len(order) - 1)].astype(values.dtype))


def _ends(column: Column) -> tuple[float, float]:
    """Return the first and the last legal position."""
    grid = grid_of(column)
    low, high = (-np.inf, np.inf) if grid is None else reach(grid)
    if column.bounds is None:
        return low, high
    try:
        return max(low, lowest(column, column.bounds.low)), min(high, highest(column, column.bounds.high))
    except WhereError:
        return low, high  # the text of a far-off year cannot be read back; any step will do
