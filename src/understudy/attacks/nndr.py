"""NNDR: do synthetic rows stand out to one training row rather than to several?

The ratio of the distances to the nearest and to the second nearest training row, 0 to 1; a copy of a row that
is alone has 0. The value is the mean ratio; the null is the mean ratio to as many holdout rows, which nobody
copied. Two nearest rows at distance 0 make no difference between them, and their ratio is 1.

It describes: see `dcr`. The interval is that of the difference from the null; ratios that share one of their
two training rows are not taken for independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.measuring.encoder import Matrix
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level, Measure
from understudy.measuring.nearby import (
    DESCRIPTION,
    freedom,
    interval_of,
    nearby,
    square_error_of_pairs,
    undefined,
)
from understudy.rng import seed_of
from understudy.table.evidence import Evidence

__all__ = ["NNDR", "ratios"]


@final
@dataclass(frozen=True)
class NNDR(Measure):
    """Mean ratio of the distances to the nearest and second nearest training row (a description).

    rows   of larger tables so many are drawn
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "quick"

    rows: int = check.integer(20_000, low=2, high=10_000_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Take the ratios to training rows, and to holdout rows for the null."""
        if not evidence.has("holdout"):
            return undefined("it needs a holdout table")
        found = nearby(evidence, self.rows, seed_of(rng))
        if found.size < 2:
            return undefined("it needs 2 rows of train and of holdout")
        sides = (found.train, found.holdout)
        near, far = (ratios(side.distances) for side in sides)
        square = sum(square_error_of_pairs(ratios(side.distances), side.rows) for side in sides)
        free = min(freedom(side.rows[:, place]) for side in sides for place in (0, 1))
        value, groups = float(near.mean()), len(np.unique(found.train.rows[:, 0]))
        low, high = interval_of(value, square, groups, free)
        parts = {"percentile_5": _low(near), "holdout_percentile_5": _low(far)}
        return Finding(Score(value, parts), low, high, float(far.mean()), len(near), (DESCRIPTION,))


def ratios(distances: Matrix) -> Matrix:
    """Return nearest over second nearest, of (rows, 2) distances.

    >>> ratios(np.array([[1.0, 2.0], [0.0, 3.0], [0.0, 0.0]])).tolist()
    [0.5, 0.0, 1.0]
    """
    first, second = distances.T
    return np.where(second > 0, first / np.where(second > 0, second, 1.0), 1.0)


def _low(values: Matrix) -> float:
    return float(np.quantile(values, 0.05))
