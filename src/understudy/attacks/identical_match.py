"""Identical matches: the share of synthetic rows that are training rows, cell for cell (IMS).

The null is the share that chance explains: where a table has few columns and levels, rows coincide, and these
are no copies. It is told by holdout rows, compared with as many training rows; parts hold both shares. Two
missing cells are identical. Without a holdout the null is the share of training rows that another training
row equals: what a fresh row would meet.

It describes: a table without a single match can still betray records, by rows that are nearly the same. The
interval is that of the difference from the null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.measuring.canonical import canonical
from understudy.measuring.coincidence import coincidence
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level, Measure
from understudy.measuring.nearby import DESCRIPTION, interval_of, square_error, undefined
from understudy.table.evidence import Evidence
from understudy.table.roles import row_keys

__all__ = ["IdenticalMatch"]


@final
@dataclass(frozen=True)
class IdenticalMatch(Measure):
    """Share of synthetic rows that are equal to a training row in every column (a description).

    rows   of more synthetic or holdout rows so many are drawn; all training rows are looked at
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "quick"

    rows: int = check.integer(1_000_000, low=2, high=100_000_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Look synthetic rows up among all training rows; holdout rows tell what chance explains."""
        if not evidence.has("holdout"):
            return self._alone(evidence, rng)
        train, holdout, synthetic = canonical([evidence.coded(r) for r in ("train", "holdout", "synthetic")])
        few, made = (row_keys(table.draw(self.rows, rng)) for table in (holdout, synthetic))
        found = coincidence(row_keys(train), few, made)
        parts = {
            "among_as_many_training_rows": found.among_as_many,
            "among_holdout_rows": found.among_holdout,
        }
        return Finding(Score(found.among_all, parts), *found.interval, found.null, len(made), (DESCRIPTION,))

    def _alone(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Look synthetic rows up among training rows, and these among each other."""
        train, synthetic = canonical([evidence.coded(role) for role in ("train", "synthetic")])
        if len(train) < 2:
            return undefined("it needs a holdout table, or two training rows")
        known, made = row_keys(train), row_keys(synthetic.draw(self.rows, rng))
        twice = _met_by_others(known)
        copied = np.isin(made, known).astype(np.float64)
        square = square_error(copied, made) + square_error(twice, known)
        value = float(copied.mean())
        low, high = interval_of(value, square, min(len(np.unique(made)), len(np.unique(known))))
        note = "no holdout: the null is the share of training rows that another one equals"
        return Finding(Score(value), low, high, float(twice.mean()), len(made), (DESCRIPTION, note))


def _met_by_others(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Say of each row whether another one is equal to it."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return (counts[places] > 1).astype(np.float64)
