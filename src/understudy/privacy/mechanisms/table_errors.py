"""How far contingency tables are from what a model says of them: scores to choose the worst by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.mechanism import Columns
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.selection import Scores

__all__ = ["TableErrors"]


@final
@dataclass(frozen=True)
class TableErrors(Scores):
    """One group of candidates: weight * (sum of |counts - expected| over a table - penalty).

    `expected`, `weights` and `penalties` are public. A row added or removed moves one cell of each table by
    1, so each sum by at most 1, and each score by at most its weight: the sensitivity is the largest weight
    (McKenna et al. 2022, section 3.2; for weights of 1 that of MST).
    """

    tables: tuple[Margin, ...]
    expected: tuple[npt.NDArray[np.float64], ...]
    weights: tuple[float, ...]
    penalties: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.tables) == len(self.expected) == len(self.weights) == len(self.penalties) >= 1:
            raise ParameterError("TableErrors: needs one expectation, weight and penalty per table.")

    @property
    def moved_by(self) -> float:
        """The largest weight, as shown above."""
        return max(self.weights)

    def score(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return the scores, as one group."""
        errors = [
            float(np.abs(table.count(columns) - expected.ravel()).sum())
            for table, expected in zip(self.tables, self.expected, strict=True)
        ]
        scores = np.array(self.weights) * (np.array(errors) - np.array(self.penalties))
        return np.asarray(scores[None, :])
