"""Beta-recall: are the real rows covered, and is what covers them new (Alaa et al. 2022)?

A real row is covered if the nearest synthetic row is closer than the nearest other real row; a tie counts
half, `tied` says how many there are. It is covered at level beta if that synthetic row is within the support
of level beta of the synthetic rows around their own mean. The score is 1 - sum |beta - share covered at beta|
/ sum beta over 30 levels.

The target is one half, not 1. Of two fresh samples of one law each has the nearer row half of the time, so
a perfect generator scores about 0.5, and only copies score 1. The null, real rows against other real rows,
shows it.

`authenticity` is the share of synthetic rows that are farther from their nearest real row than that real row
is from the nearest other real row; a tie counts half. (Public code looks the latter up by the number of the
synthetic row.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.neighbours.points import Places
from understudy.engines.neighbours.search import nearest
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.comparison import Comparison
from understudy.measuring.encoder import Encoder, Matrix
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level
from understudy.measuring.supports import agreement, from_centre, inside
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["BetaRecall", "recall"]

_TOO_FEW = "undefined: a table has fewer than 2 rows, and a row needs another for its neighbour"
_TARGET = "the target is about 0.5, what the null shows, and not 1: only copies come near 1"


@final
@dataclass(frozen=True)
class BetaRecall(Comparison):
    """Whether synthetic rows lie as near to real rows as real rows do; about 0.5 is best, see the null.

    asked   so many rows of each table are asked for their nearest rows in the whole tables

    The tables are cut to the same number of rows by drawing: the more rows, the nearer the nearest.
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "standard"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    null_by: ClassVar[Literal["redraw", "split"]] = "split"

    rows: int = check.integer(40_000, low=100, high=1_000_000_000)
    halves: int = check.integer(10, low=4, high=100_000)
    asked: int = check.integer(1_000, low=100, high=1_000_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Compare, and say what to compare with."""
        found = Comparison.find(self, evidence, rng)
        size = min(self.rows, len(evidence.coded("train")), len(evidence.coded("synthetic")))
        if math.isnan(found.score.value):
            return replace(found, notes=(_TOO_FEW, *found.notes))
        asked = f"{self.asked:,} of {size:,} rows of each table were asked for their neighbours"
        said = (_TARGET, asked) if size > self.asked else (_TARGET,)
        return replace(found, notes=(*said, *found.notes))

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare nearest synthetic with nearest real rows."""
        size = min(len(real), len(synthetic))
        if size < 2:
            return Score(math.nan)
        real, synthetic = real.draw(size, rng), synthetic.draw(size, rng)
        encoder = Encoder.fit(real, "range")
        asked = min(size, self.asked)
        ask = [np.sort(rng.choice(size, asked, replace=False)) for _ in range(2)]
        return recall(encoder.matrix(real), encoder.matrix(synthetic), (ask[0], ask[1]))


def recall(known: Matrix, judged: Matrix, asked: tuple[Places, Places]) -> Score:
    """Return beta-recall, the share covered at all, and authenticity, of the asked of the encoded rows.

    >>> rows, all_rows = np.array([[0.0], [1.0], [3.0]]), np.arange(3)
    >>> score = recall(rows, rows, (all_rows, all_rows))
    >>> score.parts["covered"], score.parts["authenticity"]
    (1.0, 0.0)
    """
    real, synthetic = Vectors(known), Vectors(judged)
    cover, back = nearest(real.take(asked[0]), synthetic), nearest(synthetic.take(asked[1]), real)
    # The nearest row of all is the row itself, or a twin: the second is the nearest other.
    apart = nearest(real.take(np.concatenate([asked[0], back.rows[:, 0]])), real, 2).distances[:, 1]
    around, beyond = apart[: len(asked[0])], apart[len(asked[0]) :]
    covered = _larger(around, cover.distances[:, 0])
    places = from_centre(judged, judged.mean(axis=0))
    shares = (inside(places, places[cover.rows[:, 0]]) * covered).mean(axis=1)
    parts = {
        "covered": float(covered.mean()),
        "tied": float((covered == 0.5).mean()),
        "authenticity": float(_larger(back.distances[:, 0], beyond).mean()),
    }
    return Score(agreement(shares), parts)


def _larger(first: Matrix, second: Matrix) -> Matrix:
    """Return 1 where the first is larger, one half where they are equal."""
    return np.asarray((first > second) + 0.5 * (first == second))
