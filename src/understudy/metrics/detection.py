"""Detection: can a classifier tell synthetic rows from real ones (the classifier two-sample test)?

The area under the ROC curve of out-of-fold probabilities, within folds. A fresh sample of the law that the
real rows came from has 0.5 in the mean, exactly, in tables of any size, and this is the null; 1 means that
every row betrays its table. An area below 0.5 is closer to these rows than a fresh sample would be: where the
rows held out are more than usual of a kind, those learned from are fewer, and a synthesizer fitted to all of
them has the mean. Statistics of the rows do this a little (a Gaussian copula has 0.45 to 0.5 in 500 rows),
and so do near copies, which are no success: the attacks tell these.

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
from understudy.measuring.measure import Level, Measure
from understudy.measuring.telling import FEWEST, FORMATTING, Told, alike, said_of_size, tell_apart
from understudy.table.evidence import Evidence

__all__ = ["BELOW", "Detection"]

BELOW = "below 0.5: closer to these rows than a fresh sample, by what was fitted or by near copies"


@final
@dataclass(frozen=True)
class Detection(Measure):
    """Area under the ROC curve of telling synthetic from real rows; fresh real rows have 0.5.

    rows     drawn of each table, equally many
    folds    of the cross-validation
    rounds   of boosting

    The interval is of the rows judged and learned from: it covers 0.5 for 95 % of fresh samples or more.
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
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
        area, (low, high) = told.area
        below = (BELOW,) if high < 0.5 else ()
        notes = (f"classifier: {booster_name()}", FORMATTING, *said_of_size(tables, len(real)), *below)
        return Finding(Score(area, {"accuracy": _accuracy(told)}), low, high, 0.5, 2 * len(real), notes)


def _accuracy(told: Told) -> float:
    """Return the share of rows that are told right; a probability of one half counts half."""
    sides = np.concatenate([told.synthetic - 0.5, 0.5 - told.real])
    return float(np.mean((sides > 0) + 0.5 * (sides == 0)))
