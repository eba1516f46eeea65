"""Numbers that tell each other: one rises or falls with the other and never against it, but for rounding.

An area and its logarithm are such a pair. A network that learns both draws rows where they disagree a little,
which no real row does. So the ranks of the second are taken from the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

__all__ = ["Twin", "around_twins", "as_twins", "twins_of"]

_ALIKE = 0.995  # correlation of normal ranks, below which nobody looks closer
_FEWEST = 100  # rows; among fewer, columns may agree by chance


@final
class Twin(NamedTuple):
    """The places of a number and of one that it tells, which rises (1) or falls (-1) with it."""

    leader: int
    follower: int
    sign: int


def twins_of(matrix: npt.NDArray[np.float32], columns: Mapping[int, npt.NDArray[Any]]) -> tuple[Twin, ...]:
    """Return the twins among columns of numbers, each with its place in a matrix of normal ranks.

    >>> area = np.random.default_rng(0).random(200)
    >>> matrix = np.column_stack([area, area, -area]).astype(np.float32)
    >>> twins_of(matrix, {0: area, 1: np.log(area).round(2), 2: 1 / area})
    (Twin(leader=0, follower=1, sign=1), Twin(leader=0, follower=2, sign=-1))
    """
    places = [place for place in columns if np.ptp(matrix[:, place]) > 0]
    if len(matrix) < _FEWEST or len(places) < 2:
        return ()
    alike = np.atleast_2d(np.corrcoef(matrix[:, places].astype(np.float64).T))
    found: dict[int, Twin] = {}
    for i, j in np.argwhere(np.triu(np.abs(alike) > _ALIKE, 1)).tolist():
        leader, follower, sign = places[i], places[j], int(np.sign(alike[i, j]))
        if {leader, follower}.isdisjoint(found) and _agree(columns[leader], columns[follower], sign):
            found[follower] = Twin(leader, follower, sign)
    return tuple(found.values())


def as_twins(matrix: npt.NDArray[np.float32], twins: tuple[Twin, ...]) -> None:
    """Give every follower the ranks of its leader, in place."""
    for leader, follower, sign in twins:
        matrix[:, follower] = sign * matrix[:, leader]


def around_twins(
    matrix: npt.NDArray[np.float32], mask: npt.NDArray[np.bool_], twins: tuple[Twin, ...]
) -> None:
    """Do the same, in place, where some numbers are known: of two twins one that is known leads.

    >>> rows, known = np.array([[1, 5], [1, 5]], np.float32), np.array([[True, False], [False, True]])
    >>> around_twins(rows, known, (Twin(0, 1, -1),))
    >>> rows.tolist()
    [[1.0, -1.0], [-5.0, 5.0]]
    """
    for leader, follower, sign in twins:
        told = mask[:, follower] & ~mask[:, leader]
        matrix[told, leader] = sign * matrix[told, follower]
        free = ~mask[:, follower]
        matrix[free, follower] = sign * matrix[free, leader]


def _agree(first: npt.NDArray[Any], second: npt.NDArray[Any], sign: int) -> bool:
    """Say whether no two rows have the one larger and the other smaller."""
    other = sign * second.astype(np.float64)
    order = np.lexsort((other, first))
    return bool((np.diff(other[order]) >= 0).all())
