"""Where trees may cut one quantity.

Trees see cells, not numbers: cell k holds what lies above cut k - 1 and not above cut k; -1 is missing. So a
cut is exact for steps of any size, and a leaf is a range of cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.forest.line import Floats, Line, Numbers, Steps
from understudy.missing import is_missing

__all__ = ["Axis", "Cells", "Floats", "inside"]

Cells = npt.NDArray[np.int32]

MOST_CUTS = 65_535  # trees compare cells as single floats, which hold whole numbers up to 2^24


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

    @property
    def line(self) -> Line:
        """The line on which the values of the column are spread."""
        first, last = self.ends.tolist()
        return Steps(first, last) if self.whole else Numbers(first, last)

    def cells(self, column: npt.NDArray[Any]) -> Cells:
        """Return the cell of every entry, -1 where it is missing."""
        found = np.searchsorted(self.cuts, column, side="left").astype(np.int32)
        return np.where(is_missing(column), np.int32(-1), found)

    def only(self, used: npt.NDArray[np.int64]) -> Axis:
        """Return the axis with these cuts alone."""
        return Axis(self.ends, self.cuts[used])

    def edges(self) -> Floats:
        """Return the line's ends of all cells: cell k runs from edge k to edge k + 1."""
        line = self.line
        inner = line.span(self.cuts)[1] if isinstance(line, Steps) else line.places(self.cuts)
        return np.concatenate([[-1.0], inner, [1.0]])


def inside(axis: Axis, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Say which entries are there and between the ends of the axis."""
    return np.asarray(~is_missing(column) & (column >= axis.ends[0]) & (column <= axis.ends[1]))
