"""Missingness: do cells go missing as often, and together, as in the real table?

For each column the difference of the missing rates, for each two columns the difference of the rates at
which both are missing; the score is the mean over all of them, in [0, 1]. Public scores drop missing cells
first and so never see them (notes on SDMetrics' column shapes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Score
from understudy.measuring.measure import Level
from understudy.missing import is_missing
from understudy.table.coded import CodedTable

__all__ = ["Missingness"]


@final
@dataclass(frozen=True)
class Missingness(Comparison):
    """Mean difference of missing rates, of columns and of pairs; 0 is best.

    >>> from understudy.table.evidence import Evidence
    >>> whole, holes = {"a": [1.5, 2.5, 3.5, 4.5]}, {"a": [1.5, None, 3.5, 4.5]}
    >>> import pyarrow as pa
    >>> Missingness()(Evidence(train=pa.table(whole), synthetic=pa.table(holes))).value
    0.25
    """

    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare the rates of columns and of pairs."""
        gap = np.abs(_rates(real) - _rates(synthetic))
        columns = np.diag(gap)
        pairs = gap[np.triu_indices(len(gap), 1)]
        parts = {"columns": float(columns.mean()), "worst_column": float(columns.max())}
        if len(pairs):
            parts["pairs"] = float(pairs.mean())
        return Score(float(np.concatenate([columns, pairs]).mean()), parts)


def _rates(table: CodedTable) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return how often two columns are both missing; a column and itself: how often it is."""
    holes = np.column_stack([is_missing(table[column.name]) for column in table.domain]).astype(np.float32)
    return np.asarray(holes.T.astype(np.float64) @ holes / len(table))
