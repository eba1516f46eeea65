"""Identical matches: the share of synthetic rows that are training rows, cell for cell (IMS).

The null is the share that are holdout rows, of which there are as many: where a table has few columns and
levels, rows coincide by chance, and these are no copies. Two missing cells are identical. Without a holdout
the null is the share of training rows that another training row equals: what a fresh row would meet.

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
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level, Measure
from understudy.measuring.nearby import DESCRIPTION, interval_of, square_error, tables_of, undefined
from understudy.rng import seed_of
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence
from understudy.table.roles import row_keys

__all__ = ["IdenticalMatch"]


@final
@dataclass(frozen=True)
class IdenticalMatch(Measure):
    """Share of synthetic rows that are equal to a training row in every column (a description).

    rows   of larger tables so many are drawn
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "null"
    level: ClassVar[Level] = "quick"

    rows: int = check.integer(1_000_000, low=2, high=100_000_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Look every synthetic row up among training rows, and among as many holdout rows."""
        if not evidence.has("holdout"):
            return self._alone(evidence, rng)
        train, holdout, synthetic = map(row_keys, tables_of(evidence, self.rows, seed_of(rng)))
        copied, chance = (np.isin(synthetic, real).astype(np.float64) for real in (train, holdout))
        square = sum(square_error(values, synthetic) for values in (copied, chance))
        value = float(copied.mean())
        low, high = interval_of(value, square, len(np.unique(synthetic)))
        whole = _among(evidence.coded("synthetic"), evidence.coded("train"))
        parts = {"among_all_training_rows": whole, "among_holdout_rows": float(chance.mean())}
        return Finding(Score(value, parts), low, high, float(chance.mean()), len(copied), (DESCRIPTION,))

    def _alone(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Look synthetic rows up among training rows, and these among each other."""
        train, synthetic = canonical([evidence.coded(role) for role in ("train", "synthetic")])
        size = min(self.rows, len(train))
        if size < 2:
            return undefined("it needs a holdout table, or two training rows")
        known, made = row_keys(train.draw(size, rng)), row_keys(synthetic.draw(self.rows, rng))
        twice = _met_by_others(known)
        copied = np.isin(made, known).astype(np.float64)
        square = square_error(copied, made) + square_error(twice, known)
        value = float(copied.mean())
        low, high = interval_of(value, square, min(len(np.unique(made)), len(np.unique(known))))
        parts = {"among_all_training_rows": _among(synthetic, train)}
        note = "no holdout: the null is the share of training rows that another one equals"
        return Finding(Score(value, parts), low, high, float(twice.mean()), len(made), (DESCRIPTION, note))


def _met_by_others(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Say of each row whether another one is equal to it."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return (counts[places] > 1).astype(np.float64)


def _among(synthetic: CodedTable, real: CodedTable) -> float:
    return float(np.isin(row_keys(synthetic), row_keys(real)).mean())
