"""Where trees may cut one quantity, and the line on which its numbers are spread.

Trees see cells, not numbers: cell k holds what lies above cut k - 1 and not above cut k; -1 is missing. So a
cut is exact for steps of any size, and a leaf is a range of cells. On the line a column runs from -1 to 1,
where no square can overflow; a step takes the room that rounds to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing

__all__ = ["Axis", "Cells", "Floats", "inside"]

Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.int32]

MOST_CUTS = 65_535  # trees compare cells as single floats, which hold whole numbers up to 2^24
_TINY = 1e-300


@final
@dataclass(frozen=True, eq=False)
class Axis:
    """The ends of a column and the cuts between them, ascending; all of them steps (int64) or floats."""

    ends: npt.NDArray[Any]
    cuts: npt.NDArray[Any]

    @classmethod
    def of(cls, column: npt.NDArray[Any]) -> Axis:
        """Cut half-way between neighbouring values, of very many at evenly spaced ranks.

        >>> Axis.of(np.array([1, 5, 2])).cuts.tolist()
        [1, 3]
        """
        values = np.unique(column[~is_missing(column)])
        if len(values) == 0:
            return cls(np.zeros(2, dtype=column.dtype), values)
        below, above = values[:-1], values[1:]
        if values.dtype.kind == "f":
            # Rounding may carry the middle of two neighbours onto the upper one, which lies above the cut.
            cuts = np.minimum(below / 2 + above / 2, np.nextafter(above, -np.inf))
        else:
            cuts = (below & above) + ((below ^ above) >> 1)  # the middle rounded down, without overflow
        if len(cuts) > MOST_CUTS:
            cuts = cuts[np.linspace(0, len(cuts) - 1, MOST_CUTS).astype(np.int64)]
        return cls(values[[0, -1]], cuts)

    @property
    def whole(self) -> bool:
        """Whether the column is counted in steps."""
        return bool(self.ends.dtype.kind == "i")

    def cells(self, column: npt.NDArray[Any]) -> Cells:
        """Return the cell of every entry, -1 where it is missing."""
        found = np.searchsorted(self.cuts, column, side="left").astype(np.int32)
        return np.where(is_missing(column), np.int32(-1), found)

    def only(self, used: npt.NDArray[np.int64]) -> Axis:
        """Return the axis with these cuts alone."""
        return Axis(self.ends, self.cuts[used])

    def edges(self) -> Floats:
        """Return the line's ends of all cells: cell k runs from edge k to edge k + 1."""
        low, high = self._reach()
        half = 0.5 if self.whole else 0.0
        return self.line(np.concatenate([[low], self.cuts.astype(np.float64) + half, [high]]))

    def room(self, low: float, high: float) -> tuple[float, float]:
        """Return the piece of the line that values from low to high take; it may be empty."""
        if self.whole:
            low, high = np.ceil(low) - 0.5, np.floor(high) + 0.5
        first, last = self.line(np.clip(np.array([low, high]), *self._reach()))
        return float(first), float(last)

    def line(self, column: npt.NDArray[Any]) -> Floats:
        """Return where values lie on the line."""
        return np.asarray((column.astype(np.float64) - _middle(self.ends)) / self.unit)

    def values(self, places: Floats) -> npt.NDArray[Any]:
        """Return the values at these places of the line, inside of the column's ends."""
        reached = np.clip(_middle(self.ends) + places * self.unit, *self.ends.astype(np.float64))
        if not self.whole:
            return np.asarray(reached)
        return np.asarray(np.clip(np.rint(reached).astype(np.int64), *self.ends))

    @property
    def unit(self) -> float:
        """How much of the column one unit of the line is."""
        low, high = self._reach()
        half = high / 2 - low / 2
        return half if half > _TINY else 1.0

    def _reach(self) -> tuple[float, float]:
        half = 0.5 if self.whole else 0.0
        return float(self.ends[0]) - half, float(self.ends[1]) + half


def inside(axis: Axis, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Say which entries are there and between the ends of the axis."""
    return np.asarray(~is_missing(column) & (column >= axis.ends[0]) & (column <= axis.ends[1]))


def _middle(ends: npt.NDArray[Any]) -> float:
    return float(ends[0]) / 2 + float(ends[1]) / 2
