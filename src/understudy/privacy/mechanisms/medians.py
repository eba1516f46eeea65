"""Recursive medians: cutting a range into parts of about equal numbers of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing
from understudy.privacy.events import Selection
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.privacy.mechanisms.selection import ChooseInEach, Scores

__all__ = ["MedianScores", "recursive_medians"]

# Where a range may be cut, as shares of it: evenly, and closer and closer to both of its ends, as rows may
# all lie near one end of bounds that are far too wide.
_NEAR = 0.5 ** np.arange(8, 54)
_EVEN = np.arange(1, 160) / 160
SHARES: npt.NDArray[np.float64] = np.unique(np.concatenate([_EVEN, _NEAR, 1 - _NEAR]))
# Where rows are too few to decide, a cut close to an end would make a part of no width: these start behind.
_BEHIND = np.where(np.isin(SHARES, _EVEN), 0.0, np.log(0.02))
_BARRED = -1e15  # a score so low that no Gumbel noise lifts it; the same for every table


@final
@dataclass(frozen=True)
class MedianScores(Scores):
    """How well each of some cuts halves the rows between two edges; `cuts` is (groups, candidates).

    The score of a cut c in a group of m rows is -|#(rows below c) - m / 2|, plus what it is ahead by from the
    start, which is public. A row added to the group moves the number below by 0 or 1 and m / 2 by 1 / 2, so
    the difference, and the score, by 1 / 2. A row lies between two neighbouring edges only, so it moves the
    scores of one group.
    """

    column: str
    edges: npt.NDArray[Any]
    cuts: npt.NDArray[Any]
    barred: npt.NDArray[np.bool_]
    ahead: npt.NDArray[np.float64] | float = 0.0

    @property
    def moved_by(self) -> float:
        """One half, as shown above."""
        return 0.5

    def score(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return minus the distance of every cut from the middle of its group."""
        values = columns[self.column]
        values = np.sort(np.clip(values[~is_missing(values)], self.edges[0], self.edges[-1]))
        starts = np.searchsorted(values, self.edges[:-1], side="left")
        ends = np.append(starts[1:], len(values))
        below = np.searchsorted(values, self.cuts, side="left") - starts[:, None]
        scores = -np.abs(below - (ends - starts)[:, None] / 2)
        return np.where(self.barred, _BARRED, scores + self.ahead)


def recursive_medians(
    read: Callable[[Mechanism], Any], column: str, ends: tuple[Any, Any], *, depth: int, epsilon: float
) -> npt.NDArray[Any]:
    """Return increasing edges, the two ends among them, that cut the rows into parts of similar size.

    Guarantee. Each of the `depth` rounds is one selection of price epsilon (ChooseInEach): the groups
    are the parts cut so far, which are public, and disjoint. Rounds compose: Selection(epsilon, depth).
    """
    whole = not isinstance(ends[0], float)
    edges = np.array(ends, dtype=np.int64 if whole else np.float64)
    for _ in range(depth):
        cuts, barred = _candidates(edges, whole)
        # The exponent of a choice is epsilon times the score, so this is a weight of 0.02 at any epsilon.
        scores = MedianScores(column, edges, cuts, barred, _BEHIND / epsilon)
        chosen = read(ChooseInEach(scores, Selection(epsilon)))
        groups = np.flatnonzero(~barred.all(axis=1))
        edges = np.unique(np.concatenate([edges, cuts[groups, chosen[groups]]]))
    return edges


def _candidates(edges: npt.NDArray[Any], whole: bool) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return increasing cuts in every group, and which of them cut nothing off or repeat another."""
    low, high = edges[:-1, None], edges[1:, None]
    gap = (high - low).astype(np.float64) * SHARES
    cuts = low + (np.rint(gap).astype(np.int64) if whole else gap)
    repeated = np.zeros(cuts.shape, dtype=bool)
    repeated[:, 1:] = cuts[:, 1:] == cuts[:, :-1]
    return cuts, (cuts <= low) | (cuts >= high) | repeated
