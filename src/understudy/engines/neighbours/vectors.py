"""Straight distance through a matrix: L2, found by products in float32 and settled in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.neighbours.points import GRAIN, Facing, Floats, Places, Points, on_grid
from understudy.errors import ParameterError

__all__ = ["Vectors"]

_FURTHEST = 1e9  # squares of it, and sums of them, are still far inside float32


@final
@dataclass(frozen=True, eq=False)
class Vectors(Points):
    """Rows of a (rows, d) matrix of finite floats.

    >>> one, other = Vectors(np.array([[0.0, 0.0]])), Vectors(np.array([[3.0, 4.0]]))
    >>> facing = other.facing(one)
    >>> facing.distances(facing.lengths(0, np.array([0]))).tolist()
    [5.0]
    """

    matrix: Floats
    block = 2**22  # bounds: large enough for a matrix product, 16 MiB

    def __post_init__(self) -> None:
        if not (np.abs(self.matrix) <= _FURTHEST).all():
            raise ParameterError(f"neighbours: expected finite coordinates of at most {_FURTHEST:g} in size.")

    def __len__(self) -> int:
        return len(self.matrix)

    def order(self) -> Places:
        """Sort by the coordinates from the first on."""
        if self.matrix.shape[1] == 0:
            return np.arange(len(self), dtype=np.int64)
        return np.asarray(np.lexsort(self.matrix.T[::-1]), dtype=np.int64)

    def facing(self, queries: Points) -> Facing:
        """Return the search by products."""
        if not isinstance(queries, Vectors) or queries.matrix.shape[1] != self.matrix.shape[1]:
            raise ParameterError("neighbours: queries and candidates have different columns.")
        return _Products(queries.matrix, self.matrix)

    def take(self, rows: Places) -> Vectors:
        """Return the given rows, in the given order."""
        return Vectors(self.matrix[rows])


@final
class _Products(Facing):
    """Lengths are squares. |q - c|^2 = |q|^2 + |c|^2 - 2 q.c, one product with two columns more."""

    def __init__(self, queries: Floats, candidates: Floats) -> None:
        self._queries, self._candidates = queries, np.ascontiguousarray(candidates)
        centre = candidates.mean(axis=0)
        asked, known = queries - centre, candidates - centre
        # The product of n float32 terms is off by at most n 2^-24 of the sum of their sizes (Higham 2002,
        # eq. 3.5), which is at most twice |q|^2 + |c|^2; so much is taken off, and a little more.
        kept = 1 - (queries.shape[1] + 16) * 2.0**-22
        self._asked = _stacked(-2 * asked, np.ones(len(asked)), kept * _squares(asked))
        self._known = _stacked(known, kept * _squares(known), np.ones(len(known))).T

    def bounds(self, start: int, stop: int) -> npt.NDArray[Any]:
        return np.asarray(self._asked[start:stop] @ self._known)

    def reach(self, limit: float) -> Any:
        return np.nextafter(np.float32(min(limit + 2 * GRAIN, 1e38)), np.float32(np.inf))

    def lengths(self, query: int, places: Places) -> Floats:
        return on_grid(_squares(self._candidates[places] - self._queries[query]))

    def distances(self, lengths: Floats) -> Floats:
        return np.sqrt(lengths)

    def length(self, distance: float) -> float:
        return distance**2


def _stacked(*columns: Floats) -> npt.NDArray[np.float32]:
    whole = [column.reshape(len(column), -1) for column in columns]
    stacked = np.empty((len(whole[0]), sum(column.shape[1] for column in whole)), dtype=np.float32)
    return np.concatenate(whole, axis=1, out=stacked, casting="same_kind")


def _squares(rows: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
