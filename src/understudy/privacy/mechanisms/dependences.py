"""How far pairs of columns are from independence: all scores at once, with Gaussian noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.events import Gaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.on_grid import from_grid, rounded_gaussian, to_grid
from understudy.privacy.stream import Stream

__all__ = ["GRID", "Dependences"]

GRID = 2.0**-10  # rows; far below one row, and sums of multiples of it are exact up to 2^43 rows


@final
@dataclass(frozen=True)
class Dependences(Mechanism):
    """The sum of |n_ab - e_ab| over the cells of each table, with Gaussian noise (InDif, Zhang et al. 2021).

    With `expected`, e is public: what released margins say of independent columns. Without, e is
    n_a n_b / n of the rows themselves, as in the paper.

    Guarantee. With expected tables, a row added or removed moves one cell of each table by 1, so each score
    by at most 1; expectations are rounded to the grid, so scores are whole numbers of steps, without error.
    Without, write p and q for the shares of the row's own two values before it came, and n for the rows then:
    of the gaps n_ab - n_a n_b / n, its own cell's grows by (1-p)(1-q) n/(n+1), the rest of its line and of
    its column fall by as much each, and all others together grow by as much. So a score moves by at most
    4 (1-p)(1-q) n/(n+1), which is below 4 and comes as near to it as one likes; rounding to the grid and the
    floats before it add at most two steps. The number of rows is not taken as public. Scores are k numbers
    with that sensitivity each, so noise of `price.noise` times it on each is the event Gaussian(noise, k);
    it is rounded to the grid, which is post-processing (see privacy/on_grid.py).
    """

    tables: tuple[Margin, ...]
    price: Gaussian
    expected: tuple[npt.NDArray[np.float64], ...] | None = None

    def __post_init__(self) -> None:
        if self.price.count != len(self.tables):
            raise ParameterError(
                f"Dependences: {len(self.tables)} scores at the price of {self.price.count}."
            )
        if self.expected is not None and len(self.expected) != len(self.tables):
            raise ParameterError("Dependences: needs one expectation per table, or none at all.")

    @property
    def moved_by(self) -> float:
        """How far one row moves a score, in steps of the grid."""
        return 1 / GRID if self.expected is not None else 4 / GRID + 2

    @property
    def event(self) -> Gaussian:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves every score by at most the stated amount."""
        return Sensitivity("l2", self.moved_by * math.sqrt(len(self.tables)), "a row moves each score so far")

    def statistic(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Return the scores in whole steps of the grid."""
        expected = self.expected or (None,) * len(self.tables)
        pairs = zip(self.tables, expected, strict=True)
        scores = [_apart(table.count(columns).reshape(table.shape), each) for table, each in pairs]
        return np.asarray(to_grid(scores, GRID))

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> npt.NDArray[np.float64]:
        """Return the noisy scores, in rows."""
        sigma = self.price.noise * self.moved_by * GRID
        return from_grid(rounded_gaussian(stream, statistic, sigma, GRID), GRID)


def _apart(counts: npt.NDArray[np.int64], expected: npt.NDArray[np.float64] | None) -> float:
    if expected is None:
        first, second = counts.sum(axis=1), counts.sum(axis=0)
        expected = np.outer(first, second) / max(int(counts.sum()), 1)
    else:
        expected = np.rint(expected.reshape(counts.shape) / GRID) * GRID
    return float(np.abs(counts - expected).sum())
