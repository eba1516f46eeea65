"""Discriminability of paper 000 (sec. 3.2): how close a classifier's probabilities stay to one half.

    as printed   1 - mean |p - 1/2|, which cannot fall below 1/2
    rescaled     1 - 2 mean |p - 1/2|, from 0 to 1: the value, since the paper reports scores down to 0.09

Only out-of-fold probabilities count. A classifier's in-sample probabilities are far from one half even for
two tables of one law; the paper does not say which it took. Even out of fold a flexible model is a bit sure
of itself, the more so the fewer rows there are, so two real tables score below 1: the null says by how much.
It takes two real tables as large as those judged, so without a holdout half of the rows are judged. A single
split of the real rows is a draw like any other: the null is the mean of several, and how far they differ,
which is what other rows and other models change, is in the interval.
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
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["Discriminability", "readings"]


@final
@dataclass(frozen=True)
class Discriminability(Measure):
    """1 - 2 mean |p - 1/2| of telling synthetic from real rows; the null, not 1, is what real rows reach.

    rows     drawn of each table, equally many; at most half of the real rows (training and holdout) there are
    folds    of the cross-validation
    rounds   of boosting
    nulls    splits of the real rows, whose mean is the null; one alone has no deviation to widen the interval

    The square of the interval's reach is that of a mean over the rows judged, and that of the splits' scores.
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "standard"

    rows: int = check.integer(5_000, low=100, high=1_000_000)
    folds: int = check.integer(5, low=2, high=20)
    rounds: int = check.integer(100, low=1, high=10_000)
    nulls: int = check.integer(5, low=1, high=100_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Judge the two tables, then two parts of the real rows."""
        tables = evidence.coded("train"), evidence.coded("synthetic")
        pool = tables[0].joined(evidence.coded("holdout")) if evidence.has("holdout") else tables[0]
        half = len(pool) // 2
        # A score depends on how many rows were learned from: one of other sizes than its null tells nothing.
        real, synthetic = alike(tables, min(self.rows, half) if half >= FEWEST else self.rows, rng)
        splits, note = self._splits(pool, len(real), rng)
        null = float(np.mean(splits)) if splits else math.nan
        if len(real) < FEWEST:
            undefined = f"undefined: a table has fewer than {FEWEST} rows"
            return Finding(Score(math.nan), math.nan, math.nan, null, 2 * len(real), (undefined,))
        gaps = tell_apart(real, synthetic, rng, folds=self.folds, rounds=self.rounds).gaps
        score = readings(gaps)
        between = float(np.std(splits, ddof=1)) if len(splits) > 1 else 0.0
        reach = 1.96 * math.hypot(2 * float(gaps.std()) / math.sqrt(len(gaps)), between)
        low, high = max(0.0, score.value - reach), min(1.0, score.value + reach)
        notes = (f"classifier: {booster_name()}", FORMATTING, *said_of_size(tables, len(real)), *note)
        return Finding(score, low, high, null, 2 * len(real), notes)

    def _splits(
        self, pool: CodedTable, size: int, rng: np.random.Generator
    ) -> tuple[list[float], tuple[str, ...]]:
        """Return the scores of pairs of parts of the real rows of this size, or why there are none."""
        if size < FEWEST or len(pool) < 2 * size:
            return [], (f"there is no null: it needs {2 * FEWEST} real rows",)
        ordered = canonical([pool])[0]
        return [self._of_split(ordered, size, rng) for _ in range(self.nulls)], ()

    def _of_split(self, pool: CodedTable, size: int, rng: np.random.Generator) -> float:
        one, rest = pool.split(size, rng)
        told = tell_apart(one, rest.draw(size, rng), rng, folds=self.folds, rounds=self.rounds)
        return readings(told.gaps).value


def readings(gaps: Matrix) -> Score:
    """Return the rescaled score, and the one as printed, of distances |p - 1/2|.

    >>> score = readings(np.abs(np.array([0.9, 0.6, 0.4, 0.1]) - 0.5))
    >>> round(score.value, 9), round(score.parts["as_printed"], 9)
    (0.5, 0.75)
    """
    mean = float(gaps.mean())
    return Score(1 - 2 * mean, {"as_printed": 1 - mean, "mean_absolute_error": mean})
