"""Choosing one of several candidates by a score of private rows: the exponential mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.events import Selection
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.noise import gumbel
from understudy.privacy.stream import Stream

__all__ = ["ChooseInEach", "Scores"]


class Scores(ABC):
    """A (groups, candidates) table of scores; one row of data moves scores of one group only."""

    @property
    @abstractmethod
    def moved_by(self) -> float:
        """How far one row moves any score of its group."""

    @abstractmethod
    def score(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return the scores; a candidate that may not be chosen has one very low score, whatever the rows."""


@final
@dataclass(frozen=True)
class ChooseInEach(Mechanism):
    """The best candidate of each group, found with Gumbel noise.

    Guarantee. Adding Gumbel noise of scale 2 D / epsilon to scores of sensitivity D and taking the
    largest is the exponential mechanism (McSherry, Talwar 2007), epsilon-DP and of range at most
    epsilon (Durfee, Rogers 2019). The groups are disjoint sets of rows, so a row added or removed
    touches the choice in one group only and the price is that of one choice (parallel composition
    under add-or-remove). The output is a place in a public list: it has no float bits to leak. Noise
    and scores are doubles, scores taken from the best of their group, so that what decides is a small
    number with all its bits; by rounding, ties and the ends of the noise, a choice is off by less than
    2^-40 in total variation.
    """

    scores: Scores
    price: Selection

    def __post_init__(self) -> None:
        if self.price.count != 1 or not self.scores.moved_by > 0:
            raise ParameterError("ChooseInEach: needs the price of one selection and a sensitivity > 0.")

    @property
    def event(self) -> Selection:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves each score of its group by at most the stated amount."""
        return Sensitivity(
            "linf", self.scores.moved_by, "a row lies in one group and moves its scores so far"
        )

    def statistic(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return the scores."""
        return self.scores.score(columns)

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how far scores are apart, groups added up: choices in two groups would be two choices."""
        return float(np.abs(left - right).max(axis=1, initial=0.0).sum())

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> npt.NDArray[np.int64]:
        """Return the place of the chosen candidate in each group."""
        behind = statistic - statistic.max(axis=1, keepdims=True)
        noisy = behind * (self.price.epsilon / (2 * self.scores.moved_by)) + gumbel(stream, statistic.shape)
        return np.asarray(np.argmax(noisy, axis=1), dtype=np.int64)
