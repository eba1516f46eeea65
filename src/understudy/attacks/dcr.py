"""DCR: are synthetic rows closer to training rows than to rows that were never learned from?

The distance to the closest record, compared as it must be: the share of synthetic rows that are closer to
a training row than to any of as many holdout rows, ties counting half. 0.5 is what a generator scores that
never saw either table, 1 what a copy does. The 5th percentile and the median of the distances themselves are
parts, each with its twin against the holdout.

It describes. A table that scores 0.5 can still betray single records ("The DCR Delusion", Yao et al. 2025).
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
    Nearby,
    freedom,
    interval_of,
    nearby,
    square_error,
    undefined,
)
from understudy.rng import seed_of
from understudy.table.evidence import Evidence

__all__ = ["DCR", "closer_share"]


@final
@dataclass(frozen=True)
class DCR(Measure):
    """Share of synthetic rows that are closer to a training row than to as many holdout rows (a description).

    rows   of larger tables so many are drawn
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "quick"

    rows: int = check.integer(20_000, low=2, high=10_000_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Compare both distances of every synthetic row."""
        if not evidence.has("holdout"):
            return undefined("it needs a holdout table", null=0.5)
        found = nearby(evidence, self.rows, seed_of(rng))
        near, far = found.train.distances[:, 0], found.holdout.distances[:, 0]
        wins = _wins(near, far)
        groups = _winners(found, wins)
        share = float(wins.mean())
        square = square_error(wins, groups)
        low, high = interval_of(share, square, len(np.unique(groups)), freedom(groups))
        parts = {"share_closer_to_train": share} | _distances("train", near) | _distances("holdout", far)
        return Finding(Score(share, parts), low, high, 0.5, len(wins), (DESCRIPTION,))


def closer_share(train: Matrix, holdout: Matrix) -> float:
    """Return the share of rows whose distance to train is the smaller one, ties half.

    >>> closer_share(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]))
    0.5
    """
    return float(_wins(train, holdout).mean())


def _wins(train: Matrix, holdout: Matrix) -> Matrix:
    return np.asarray((train < holdout) + 0.5 * (train == holdout))


def _winners(found: Nearby, wins: Matrix) -> Matrix:
    """Return the real row, of both tables, that is nearest to each synthetic one."""
    rows = np.where(wins > 0, found.train.rows[:, 0], found.size + found.holdout.rows[:, 0])
    return np.asarray(rows, dtype=np.float64)


def _distances(role: str, values: Matrix) -> dict[str, float]:
    low, middle = np.quantile(values, [0.05, 0.5])
    return {f"{role}_percentile_5": float(low), f"{role}_median": float(middle)}
