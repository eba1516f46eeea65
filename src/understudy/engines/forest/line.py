"""The line on which the values of one column are spread, from -1 to 1, where no square can overflow.

A step takes the room that rounds to it, so that the probabilities of all steps add up. Steps are subtracted
as whole numbers before anything becomes a float: then a column far from 0 loses nothing by it. Floats are
scaled by a power of two first, as neither 1e308 - -1e308 nor half of 5e-324 is a float.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Line", "Numbers", "Steps"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Steps:
    """The line of a column of whole steps."""

    first: int
    last: int

    @property
    def half(self) -> float:
        """How many steps one unit of the line is."""
        return (self.last - self.first + 1) / 2

    @property
    def log_unit(self) -> float:
        """The logarithm of that."""
        return math.log(self.half)

    @property
    def blur(self) -> int:
        """How many steps off rounding on the line may carry a value: 0 up to 2^52 steps."""
        return int(self.half * 2 * np.finfo(np.float64).eps)

    def places(self, column: npt.NDArray[Any]) -> Floats:
        """Return where steps lie: in the middle of their room."""
        return np.asarray((self._offsets(column) + 0.5) / self.half - 1)

    def span(self, column: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """Return the ends of the room of every step; where one ends the next begins, to the last bit."""
        offsets = self._offsets(column)
        return offsets / self.half - 1, (offsets + 1) / self.half - 1

    def held(self, low: float, high: float) -> npt.NDArray[Any]:
        """Return the first and the last step of a range on the line; of none the first is larger."""
        # Whole numbers of Python's: a float holds few of the steps beyond 2^53.
        start = math.ceil(min(max(low, self.first), self.last + 1))
        return np.array([start, math.floor(max(min(high, self.last), self.first - 1))], dtype=np.int64)

    def room(self, low: float, high: float) -> tuple[float, float]:
        """Return the piece of the line that the steps of a range take; it may be empty."""
        first, last = (int(end) for end in self.held(low, high))
        return (first - self.first) / self.half - 1, (last + 1 - self.first) / self.half - 1

    def values(self, places: Floats) -> npt.NDArray[Any]:
        """Return the steps whose room holds these places, or one beside them within `blur`."""
        first = np.int64(self.first).view(np.uint64)
        gap = self.last - self.first
        offsets = np.clip(np.floor((places + 1) * self.half), 0.0, float(gap)).astype(np.uint64)
        return np.asarray((np.minimum(offsets, np.uint64(gap)) + first).view(np.int64))

    def _offsets(self, column: npt.NDArray[Any]) -> Floats:
        # Unsigned, because the steps of a column may lie 2^63 apart.
        offsets = column.astype(np.int64).view(np.uint64) - np.int64(self.first).view(np.uint64)
        return np.asarray(offsets.astype(np.float64))


@final
@dataclass(frozen=True)
class Numbers:
    """The line of a column of floats; `power` brings them near 1."""

    first: float
    last: float

    @property
    def power(self) -> int:
        """The power of two that numbers are divided by."""
        return math.frexp(max(abs(self.first), abs(self.last)))[1]

    @property
    def half(self) -> float:
        """How much of the scaled numbers one unit of the line is; anything where all are one value."""
        low, high = self._ends()
        return (high - low) / 2 or 1.0

    @property
    def log_unit(self) -> float:
        """The logarithm of how much of the numbers one unit of the line is, which may be no float itself."""
        return math.log(self.half) + self.power * math.log(2)

    @property
    def blur(self) -> int:
        """Nothing: floats are rounded anyway."""
        return 0

    def places(self, column: npt.NDArray[Any]) -> Floats:
        """Return where numbers lie."""
        low, high = self._ends()
        return np.asarray((np.ldexp(column, -self.power) - (low + high) / 2) / self.half)

    def held(self, low: float, high: float) -> npt.NDArray[Any]:
        """Return the first and the last number of a range on the line; of none the first is larger."""
        return np.array([max(low, self.first), min(high, self.last)], dtype=np.float64)

    def room(self, low: float, high: float) -> tuple[float, float]:
        """Return the piece of the line that the numbers of a range take; it may be empty."""
        first, last = self.places(np.clip(np.array([low, high]), self.first, self.last))
        return float(first), float(last)

    def values(self, places: Floats) -> npt.NDArray[Any]:
        """Return the numbers at these places, inside of the column's ends."""
        low, high = self._ends()
        reached = np.clip((low + high) / 2 + places * self.half, low, high)
        return np.asarray(np.ldexp(reached, self.power))

    def _ends(self) -> tuple[float, float]:
        return math.ldexp(self.first, -self.power), math.ldexp(self.last, -self.power)


Line = Steps | Numbers
