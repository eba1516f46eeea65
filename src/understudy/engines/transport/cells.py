"""Two samples of one column as cells of an axis: levels, or the values of a quantity, binned if too many.

Bins are cut half by equal width and half by equal counts of both samples together; a bin lies at the mean
of its values. A quantity of at most twice as many distinct values as bins keeps them all: bins that hold
one value here and two there would move a regular column by a good part of a bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.transport.axis import Axis, Floats, line, star
from understudy.engines.transport.place import missing_reach

__all__ = ["Cells", "Quantity", "joined", "level_cells"]

Codes = npt.NDArray[np.int64]

_COUNTED = 1_000_000  # codes: up to here counting is quicker than sorting
_OFFSET = 0.382  # of a bin: regular data must not have its values on the cuts, where rounding decides


@final
@dataclass(frozen=True, eq=False)
class Cells:
    """The place of each row of two samples on one axis."""

    first: Codes
    second: Codes
    axis: Axis


@final
class Quantity:
    """Two samples of a quantity in units of its range (see `place.placed`); NaN is missing."""

    def __init__(self, first: Floats, second: Floats) -> None:
        both = np.concatenate([first, second])
        self._missing = np.isnan(both)
        self._size = len(first)
        self.values, rank, self._counts = np.unique(
            both[~self._missing], return_inverse=True, return_counts=True
        )
        self._rank = np.zeros(len(both), dtype=np.int64)
        self._rank[~self._missing] = rank
        self._made: dict[int, Cells] = {}

    @property
    def has_missing(self) -> bool:
        """Whether a cell of either sample is missing."""
        return bool(self._missing.any())

    def keeps(self, bins: int) -> bool:
        """Say whether all values are kept when so many bins are asked for."""
        return len(self.values) <= 2 * bins

    def cells(self, bins: int) -> Cells:
        """Return both samples on a line of so many bins or a few less, or of all values."""
        if bins not in self._made:
            self._made[bins] = self._cells(bins)
        return self._made[bins]

    def _cells(self, bins: int) -> Cells:
        if len(self.values) == 0:
            places, bin_of = np.zeros(1), np.zeros(1, dtype=np.int64)
        elif self.keeps(bins):
            places, bin_of = self.values, np.arange(len(self.values))
        else:
            bin_of = _bins(self.values, self._counts, bins)
            weight = np.bincount(bin_of, self._counts)
            places = np.bincount(bin_of, self._counts * self.values) / weight
        codes = np.where(self._missing, len(places), bin_of[self._rank])
        axis = line(places, missing_reach(places) if self.has_missing else None)
        return Cells(codes[: self._size], codes[self._size :], axis)


def level_cells(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> Cells:
    """Return two samples of codes on a star of the levels that they have; a missing cell is a level too.

    >>> level_cells(np.array([3, 3]), np.array([-1, 3])).second.tolist()
    [0, 1]
    """
    both = np.concatenate([first, second]).astype(np.int64) + 1
    if len(both) and both.max() > _COUNTED:
        codes = np.unique(both, return_inverse=True)[1]
    else:
        codes = (np.cumsum(np.bincount(both) > 0) - 1)[both]
    return Cells(codes[: len(first)], codes[len(first) :], star(int(codes.max(initial=-1)) + 1))


def joined(first: Cells, second: Cells) -> Cells:
    """Return two columns of levels as one, whose levels are the pairs that occur."""
    width = second.axis.places
    return level_cells(first.first * width + second.first, first.second * width + second.second)


def _bins(values: Floats, counts: npt.NDArray[np.int64], bins: int) -> Codes:
    by_count = (np.cumsum(counts) - counts / 2) / counts.sum()
    by_width = (values - values[0]) / (values[-1] - values[0])
    cut = np.floor(bins * (by_count + by_width) / 2 + _OFFSET)
    return np.cumsum(np.diff(cut, prepend=cut[0]) > 0)  # values rise, and so do their cuts
