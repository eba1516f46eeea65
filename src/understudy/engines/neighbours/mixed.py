"""The mixed distance: a sum over columns, in which no column counts for more than 1.

    quantities   |x - y| / span, at most 1
    codes        0 if equal, 1 if not
    missing      0 if both are (NaN, or the same code), 1 if one is

It is Gower's dissimilarity (1971) before the division by the number of columns. All ways are first measured
in whole notches of a short integer, which a core does sixteen at a time; the few that may be the shortest
are then measured exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.neighbours.points import Facing, Floats, Places, Points, on_grid
from understudy.errors import ParameterError

__all__ = ["Mixed"]

Codes = npt.NDArray[np.int32]
Whole = npt.NDArray[Any]  # int16 or int32 notches

_SHORT = 64  # so many columns of 500 notches each still sum up in an int16


@final
@dataclass(frozen=True, eq=False)
class Mixed(Points):
    """Rows of quantities and codes.

    quantities   (rows, p) float64 in their own unit; NaN is missing
    codes        (rows, c) int32, any number for missing as long as it is the same
    spans        (p,) what counts as a difference of 1; above 0

    >>> one = Mixed(np.array([[2.0]]), np.array([[0]], np.int32), np.array([10.0]))
    >>> other = Mixed(np.array([[7.0]]), np.array([[1]], np.int32), np.array([10.0]))
    >>> other.facing(one).lengths(0, np.array([0])).tolist()
    [1.5]
    """

    quantities: Floats
    codes: Codes
    spans: Floats
    block = 2**17  # notches: a block stays in the cache of one core

    def __post_init__(self) -> None:
        if len(self.quantities) != len(self.codes):
            raise ParameterError("neighbours: quantities and codes are of different lengths.")
        if self.quantities.shape[1] != len(self.spans) or not (self.spans > 0).all():
            raise ParameterError("neighbours: expected one span above 0 for each quantity.")

    def __len__(self) -> int:
        return len(self.codes)

    def order(self) -> Places:
        """Sort by the codes from the first on, then by the quantities."""
        keys = (*self.quantities.T[::-1], *self.codes.T[::-1], np.zeros(len(self)))
        return np.asarray(np.lexsort(keys), dtype=np.int64)

    def facing(self, queries: Points) -> Facing:
        """Return the search by notches."""
        if not isinstance(queries, Mixed) or not _alike(self, queries):
            raise ParameterError("neighbours: queries and candidates have different columns or spans.")
        return _Notched(queries, self)

    def take(self, rows: Places) -> Mixed:
        """Return the given rows, in the given order."""
        return Mixed(self.quantities[rows], self.codes[rows], self.spans)


def _alike(one: Mixed, other: Mixed) -> bool:
    same = one.codes.shape[1] == other.codes.shape[1]
    return same and np.array_equal(one.spans, other.spans)


@final
class _Notched(Facing):
    """Bounds are sums of whole notches, less one for each quantity: a way in notches is off by at most 1."""

    def __init__(self, queries: Mixed, candidates: Mixed) -> None:
        self._queries, self._candidates = queries, candidates
        columns = len(candidates.spans) + candidates.codes.shape[1]
        self._kind: type[Any] = np.int16 if columns <= _SHORT else np.int32
        # A missing quantity lies six times the cap away from the furthest, and that too must be a number.
        self._cap = int(min(4096, np.iinfo(self._kind).max // max(6, columns)))
        self._quantities = [
            _notched(queries.quantities[:, j], candidates.quantities[:, j], float(span), self._cap)
            for j, span in enumerate(candidates.spans)
        ]
        self._codes = [_narrow(*pair) for pair in zip(queries.codes.T, candidates.codes.T, strict=True)]
        self._holes: npt.NDArray[np.bool_] = np.asarray(np.isnan(queries.quantities))
        self._has_holes = np.asarray(self._holes.any(axis=1))

    def bounds(self, start: int, stop: int) -> npt.NDArray[Any]:
        sums: Whole = self._counts(start, stop).astype(self._kind)
        sums *= self._cap
        sums -= len(self._quantities)
        apart = np.empty_like(sums)
        for asked, known, may_exceed in self._quantities:
            np.subtract(asked[start:stop, None], known, out=apart)
            np.abs(apart, out=apart)
            if may_exceed:
                np.minimum(apart, self._cap, out=apart)
            sums += apart
        return sums

    def _counts(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return how many codes differ, in bytes: these are counted 32 at a time."""
        shape = (stop - start, len(self._candidates))
        counts = np.zeros(shape, np.uint8 if len(self._codes) < 2**8 else np.int32)
        differ = np.empty(shape, np.bool_)
        for asked, known in self._codes:
            np.not_equal(asked[start:stop, None], known, out=differ)
            counts += differ.view(np.uint8)
        return counts

    def reach(self, limit: float) -> int:
        # A whole number: a float would turn every bound into one before it is compared.
        return int(limit * self._cap + 1e-3)

    def lengths(self, query: int, places: Places) -> Floats:
        known = self._candidates.quantities[places]  # (places, p)
        # The difference is taken before the division: equal differences of whole numbers then stay equal.
        with np.errstate(over="ignore"):
            apart = np.abs(known - self._queries.quantities[query]) / self._candidates.spans
        apart = np.asarray(np.fmin(apart, 1.0))  # and the 1 where one is missing
        if self._has_holes[query]:
            holes = np.flatnonzero(self._holes[query])
            apart[:, holes] = np.logical_not(np.isnan(known[:, holes]))
        differ = self._candidates.codes[places] != self._queries.codes[query]
        return on_grid(apart.sum(axis=1) + np.count_nonzero(differ, axis=1))

    def distances(self, lengths: Floats) -> Floats:
        return lengths

    def length(self, distance: float) -> float:
        return distance


def _notched(asked: Floats, known: Floats, span: float, cap: int) -> tuple[Whole, Whole, bool]:
    """Return both sides in notches from the middle of the candidates on, and whether any differ by over 1.

    To be nearer than it is does no harm to a bound, so what is far away may stand at the edge.
    """
    middle = np.nanmedian(known) if not np.isnan(known).all() else 0.0
    both = np.concatenate([asked, known])
    with np.errstate(over="ignore"):
        steps = np.clip(np.floor((both - middle) / span * cap), -2 * cap, 2 * cap)
    notches = np.where(np.isnan(both), 4 * cap, steps).astype(np.int16)
    may_exceed = bool(np.ptp(notches) > cap) if len(notches) else False
    return notches[: len(asked)], notches[len(asked) :], may_exceed


def _narrow(asked: Codes, known: Codes) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return codes from 0 on, in as few bytes as tell them apart."""
    low = min(int(side.min(initial=0)) for side in (asked, known))
    high = max(int(side.max(initial=0)) for side in (asked, known))
    kind = np.min_scalar_type(high - low)
    return (asked - low).astype(kind), (known - low).astype(kind)
