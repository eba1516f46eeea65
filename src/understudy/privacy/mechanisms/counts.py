"""Contingency tables with discrete Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_gaussian
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.stream import Stream

__all__ = ["CountTables", "Margin", "rows_of"]


@final
@dataclass(frozen=True)
class Margin:
    """The table over some columns of codes; a code is from 0 to its size - 1, or -1 for missing.

    Each column has one more cell than it has codes: the last is for missing.
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each column, missing included."""
        return tuple(size + 1 for size in self.sizes)

    def count(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Count the rows in every cell, in one pass; an unknown code counts as missing."""
        cell = np.zeros(len(columns[self.columns[0]]), dtype=np.int64)
        for name, size in zip(self.columns, self.sizes, strict=True):
            code = columns[name].astype(np.int64)
            cell = cell * (size + 1) + np.where((code >= 0) & (code < size), code, size)
        return np.bincount(cell, minlength=math.prod(self.shape)).astype(np.int64)


@final
@dataclass(frozen=True)
class CountTables(Mechanism):
    """Several tables at once, each count with discrete Gaussian noise of scale sigma.

    Guarantee. A row lies in exactly one cell of each table, so adding or removing it moves
    k = len(tables) whole numbers by 1 each and no others. The noise is independent per cell, so
    the release is k-fold composition of the discrete Gaussian mechanism with sensitivity 1
    (Canonne, Kamath, Steinke 2020): the event DiscreteGaussian(sigma, count=k). Counts are whole
    numbers and so is the noise: the set of possible outputs is the same for every table.
    """

    tables: tuple[Margin, ...]
    price: DiscreteGaussian

    def __post_init__(self) -> None:
        if self.price.count != len(self.tables):
            raise ParameterError(
                f"CountTables: {len(self.tables)} tables at the price of {self.price.count}."
            )

    @property
    def event(self) -> DiscreteGaussian:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves one cell of each table by 1."""
        return Sensitivity("l2", math.sqrt(len(self.tables)), "one cell per table, by one row")

    def statistic(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Return all counts, one table after the other."""
        return np.concatenate([table.count(columns) for table in self.tables])

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> list[npt.NDArray[np.int64]]:
        """Return the noisy tables, each in its own shape."""
        noisy = statistic + discrete_gaussian(stream, self.price.sigma, len(statistic))
        ends = np.cumsum([math.prod(table.shape) for table in self.tables])[:-1]
        return [part.reshape(t.shape) for part, t in zip(np.split(noisy, ends), self.tables, strict=True)]


def rows_of(tables: Sequence[npt.NDArray[np.int64]]) -> float:
    """Return about how many rows there are, from noisy tables of equal noise; at least 1.

    Each table's sum is the number of rows plus the noise of all its cells, so it weighs one over those.

    >>> rows_of([np.array([40, 60]), np.array([25, 25, 20, 30])])
    100.0
    """
    weights = np.array([1 / table.size for table in tables])
    sums = np.array([float(table.sum()) for table in tables])
    return max(float(weights @ sums / weights.sum()), 1.0)
