"""Choosing a spanning tree of columns, pair by pair: the selection of MST."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

__all__ = ["ChooseTree", "kruskal"]

Pair = tuple[int, int]
Floats = npt.NDArray[np.float64]


def kruskal(
    pairs: Sequence[Pair], columns: int, noisy: Callable[[npt.NDArray[np.int64]], Floats]
) -> list[int]:
    """Return the places of pairs that tie all columns together, best first, none closing a circle.

    `noisy` gives the scores of the candidates at the given places; it is asked anew in every round
    (Kruskal 1956).

    >>> kruskal([(0, 1), (0, 2), (1, 2)], 3, lambda at: np.array([3.0, 1.0, 2.0])[at])
    [0, 2]
    """
    part = np.arange(columns)
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    chosen: list[int] = []
    for _ in range(columns - 1):
        candidates = np.flatnonzero(part[first] != part[second])
        best = int(candidates[np.argmax(noisy(candidates))])
        chosen.append(best)
        part[part == part[second[best]]] = part[first[best]]
    return chosen


@final
@dataclass(frozen=True)
class ChooseTree(Mechanism):
    """A spanning tree of columns by the errors of their pairs' tables.

    Guarantee. Each of the d - 1 rounds is the exponential mechanism over the pairs that close no circle with
    those chosen before: fresh Gumbel noise of scale 2 D / epsilon on scores of sensitivity D (`TableErrors`).
    Which pairs may be chosen depends on earlier outputs alone, so the rounds compose adaptively:
    Selection(epsilon, d - 1). For the rounding of noise and scores see `ChooseInEach`.
    """

    errors: TableErrors
    pairs: tuple[Pair, ...]
    columns: int
    price: Selection

    def __post_init__(self) -> None:
        if len(self.pairs) != len(self.errors.tables) or self.price.count != self.columns - 1:
            raise ParameterError("ChooseTree: needs a pair per table and the price of one choice per round.")

    @property
    def event(self) -> Selection:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves each score by at most the largest weight."""
        return Sensitivity("linf", self.errors.moved_by, "a row moves one cell of each table by 1")

    def statistic(self, columns: Columns) -> Floats:
        """Return the scores of all pairs."""
        return np.asarray(self.errors.score(columns)[0])

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> list[int]:
        """Return the places of the chosen pairs, in the order they were chosen in."""
        scale = self.price.epsilon / (2 * self.errors.moved_by)

        def noisy(at: npt.NDArray[np.int64]) -> Floats:
            # From the best of those left: what decides is then a small number with all its bits.
            behind = statistic[at] - statistic[at].max()
            return np.asarray(behind * scale + gumbel(stream, len(at)))

        return kruskal(self.pairs, self.columns, noisy)
