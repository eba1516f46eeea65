"""Standard and min-max: a quantity on one straight line.

The line runs over the range of the column, [low, high]: what lies outside is moved to its end.
A float32 coordinate keeps min-max within 2**-25 of the range and standard within 2**-23 of it,
so steps come back exactly as long as the range has fewer than 2**22 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import NumberEncoder, Rng, filled
from understudy.codec.layout import Part
from understudy.codec.ruler import between, shares
from understudy.missing import is_missing

__all__ = ["Scale"]


@final
@dataclass(frozen=True, eq=False)
class Scale(NumberEncoder):
    """(share of the range - centre) / spread.

    >>> Scale.minmax(0, 10).encode(np.array([0, 5, 10]), None).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """

    low: int | float
    high: int | float
    centre: float
    spread: float
    normal: bool

    @classmethod
    def minmax(cls, low: int | float, high: int | float) -> Scale:
        """Return the line through (low, -1) and (high, 1): nothing is learned."""
        return cls(low, high, centre=0.5, spread=0.5, normal=False)

    @classmethod
    def standard(cls, present: npt.NDArray[Any]) -> Scale:
        """Learn mean and standard deviation from the entries that are there."""
        low, high = present.min().item(), present.max().item()
        share = shares(present, low, high)
        # A constant has no spread; any positive one gives 0 for all of its rows.
        return cls(low, high, float(share.mean()), float(share.std()) or 1.0, normal=True)

    @property
    def parts(self) -> tuple[Part, ...]:
        """One number."""
        return (Part("number", 1),)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Steps where the range is in whole numbers, else floats."""
        return np.dtype(np.int64 if isinstance(self.low, int) else np.float64)

    def encode(self, values: npt.NDArray[Any], rng: Rng | None) -> npt.NDArray[np.float64]:
        """Return one number for each entry."""
        gone = is_missing(values)
        share = shares(np.where(gone, self.low, np.clip(values, self.low, self.high)), self.low, self.high)
        return filled((share - self.centre) / self.spread, gone, rng, normal=self.normal)[:, None]

    def decode(self, block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the entry at each number; beyond the range, its end."""
        share = block[:, 0].astype(np.float64) * self.spread + self.centre
        return between(self.low, self.high, share)
