"""Detection: can a classifier tell synthetic rows from real ones (the classifier two-sample test)?

The area under the ROC curve of out-of-fold probabilities, with DeLong's interval. 0.5 is chance and the best;
1 means that every row betrays its table. An area well below 0.5 is no success either: it takes tables that
avoid each other's rows, or share them, to mislead a classifier.

Formatting cannot win: rows are compared in the coded representation, see `measuring.telling`. That public
tree-based detectors nearly always win by decimals and integers kept as floats is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.measuring.booster import booster_name
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import delong
from understudy.measuring.measure import Level, Measure
from understudy.measuring.telling import FEWEST, FORMATTING, Told, alike, said_of_size, tell_apart
from understudy.table.evidence import Evidence

__all__ = ["Detection"]


@final
@dataclass(frozen=True)
class Detection(Measure):
    """Area under the ROC curve of telling synthetic from real rows; 0.5 is best.

    rows     drawn of each table, equally many
    folds    of the cross-validation
    rounds   of boosting

    The interval is that of the rows judged; that other rows would teach another model is not in it.
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "standard"

    rows: int = check.integer(50_000, low=100, high=1_000_000)
    folds: int = check.integer(5, low=2, high=20)
    rounds: int = check.integer(100, low=1, high=10_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Hold out each fold in turn and rank its rows."""
        tables = evidence.coded("train"), evidence.coded("synthetic")
        real, synthetic = alike(tables, self.rows, rng)
        if len(real) < FEWEST:
            note = f"undefined: a table has fewer than {FEWEST} rows"
            return Finding(Score(math.nan), math.nan, math.nan, 0.5, 2 * len(real), (note,))
        told = tell_apart(real, synthetic, rng, folds=self.folds, rounds=self.rounds)
        area, (low, high) = delong(told.synthetic, told.real)
        notes = (f"classifier: {booster_name()}", FORMATTING, *said_of_size(tables, len(real)))
        return Finding(Score(area, {"accuracy": _accuracy(told)}), low, high, 0.5, 2 * len(real), notes)


def _accuracy(told: Told) -> float:
    """Return the share of rows that are told right; a probability of one half counts half."""
    sides = np.concatenate([told.synthetic - 0.5, 0.5 - told.real])
    return float(np.mean((sides > 0) + 0.5 * (sides == 0)))
