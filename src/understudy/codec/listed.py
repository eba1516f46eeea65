"""A quantity of few distinct values as the number of its value: none is rounded, none is new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import CodeEncoder, Rng
from understudy.codec.quantile import LONE
from understudy.missing import is_missing, missing_like

__all__ = ["Listed", "few_values"]


@final
@dataclass(frozen=True, eq=False)
class Listed(CodeEncoder):
    """The values in rising order; an entry that is none of them is taken for the nearest.

    >>> hours = Listed(np.array([20, 40, 60]), can_be_missing=False)
    >>> hours.encode(np.array([40, 58, -3])).tolist()
    [1, 2, 0]
    """

    values: npt.NDArray[Any]
    can_be_missing: bool

    @property
    def count(self) -> int:
        """The values, and one more code when the column can be missing."""
        return len(self.values) + self.can_be_missing

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.values.dtype

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the place of the nearest value; of two as near, the lower one's."""
        gone = is_missing(values)
        inside = np.clip(np.where(gone, self.values[0], values), self.values[0], self.values[-1])
        right = np.searchsorted(self.values, inside, side="left")
        left = np.maximum(right - 1, 0)
        # Halves: the whole difference of two floats, or of two steps, may overflow.
        below, above = inside / 2 - self.values[left] / 2, self.values[right] / 2 - inside / 2
        place = np.where((self.values[right] == inside) | (above < below), right, left)
        return np.where(gone, len(self.values), place).astype(np.int64)

    def decode(self, codes: npt.NDArray[np.int64], rng: Rng) -> npt.NDArray[Any]:
        """Return the value of each code."""
        del rng  # a code stands for one value
        gone = codes >= len(self.values)
        found = self.values[np.where(gone, 0, codes)].copy()
        found[gone] = missing_like(found)
        return found


def few_values(present: npt.NDArray[Any], most: int, shared: int) -> npt.NDArray[Any] | None:
    """Return the distinct values if there are at most so many, each of so many rows on average; else None.

    Of values that few rows share, a list would forget their order, which is most of what rows tell. And a
    listed value comes back as it is: where one value has nearly all rows, and every other is one row's alone,
    each of those rows would be told.

    >>> few_values(np.array([1, 1, 2, 2]), 5, 2).tolist(), few_values(np.array([1, 2, 3]), 5, 2)
    ([1, 2], None)
    """
    if most == 0 or len(present) == 0:
        return None
    values, rows = np.unique(present, return_counts=True)
    few = len(values) <= min(most, len(present) / shared)
    return values if few and (shared == 1 or (rows == 1).mean() <= LONE) else None
