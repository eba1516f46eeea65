"""Quantile to normal and quantile to uniform: a quantity's rank instead of its value.

What is kept of a column is its cumulative distribution at some knots: the heavy values, both
neighbours of each, and evenly spaced quantiles. A tie owns the whole interval that its rows
take, so that it comes back exactly; so does each of few steps. A float that stood in one row, or
one of many steps, owns a point, not an interval: decoding is then no likelier to repeat it than
any other.

Between two knots that lie g apart with a share m of the rows, a float32 coordinate keeps a
value within about 2e-8 * g / m.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from understudy.codec.encoder import NumberEncoder, Rng, filled
from understudy.codec.layout import Part
from understudy.codec.ruler import between, shares
from understudy.missing import is_missing

__all__ = ["FEW", "LONE", "Quantile"]

Floats = npt.NDArray[np.float64]

_EDGE = 1e-9  # a tie drawn at the very end of [0, 1] would be infinite as a normal
_LEAST = 1e-300
FEW = 100  # steps that are different, up to which each has a share of its own ...
LONE = 0.3  # ... if no more of them are one row's alone


@final
@dataclass(frozen=True, eq=False)
class Quantile(NumberEncoder):
    """Knots of a cumulative distribution: just below (`lower`) and at (`upper`) each value.

    >>> coder = Quantile.fit(np.array([7, 7, 7, 9]), knots=10, normal=False)
    >>> coder.encode(np.array([7, 9]), None).ravel().tolist()
    [-0.25, 0.75]
    """

    values: npt.NDArray[Any]
    lower: Floats
    upper: Floats
    normal: bool

    @classmethod
    def fit(cls, present: npt.NDArray[Any], knots: int, *, normal: bool) -> Quantile:
        """Learn the knots from the entries that are there."""
        values, counts = np.unique(present, return_counts=True)
        distinct, lone, upper = len(values), (counts == 1).mean(), np.cumsum(counts) / len(present)
        lower = upper - counts / len(present)
        kept = _kept(counts, upper, knots)
        values, counts, lower, upper = values[kept], counts[kept], lower[kept], upper[kept]
        # Of few steps that rows share each is as it was. Else one that one row has is a place on a line, as
        # of floats: the moment of somebody's visit, or amounts beside many noughts, are not drawn again.
        line = values.dtype.kind == "f" or distinct > FEW or lone > LONE
        light = (counts == 1) & line & (len(values) > 1)
        middle = (lower + upper) / 2
        return cls(values, np.where(light, middle, lower), np.where(light, middle, upper), normal)

    @property
    def parts(self) -> tuple[Part, ...]:
        """One number."""
        return (Part("number", 1),)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the knots."""
        return self.values.dtype

    def encode(self, values: npt.NDArray[Any], rng: Rng | None) -> Floats:
        """Return the rank of each entry as a normal or on [-1, 1]; a tie's middle, or a draw within it."""
        gone = is_missing(values)
        first, last = self.values[0], self.values[-1]
        rank = np.clip(self._rank(np.where(gone, first, np.clip(values, first, last)), rng), _EDGE, 1 - _EDGE)
        number = ndtri(rank) if self.normal else 2 * rank - 1
        return filled(number, gone, rng, normal=self.normal)[:, None]

    def decode(self, block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the entry at each rank; beyond the range, its end."""
        number = block[:, 0].astype(np.float64)
        rank = ndtr(number) if self.normal else (number + 1) / 2
        right = np.minimum(np.searchsorted(self.upper, rank, side="left"), len(self.upper) - 1)
        left = np.maximum(right - 1, 0)
        start, end = self.upper[left], self.lower[right]
        share = np.where(rank >= end, 1.0, (rank - start) / np.maximum(end - start, _LEAST))
        return between(self.values[left], self.values[right], share)

    def _rank(self, values: npt.NDArray[Any], rng: Rng | None) -> Floats:
        right = np.searchsorted(self.values, values, side="left")
        left = np.maximum(right - 1, 0)
        start, end = self.upper[left], self.lower[right]
        inside = start + (end - start) * shares(values, self.values[left], self.values[right])
        place = 0.5 if rng is None else rng.random(len(values))
        tied = end + (self.upper[right] - end) * place
        return np.where(self.values[right] == values, tied, inside)


def _kept(counts: npt.NDArray[np.int64], upper: Floats, knots: int) -> npt.NDArray[np.int64]:
    """Choose all values when they are few, else heavy ones, their neighbours and evenly spaced quantiles."""
    if len(counts) <= knots:
        return np.arange(len(counts))
    heavy = counts * knots > 2 * counts.sum()
    kept = heavy.astype(np.bool_)
    kept[np.searchsorted(upper, np.linspace(0, 1, knots)).clip(0, len(upper) - 1)] = True
    kept[:-1] |= heavy[1:]
    kept[1:] |= heavy[:-1]
    kept[[0, -1]] = True
    return np.flatnonzero(kept)
