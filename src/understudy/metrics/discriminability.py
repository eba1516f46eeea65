"""Discriminability of paper 000 (sec. 3.2): how close a classifier's probabilities stay to one half.

    as printed   1 - mean |p - 1/2|, which cannot fall below 1/2
    rescaled     1 - 2 mean |p - 1/2|, from 0 to 1: the value, since the paper reports scores down to 0.09

Only out-of-fold probabilities count. A classifier's in-sample probabilities are far from one half even for
two tables of one law; the paper does not say which it took. Even out of fold a flexible model is a bit sure
of itself, so two real tables score below 1: the null says by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.measuring.booster import booster_name
from understudy.measuring.canonical import canonical
from understudy.measuring.encoder import Matrix
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level, Measure
from understudy.measuring.telling import FEWEST, FORMATTING, alike, said_of_size, tell_apart
from understudy.table.evidence import Evidence

__all__ = ["Discriminability", "readings"]


@final
@dataclass(frozen=True)
class Discriminability(Measure):
    """1 - 2 mean |p - 1/2| of telling synthetic from real rows; the null, not 1, is what real rows reach.

    rows     drawn of each table, equally many
    folds    of the cross-validation
    rounds   of boosting

    The interval is that of a mean over the rows judged; that other rows teach another model is not in it.
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "standard"

    rows: int = check.integer(5_000, low=100, high=1_000_000)
    folds: int = check.integer(5, low=2, high=20)
    rounds: int = check.integer(100, low=1, high=10_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Judge the two tables, then two parts of the real rows."""
        tables = evidence.coded("train"), evidence.coded("synthetic")
        real, synthetic = alike(tables, self.rows, rng)
        null, note = self._null(evidence, len(real), rng)
        if len(real) < FEWEST:
            undefined = f"undefined: a table has fewer than {FEWEST} rows"
            return Finding(Score(math.nan), math.nan, math.nan, null, 2 * len(real), (undefined,))
        gaps = tell_apart(real, synthetic, rng, folds=self.folds, rounds=self.rounds).gaps
        score = readings(gaps)
        reach = 1.96 * 2 * float(gaps.std()) / math.sqrt(len(gaps))
        low, high = max(0.0, score.value - reach), min(1.0, score.value + reach)
        notes = (f"classifier: {booster_name()}", FORMATTING, *said_of_size(tables, len(real)), *note)
        return Finding(score, low, high, null, 2 * len(real), notes)

    def _null(self, evidence: Evidence, size: int, rng: np.random.Generator) -> tuple[float, tuple[str, ...]]:
        """Return the score of two parts of the real rows, as large as there are rows for, and what to say."""
        rows = evidence.coded("train")
        if evidence.has("holdout"):
            rows = rows.joined(evidence.coded("holdout"))
        half = min(size, len(rows) // 2)
        note = (f"the null compares {half:,} with {half:,} real rows",) if half < size else ()
        if half < FEWEST:
            return math.nan, note
        one, rest = canonical([rows])[0].split(half, rng)
        told = tell_apart(one, rest.draw(half, rng), rng, folds=self.folds, rounds=self.rounds)
        return readings(told.gaps).value, note


def readings(gaps: Matrix) -> Score:
    """Return the rescaled score, and the one as printed, of distances |p - 1/2|.

    >>> score = readings(np.abs(np.array([0.9, 0.6, 0.4, 0.1]) - 0.5))
    >>> round(score.value, 9), round(score.parts["as_printed"], 9)
    (0.5, 0.75)
    """
    mean = float(gaps.mean())
    return Score(1 - 2 * mean, {"as_printed": 1 - mean, "mean_absolute_error": mean})
