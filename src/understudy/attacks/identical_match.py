"""Identical matches: the share of synthetic rows that are training rows, cell for cell (IMS).

The null is the share that are holdout rows, of which there are as many: where a table has few columns and
levels, rows coincide by chance, and these are no copies. Two missing cells are identical.

It describes: a table without a single match can still betray records, by rows that are nearly the same. The
interval is that of the difference from the null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
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
            return undefined("it needs a holdout table")
        train, holdout, synthetic = map(row_keys, tables_of(evidence, self.rows, seed_of(rng)))
        copied, chance = (np.isin(synthetic, real).astype(np.float64) for real in (train, holdout))
        square = sum(square_error(values, synthetic) for values in (copied, chance))
        value = float(copied.mean())
        low, high = interval_of(value, square, len(np.unique(synthetic)))
        whole = _among(evidence.coded("synthetic"), evidence.coded("train"))
        parts = {"among_all_training_rows": whole, "among_holdout_rows": float(chance.mean())}
        return Finding(Score(value, parts), low, high, float(chance.mean()), len(copied), (DESCRIPTION,))


def _among(synthetic: CodedTable, real: CodedTable) -> float:
    return float(np.isin(row_keys(synthetic), row_keys(real)).mean())
