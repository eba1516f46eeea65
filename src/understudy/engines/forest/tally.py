"""How often each code occurs in each leaf: sparse rows of counts, and draws from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.forest.axis import Floats
from understudy.engines.forest.evenly import evenly

__all__ = ["Tally"]

_DENSE = 10_000_000  # cells of a table of counts up to which it is counted whole


@final
@dataclass(frozen=True, eq=False)
class Tally:
    """`codes` and their `weights`, leaf by leaf and ascending; those of leaf i begin at `starts[i]`."""

    starts: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    weights: Floats

    @classmethod
    def count(cls, leaf: npt.NDArray[Any], code: npt.NDArray[Any], leaves: int, codes: int) -> Tally:
        """Count the codes of the rows of every leaf.

        >>> Tally.count(np.array([0, 1, 0]), np.array([2, 0, 2]), leaves=2, codes=3).weights.tolist()
        [2.0, 1.0]
        """
        keys = leaf.astype(np.int64) * codes + code
        if leaves * codes <= _DENSE:
            counts = np.bincount(keys, minlength=leaves * codes)
            found = np.flatnonzero(counts)
            counts = counts[found]
        else:
            found, counts = np.unique(keys, return_counts=True)
        return _grouped(found // codes, found % codes, counts.astype(np.float64), leaves)

    @property
    def leaf(self) -> npt.NDArray[np.int64]:
        """The leaf of every entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def mass(self) -> Floats:
        """Return the weight of every leaf."""
        sums = np.bincount(self.leaf, weights=self.weights, minlength=len(self.starts) - 1)
        return sums.astype(np.float64)  # of no entries at all, the sums would be whole numbers

    def narrowed(self, factor: Floats) -> Tally:
        """Return the tally with every entry times its factor, and without those that come to nothing."""
        weights = self.weights * factor
        kept = weights > 0
        return _grouped(self.leaf[kept], self.codes[kept], weights[kept], len(self.starts) - 1)

    def draw(self, leaf: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int32]:
        """Return a code for every row, in proportion to the weights of its leaf, which must have some."""
        upper = np.cumsum(self.weights)
        before = np.concatenate([[0.0], upper])
        first, last = self.starts[leaf], self.starts[leaf + 1]
        target = before[first] + evenly(len(leaf), rng) * (before[last] - before[first])
        place = np.searchsorted(upper, target, side="right")
        return np.asarray(self.codes[np.clip(place, first, last - 1)])  # rounding must not leave the leaf

    def share(self, leaf: npt.NDArray[np.int64], code: npt.NDArray[Any], codes: int) -> Floats:
        """Return what share of its leaf every code has; 0 for one that does not occur there."""
        keys, wanted = self.leaf * codes + self.codes, leaf.astype(np.int64) * codes + code
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        if len(keys) == 0:
            return np.zeros(len(leaf))
        found = np.where(keys[place] == wanted, self.weights[place], 0.0)
        return np.asarray(found / self.mass()[leaf])


def _grouped(leaf: npt.NDArray[Any], code: npt.NDArray[Any], weights: Floats, leaves: int) -> Tally:
    sizes = np.bincount(leaf, minlength=leaves)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Tally(starts, code.astype(np.int32), weights)
