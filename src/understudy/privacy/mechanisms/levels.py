"""Finding the levels of a column without telling a level that only one row has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_gaussian
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.stream import Stream

__all__ = ["CommonLevels", "Told"]


@final
class Told(dict[Any, int]):
    """Values with their noisy counts and that of missing rows, of which column, and the noise's deviation.

    >>> told = Told({"a": 7}, column="word", sigma=2.0, missing=-1)
    >>> told == {"a": 7}, told.column, told.sigma, told.missing
    (True, 'word', 2.0, -1)
    """

    def __init__(self, counts: Mapping[Any, int], *, column: str, sigma: float, missing: int) -> None:
        self.update(counts)
        self.column, self.sigma, self.missing = column, sigma, missing


@final
@dataclass(frozen=True)
class CommonLevels(Mechanism):
    """The values of a column that are common, with about how many rows have each, and how many have none.

    Guarantee. Missing rows are counted in every table, whether there are any or not. A value is told only if
    its noisy count reaches the threshold, which discrete Gaussian noise on a count of 1 does with probability
    at most delta. Take two tables that differ in one row. If it has no value, or another row has the same
    value, both tables have the same values and their counts differ by 1 in one place: the event
    DiscreteGaussian(sigma). If not, one table has a value more, with a count of 1; it is told with
    probability at most delta, and whenever it is not, the outputs have the same law. So the price is
    DiscreteGaussian(sigma) and Pure(0, delta) together (Korolova et al. 2009).
    What is told are values in their own order, never places in a list of all values, which would
    tell how many values were left out.
    """

    column: str
    price: DiscreteGaussian
    delta: float

    def __post_init__(self) -> None:
        if self.price.count != 1 or not 0 < self.delta < 1:
            raise ParameterError("CommonLevels: needs the price of one count and a delta above 0.")

    @property
    def threshold(self) -> int:
        """The least noisy count that is told."""
        # For whole t >= 1 the discrete Gaussian reaches t at most as often as the continuous one reaches
        # t - 1 (Canonne, Kamath, Steinke 2020, Proposition 25); here t is the threshold less the one row.
        return max(2, int(np.ceil(2 - self.price.sigma * ndtri(self.delta))))

    @property
    def chance(self) -> float:
        """The delta: how often, at most, a value that one row has is told."""
        return self.delta

    @property
    def event(self) -> DiscreteGaussian:
        """What the counts cost; the delta is reserved beside it."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves the count of one value, or of missing rows, by 1."""
        return Sensitivity("l2", 1.0, "the count of one value, or of missing rows, by one row")

    def statistic(self, columns: Columns) -> npt.NDArray[Any]:
        """Return None and the distinct values in their own order, and how many rows have each, as (n, 2)."""
        counts = Counter(columns[self.column].tolist())
        pairs = np.empty((1 + len(counts) - (None in counts), 2), dtype=object)
        pairs[0] = None, counts.pop(None, 0)
        for place, value in enumerate(sorted(counts, key=lambda value: (str(type(value)), value)), 1):
            # -0.0 and 0.0 are counted together, and the first row of them must not say under which sign.
            pairs[place] = value + 0.0 if isinstance(value, float) else value, counts[value]
        return pairs

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how far the counts of two tables are apart, value by value."""
        # By how values are written: equal ones that are not the same would be told apart.
        first, second = ({repr(value): count for value, count in each.tolist()} for each in (left, right))
        gaps = [first.get(value, 0) - second.get(value, 0) for value in first.keys() | second.keys()]
        return float(np.sqrt(math.fsum(gap**2 for gap in gaps)))

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> Told:
        """Return the values whose noisy counts reach the threshold, with those counts, and missing rows."""
        noise = discrete_gaussian(stream, self.price.sigma, len(statistic))
        noisy = statistic[:, 1].astype(np.int64) + noise
        told = 1 + np.flatnonzero(noisy[1:] >= self.threshold)
        counts = {statistic[place, 0]: int(noisy[place]) for place in told}
        return Told(counts, column=self.column, sigma=self.price.sigma, missing=int(noisy[0]))
