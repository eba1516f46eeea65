"""Conditions on one column, in the arrays' own terms: which codes, which range, or missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing

__all__ = ["Among", "Between", "Condition", "Conditions", "IsMissing", "accepted"]


@final
@dataclass(frozen=True)
class Among:
    """The code is one of those allowed; `allowed` has one place per level and a last one for missing."""

    allowed: npt.NDArray[np.bool_]

    def accepts(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Say which entries satisfy the condition; the code -1 looks up the last place."""
        return np.asarray(self.allowed[values])


@final
@dataclass(frozen=True)
class Between:
    """The quantity is there and lies in [low, high]."""

    low: float
    high: float

    def accepts(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Say which entries satisfy the condition; NaN and the missing step never do."""
        return np.asarray((values >= self.low) & (values <= self.high) & ~is_missing(values))


@final
@dataclass(frozen=True)
class IsMissing:
    """The quantity is missing."""

    def accepts(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Say which entries satisfy the condition."""
        return is_missing(values)


Condition = Among | Between | IsMissing
Conditions = Mapping[str, Condition]


def accepted(
    columns: Mapping[str, npt.NDArray[Any]], conditions: Conditions, rows: int
) -> npt.NDArray[np.bool_]:
    """Say which rows satisfy all conditions."""
    good = np.ones(rows, dtype=bool)
    for name, condition in conditions.items():
        good &= condition.accepts(columns[name])
    return good
