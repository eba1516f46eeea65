"""What is measured, in one sentence, and the paper and equation it comes from.

(Copy this file to src/understudy/metrics/<name>.py. A metric judges tables: it never imports a synthesizer.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Score
from understudy.measuring.measure import Level
from understudy.missing import is_missing
from understudy.table.coded import CodedTable

__all__ = ["MyMetric"]


@final
@dataclass(frozen=True)
class MyMetric(Comparison):
    """Mean difference of the columns' missing rates, to a power; 0 is best.

    A `Comparison` gets its interval (half tables) and its null (real against real rows) for free. A measure
    that is no score of two tables is a `Measure`, and says both itself in `find`.
    """

    level: ClassVar[Level] = "quick"  # well under 5 seconds on 30,000 rows; else "standard" or "full"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    power: float = check.number(1.0, low=1.0, high=8.0)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare column by column. Codes below 0 and NaN are missing, those from `known` on never real."""
        gaps = {
            column.name: abs(_rate(real, column.name) - _rate(synthetic, column.name))
            for column in real.domain
        }
        value = float(np.mean([gap**self.power for gap in gaps.values()]))
        return Score(value, {"worst_column": max(gaps.values())})


def _rate(table: CodedTable, name: str) -> float:
    return float(is_missing(table[name]).mean())
