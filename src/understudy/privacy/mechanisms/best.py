"""Choosing the several best of many candidates by scores of private rows, in one read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.events import Selection
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.mechanisms.table_errors import TableErrors
from understudy.privacy.noise import gumbel
from understudy.privacy.stream import Stream

__all__ = ["ChooseBest"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class ChooseBest(Mechanism):
    """The k tables that are farthest from what is expected of them, the first the farthest.

    Guarantee. One Gumbel draw of scale 2 D / epsilon on each score of sensitivity D (`TableErrors`), and the
    k largest in their order: that has the law of k exponential mechanisms of epsilon, one after the other,
    each among those not yet chosen (Durfee, Rogers 2019, lemma 4.2; Gumbel noise is max-stable). Which are
    left depends on earlier outputs alone, so the price is adaptive composition: Selection(epsilon, k). For
    the rounding of noise and scores see `ChooseInEach`.
    """

    errors: TableErrors
    price: Selection

    def __post_init__(self) -> None:
        if not 1 <= self.price.count <= len(self.errors.tables):
            raise ParameterError("ChooseBest: chooses at least one candidate and at most all.")

    @property
    def event(self) -> Selection:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves each score by at most the largest weight."""
        return Sensitivity("linf", self.errors.moved_by, "a row moves one cell of each table by 1")

    def statistic(self, columns: Columns) -> Floats:
        """Return the scores of all candidates."""
        return np.asarray(self.errors.score(columns)[0])

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> list[int]:
        """Return the places of the chosen candidates."""
        behind = statistic - statistic.max()
        scale = self.price.epsilon / (2 * self.errors.moved_by)
        noisy = behind * scale + gumbel(stream, len(statistic))
        return [int(place) for place in np.argsort(-noisy, kind="stable")[: self.price.count]]
