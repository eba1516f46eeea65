"""Bins: a quantity as the number of the interval it lies in.

An edge belongs to the bin above it. On a grid the edges are steps, so a bin is a set of whole
steps and a draw from it is a draw among them: decoding never leaves the bin that was encoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import CodeEncoder, Rng
from understudy.codec.ruler import between
from understudy.missing import is_missing, missing_like

__all__ = ["Bins"]


@final
@dataclass(frozen=True, eq=False)
class Bins(CodeEncoder):
    """Bins [edge, next edge); the last edge of steps is one beyond the highest, of floats the highest itself.

    >>> bins = Bins.even(0, 9, 5, can_be_missing=False)
    >>> bins.edges.tolist(), bins.encode(np.array([0, 1, 2, 9])).tolist()
    ([0, 2, 4, 6, 8, 10], [0, 0, 1, 4])
    """

    edges: npt.NDArray[Any]
    can_be_missing: bool

    @classmethod
    def even(cls, low: int | float, high: int | float, bins: int, *, can_be_missing: bool) -> Bins:
        """Cut [low, high] into bins of equal width; steps give at most one bin each. Nothing is learned."""
        if isinstance(low, int):
            steps = int(high) - low + 1
            count = min(bins, steps)
            # Python's whole numbers: i * steps may not fit 64 bits.
            cuts = [low + i * steps // count for i in range(count + 1)]
            return cls(np.array(cuts, dtype=np.int64), can_be_missing)
        inner = between(low, high, np.linspace(0.0, 1.0, bins + 1))
        return cls(_closed(np.unique(inner)), can_be_missing)

    @classmethod
    def quantile(cls, present: npt.NDArray[Any], bins: int, *, can_be_missing: bool) -> Bins:
        """Learn edges with an equal share of the rows between them; a heavy value gets a bin of its own."""
        ordered = np.sort(present)
        cuts = ordered[np.arange(bins) * len(ordered) // bins]  # the least value is the first
        # A value at two cuts fills a bin alone: that bin ends right behind it.
        heavy = cuts[1:][cuts[1:] == cuts[:-1]]
        if cuts.dtype.kind == "i":
            return cls(np.unique(np.concatenate([cuts, heavy + 1, ordered[-1:] + 1])), can_be_missing)
        above = np.nextafter(heavy[heavy < ordered[-1]], np.inf)
        # The highest float ends the last bin; where it is heavy that bin holds nothing else.
        return cls(np.append(np.unique(np.concatenate([cuts, above])), ordered[-1]), can_be_missing)

    @property
    def count(self) -> int:
        """The bins, and one more code when the column can be missing."""
        return len(self.edges) - 1 + self.can_be_missing

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the edges."""
        return self.edges.dtype

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the bin of each entry; beyond the range, the bin at its end."""
        gone = is_missing(values)
        place = np.searchsorted(self.edges[1:-1], values, side="right")
        return np.where(gone, len(self.edges) - 1, place).astype(np.int64)

    def decode(self, codes: npt.NDArray[np.int64], rng: Rng) -> npt.NDArray[Any]:
        """Draw evenly within each bin."""
        gone = codes == len(self.edges) - 1
        values = self._drawn(np.where(gone, 0, codes), rng)
        values[gone] = missing_like(values)
        return values

    def _drawn(self, place: npt.NDArray[np.int64], rng: Rng) -> npt.NDArray[Any]:
        start, end = self.edges[place], self.edges[place + 1]
        if self.edges.dtype.kind == "i":
            return rng.integers(start, end)
        values = between(start, end, rng.random(len(place)))
        # Rounding may reach the next edge, which belongs to the next bin; only the last edge is inside.
        last = np.where(place == len(self.edges) - 2, end, np.nextafter(end, -np.inf))
        return np.asarray(np.minimum(values, last))


def _closed(edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return at least two edges: a single float value is a bin from itself to itself."""
    return np.repeat(edges, 2) if len(edges) == 1 else edges
