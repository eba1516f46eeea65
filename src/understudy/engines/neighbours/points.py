"""What the search asks of rows: a cheap bound for all of them, the exact distance of a few."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["GRAIN", "Facing", "Floats", "Places", "Points", "on_grid"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

GRAIN = 2.0**-40  # far above the rounding of a sum of columns, far below any difference that counts


def on_grid(values: Floats) -> Floats:
    """Return distances as multiples of 2^-40, so that sums that differ by rounding alone are ties.

    >>> bool(0.1 + 0.2 == 0.3), bool(on_grid(np.array(0.1 + 0.2)) == on_grid(np.array(0.3)))
    (False, True)
    """
    return np.asarray(np.round(values / GRAIN) * GRAIN)


class Facing(ABC):
    """Queries before candidates; the candidates stand in their order, and a place is a number in it."""

    @abstractmethod
    def bounds(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return a number for each of these queries and every candidate, cheap and the less the nearer.

        If a way is not longer than some limit, its number does not exceed `reach(limit)`.
        """

    @abstractmethod
    def reach(self, limit: float) -> Any:
        """Return what the number of a way within the limit does not exceed."""

    @abstractmethod
    def lengths(self, query: int, places: Places) -> Floats:
        """Return the exact lengths of the ways to the candidates at these places."""

    @abstractmethod
    def distances(self, lengths: Floats) -> Floats:
        """Return the distances that these lengths stand for."""

    @abstractmethod
    def length(self, distance: float) -> float:
        """Return the length that stands for this distance."""


class Points(ABC):
    """Rows with a distance between them."""

    block: int
    """So many bounds are worked on at a time."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def order(self) -> Places:
        """Return the rows sorted by what is in them; rows that are equal stay as they stand."""

    @abstractmethod
    def facing(self, queries: Points) -> Facing:
        """Return these rows as candidates, in the order in which they stand, for queries of the same kind."""

    @abstractmethod
    def take(self, rows: Places) -> Points:
        """Return the given rows, in the given order."""
