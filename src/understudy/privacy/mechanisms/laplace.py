"""Whole-number sums with discrete Laplace noise: pure epsilon, no delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_laplace
from understudy.privacy.events import Pure
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.stream import Stream

__all__ = ["LaplaceCounts"]


@final
@dataclass(frozen=True)
class LaplaceCounts(Mechanism):
    """One table, each count with discrete Laplace noise.

    Guarantee. A row lies in exactly one cell, so adding or removing it moves one whole number by 1.
    The discrete Laplace mechanism of scale t has probabilities proportional to exp(-|z| / t); a shift
    by 1 changes each by a factor of at most exp(1 / t): epsilon = 1 / t, delta = 0 (Ghosh, Roughgarden,
    Sundararajan 2012). `scale` is a whole number, so the sampler decides by exact arithmetic.
    """

    table: Margin
    scale: int

    def __post_init__(self) -> None:
        if isinstance(self.scale, bool) or not isinstance(self.scale, int) or self.scale < 1:
            raise ParameterError(f"LaplaceCounts: scale must be a whole number >= 1; got {self.scale!r}.")

    @property
    def event(self) -> Pure:
        """What this read costs."""
        return Pure(1 / self.scale)

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves one cell by 1."""
        return Sensitivity("l1", 1.0, "one cell, by one row")

    def statistic(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Return the counts."""
        return self.table.count(columns)

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> npt.NDArray[np.int64]:
        """Return the noisy table."""
        noisy = statistic + discrete_laplace(stream, self.scale, len(statistic))
        return np.asarray(noisy).reshape(self.table.shape)
