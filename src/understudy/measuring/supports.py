"""Nested supports of a law: which share of some rows lies within the most typical part of others.

A row's place is its distance from a centre. The support of level a holds the share a of the reference rows
that are closest to it. A row exactly as far as some reference rows is inside for the share of them that is:
so the support of level a holds exactly the share a, however many distances are equal.
"""

from __future__ import annotations

import numpy as np

from understudy.engines.neighbours.points import on_grid
from understudy.measuring.encoder import Matrix

__all__ = ["LEVELS", "agreement", "from_centre", "inside"]

LEVELS = np.linspace(0.0, 1.0, 30)


def from_centre(rows: Matrix, centre: Matrix) -> Matrix:
    """Return the distances from a centre, equal for rows that are equally far on paper.

    >>> from_centre(np.array([[3.0, 4.0]]), np.zeros(2)).tolist()
    [5.0]
    """
    return np.sqrt(on_grid(((rows - centre) ** 2).sum(axis=1)))


def inside(reference: Matrix, distances: Matrix) -> Matrix:
    """Return for each level and each distance how much of it is inside: (levels, distances), from 0 to 1.

    >>> inside(np.array([1.0, 1.0, 2.0]), np.array([1.0]))[[0, -1], 0].tolist()
    [0.0, 1.0]
    """
    ranked = np.sort(reference)
    closer = np.searchsorted(ranked, distances, "left") / len(ranked)
    level = np.searchsorted(ranked, distances, "right") / len(ranked) - closer
    above = LEVELS[:, None] - closer
    # Between two reference distances nothing is shared: a row is inside from the level of the closer ones on.
    shared = np.divide(above, level, out=(above >= 0).astype(np.float64), where=level > 0)
    return np.clip(shared, 0.0, 1.0)


def agreement(shares: Matrix) -> float:
    """Return 1 - sum |level - share| / sum level (Alaa et al. 2022, sec. 3; as public code normalises it).

    >>> agreement(LEVELS), round(agreement(LEVELS / 2), 9)
    (1.0, 0.5)
    """
    return float(1 - np.abs(LEVELS - shares).sum() / LEVELS.sum())
