"""What tables tell beyond the tables of fewer columns, with less noise than whole tables need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_gaussian
from understudy.privacy.events import Gaussian
from understudy.privacy.gdp import sigma_of_counts
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.stream import Stream

__all__ = ["CountInteractions"]


@final
@dataclass(frozen=True)
class CountInteractions(Mechanism):
    """Tables of which all sums along a column are taken off, each with discrete Gaussian noise.

    A table of k x l cells whose margins are known leaves (k - 1)(l - 1) numbers to be told. Its row (a, b)
    adds (k e_a - 1) x (l e_b - 1) to k l times what is left of the counts n, which is
    k l n_ab - k n_a. - l n_.b + n, whole numbers that add up to 0 along either column (the residual queries
    of Xiao, He, Zhang, Kifer 2023). In units of a row that is shorter by f = sqrt((1 - 1/k)(1 - 1/l)), and
    so is the noise: half of it where both columns have two cells.

    Guarantee. A row added or removed moves a table's numbers by whole numbers v whose squares add up to the
    product of k (k - 1) over its columns, D^2, whichever cell it lies in. Noise of scale s on a whole number
    that moves by 1 is m-GDP with m = `mu_of_counts(s)`; if it moves by |v_i|, by as many steps of 1, it is
    |v_i| m-GDP (group privacy: Dong, Roth, Su 2022, theorem 2.14); noise is independent, so a table is
    m D-GDP (corollary 3.3 there). s is such that m D is at most mu = 1 / `price.noise`, and several tables
    are as many such mechanisms. What is mu-GDP is told apart no better than Gaussian noise of 1 / mu times
    the sensitivity is: the event Gaussian(noise, count=tables). Whole numbers have no last bits to give
    anything away.

    >>> table = Margin(("a", "b"), (1, 1))
    >>> reader = CountInteractions((table,), Gaussian(100.0))
    >>> reader.statistic({"a": np.array([0, 1, 1]), "b": np.array([0, 1, 0])}).tolist()
    [1, -1, -1, 1]
    >>> round(reader.scale(table) / 4, 3)  # of a cell, where the table itself would have 100
    50.0
    """

    tables: tuple[Margin, ...]
    price: Gaussian

    def __post_init__(self) -> None:
        if self.price.count != len(self.tables):
            raise ParameterError(
                f"CountInteractions: {len(self.tables)} tables at the price of {self.price.count}."
            )

    @property
    def event(self) -> Gaussian:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves each table by its own reach."""
        whole = math.sqrt(sum(_square_reach(table) for table in self.tables))
        return Sensitivity("l2", whole, "one row, less the sums along every column")

    def scale(self, table: Margin) -> float:
        """Return the scale of the noise on a table's whole numbers; one that says nothing needs none."""
        square = _square_reach(table)
        return sigma_of_counts(1 / (self.price.noise * math.sqrt(square))) if square else 0.0

    def statistic(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Return what is left of all counts, times the cells of a table, one table after the other."""
        return np.concatenate(
            [_centred(table.count(columns).reshape(table.shape)).ravel() for table in self.tables]
        )

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> list[npt.NDArray[np.int64]]:
        """Return the noisy numbers of every table, in its own shape; sums along columns are noise alone."""
        ends = np.cumsum([math.prod(table.shape) for table in self.tables])[:-1]
        return [
            (part + self._noise(table, stream)).reshape(table.shape)
            for part, table in zip(np.split(statistic, ends), self.tables, strict=True)
        ]

    def _noise(self, table: Margin, stream: Stream) -> npt.NDArray[np.int64]:
        size, scale = math.prod(table.shape), self.scale(table)
        return discrete_gaussian(stream, scale, size) if scale else np.zeros(size, dtype=np.int64)


def _square_reach(table: Margin) -> int:
    """Return the squared length of what one row adds to a table: whole, and the same for every cell."""
    return math.prod(size * (size - 1) for size in table.shape)


def _centred(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return counts times their number, less all sums along every column."""
    for axis, size in enumerate(counts.shape):
        counts = size * counts - counts.sum(axis=axis, keepdims=True)
    return counts
