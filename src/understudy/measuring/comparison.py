"""A comparison: a measure that is a score of two tables, with its interval and its null.

The interval. Half of the rows of each table are drawn, without replacement, again and again; the deviation
of the scores of halves estimates that of the score of the whole (the delete-half jackknife: a half has twice
the variance of the whole, and shares half of it with the whole). No row is drawn twice, so scores that look
at nearest rows or train a classifier are not misled by copies. It is the noise of having just these rows of
both tables; how two fits of one method differ is not in it.

The null. What two real tables of the same sizes would score: either two fresh draws of the law that the real
rows make up (with replacement), or, where copies mislead, two parts of the real rows without a row in common
(then smaller than the tables judged, which a note says).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from understudy import check
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import around
from understudy.measuring.measure import Measure
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["Comparison"]


@dataclass(frozen=True)
class Comparison(Measure):
    """A score of the training rows (or the holdout, see `real_role`) and the synthetic rows.

    rows     of larger tables so many rows are drawn; a note says so
    halves   draws for the interval
    nulls    real-against-real draws, whose mean is the null
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    null_by: ClassVar[Literal["redraw", "split"]] = "redraw"

    rows: int = check.integer(100_000, low=100, high=1_000_000_000)
    halves: int = check.integer(20, low=4, high=100_000)
    nulls: int = check.integer(5, low=1, high=100_000)

    @abstractmethod
    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Score one table against another of the same domain; the first is the real one."""

    def real_role(self) -> Role:
        """The real rows to compare with; a measure may choose the holdout."""
        return "train"

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Score the tables, their halves, and real rows against real rows."""
        real = evidence.coded(self.real_role()).draw(self.rows, rng)
        synthetic = evidence.coded("synthetic").draw(self.rows, rng)
        score = self.score(real, synthetic, rng)
        low, high = around(score.value, self._of_halves(real, synthetic, rng), self.bounds)
        null, said = self._null(evidence, (len(real), len(synthetic)), rng)
        notes = (*self._said_of_size(evidence), *said)
        return Finding(score, low, high, null, len(real) + len(synthetic), notes)

    def _of_halves(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> list[float]:
        if min(len(real), len(synthetic)) < 2:
            return []  # a single row has no half; without draws there is no interval
        one, other = len(real) // 2, len(synthetic) // 2
        return [
            self.score(real.draw(one, rng), synthetic.draw(other, rng), rng).value for _ in range(self.halves)
        ]

    def _null(
        self, evidence: Evidence, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[float, tuple[str, ...]]:
        rows = evidence.coded("train")
        if evidence.has("holdout"):
            rows = rows.joined(evidence.coded("holdout"))
        if len(rows) < 2:
            return math.nan, ("there is no null: it needs 2 real rows",)
        if self.null_by == "split":
            sizes, wanted = _fitting(sizes, len(rows)), sizes
            said = f"the null compares {sizes[0]:,} with {sizes[1]:,} real rows"
            notes = () if sizes == wanted else (said,)
        else:
            notes = ()
        scores = [self.score(*self._real_pair(rows, sizes, rng), rng).value for _ in range(self.nulls)]
        known = [value for value in scores if not math.isnan(value)]
        return float(np.mean(known)) if known else math.nan, notes

    def _real_pair(
        self, rows: CodedTable, sizes: tuple[int, int], rng: np.random.Generator
    ) -> tuple[CodedTable, CodedTable]:
        if self.null_by == "redraw":
            return rows.redraw(sizes[0], rng), rows.redraw(sizes[1], rng)
        one, rest = rows.split(sizes[0], rng)
        return one, rest.draw(sizes[1], rng)

    def _said_of_size(self, evidence: Evidence) -> tuple[str, ...]:
        roles: tuple[Role, ...] = (self.real_role(), "synthetic")
        sizes = {role: len(evidence.coded(role)) for role in roles}
        return tuple(
            f"{self.rows:,} of {size:,} {role} rows were drawn"
            for role, size in sizes.items()
            if size > self.rows
        )


def _fitting(sizes: tuple[int, int], rows: int) -> tuple[int, int]:
    """Return sizes in the same proportion that so many rows can fill, without a row in common."""
    share = min(1.0, rows / sum(sizes))
    first = min(rows - 1, max(1, int(sizes[0] * share)))
    return first, min(rows - first, max(1, int(sizes[1] * share)))
