"""A truncated normal law in every leaf, on the line of one quantity (Watson et al. 2023, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from understudy.engines.forest.axis import Floats
from understudy.engines.forest.evenly import evenly

__all__ = ["Spread"]

_LONE = 2 * 1.96  # deviations in the width of a box: of the law of a leaf whose rows have no deviation
_LEAST = 1e-9  # of a deviation, on a line from -1 to 1
_HAIR = 1e-15  # which rounding may put between a place and the end of its box
_STEPS = 20  # of the search for a law that is right after it is cut
_ROOT = np.sqrt(2 * np.pi)


@final
@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and deviation of every leaf's normal law before it is cut to the leaf's box [low, high]."""

    mean: Floats
    deviation: Floats
    low: Floats
    high: Floats

    @classmethod
    def fit(cls, leaf: npt.NDArray[Any], places: Floats, low: Floats, high: Floats) -> Spread:
        """Take mean and deviation of the rows of every leaf; a leaf without any has an even law."""
        count = np.bincount(leaf, minlength=len(low))
        middle = (low + high) / 2
        sums = np.bincount(leaf, weights=places, minlength=len(low))
        mean = np.where(count > 0, sums / np.maximum(count, 1), middle)
        squares = np.bincount(leaf, weights=(places - mean[leaf]) ** 2, minlength=len(low))
        deviation = np.sqrt(squares / np.maximum(count - 1, 1))
        # One value alone tells nothing of a deviation; a narrow law there would give that value away.
        deviation = np.where(deviation > _LEAST, deviation, np.maximum((high - low) / _LONE, _LEAST))
        return cls(np.clip(mean, low, high), deviation, low, high)

    def matched(self) -> Spread:
        """Return laws that have these means and deviations after they are cut, as far as cut laws can.

        A cut law is narrower than the law it was cut from. Steps are Newton's for the mean, whose derivative
        is the ratio of the two variances, and ratios for the deviation; wider than even no law can be.
        """
        width = np.maximum(self.high - self.low, _LEAST)
        law = self
        for _ in range(_STEPS):
            mean, variance = law.moments()
            variance = np.maximum(variance, (_LEAST * width) ** 2)
            ratio = np.clip(self.deviation / np.sqrt(variance), 0.5, 2.0)
            step = np.clip((self.mean - mean) * law.deviation**2 / variance, -width, width)
            law = replace(
                law,
                mean=np.clip(law.mean + step / 2, self.low - 2 * width, self.high + 2 * width),
                deviation=np.clip(
                    law.deviation * ratio, self.deviation, np.maximum(2 * width, self.deviation)
                ),
            )
        return law

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and variance of every law after it is cut."""
        low, high = self._ends(slice(None))
        weight = np.maximum(_between(low, high), 1e-300)
        at_low, at_high = np.exp(-(low**2) / 2) / _ROOT, np.exp(-(high**2) / 2) / _ROOT
        shift = (at_low - at_high) / weight
        narrow = 1 + (low * at_low - high * at_high) / weight - shift**2
        return self.mean + self.deviation * shift, self.deviation**2 * np.maximum(narrow, 0.0)

    def narrowed(self, low: float, high: float) -> Spread:
        """Return the laws cut to a range as well; where nothing is left the box is empty."""
        return replace(self, low=np.maximum(self.low, low), high=np.minimum(self.high, high))

    def mass(self) -> Floats:
        """Return the weight of every leaf's uncut law in its box; 0 where the box is empty."""
        return _between(*self._ends(slice(None)))

    def draw(self, leaf: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
        """Return a place for every row, by the law of its leaf."""
        low, high = self._ends(leaf)
        upper = low > 0  # there the other tail is the one whose small numbers can be told apart
        first, last = np.where(upper, -high, low), np.where(upper, -low, high)
        start = ndtr(first)
        drawn = ndtri(start + evenly(len(leaf), rng) * (ndtr(last) - start))
        drawn = np.clip(np.where(upper, -drawn, drawn), low, high)
        return np.asarray(self.mean[leaf] + self.deviation[leaf] * drawn)

    def log_density(self, leaf: npt.NDArray[np.int64], places: Floats) -> Floats:
        """Return the log-density of places; -inf of those that do not lie in the boxes of their leaves."""
        z = (places - self.mean[leaf]) / self.deviation[leaf]
        weight = _between(*self._ends(leaf))
        inside = (places >= self.low[leaf] - _HAIR) & (places <= self.high[leaf] + _HAIR) & (weight > 0)
        found = -(z**2) / 2 - np.log(_ROOT * self.deviation[leaf] * np.where(inside, weight, 1.0))
        return np.where(inside, found, -np.inf)

    def between(self, leaf: npt.NDArray[np.int64], low: Floats, high: Floats) -> Floats:
        """Return the probability of a range that lies in the box of its leaf."""
        mean, deviation = self.mean[leaf], self.deviation[leaf]
        low, high = np.maximum(low, self.low[leaf]), np.minimum(high, self.high[leaf])
        weight = _between(*self._ends(leaf))
        found = _between((low - mean) / deviation, (high - mean) / deviation)
        return np.where(weight > 0, found / np.where(weight > 0, weight, 1.0), 0.0)

    def _ends(self, leaf: Any) -> tuple[Floats, Floats]:
        mean, deviation = self.mean[leaf], self.deviation[leaf]
        return (self.low[leaf] - mean) / deviation, (self.high[leaf] - mean) / deviation


def _between(low: Floats, high: Floats) -> Floats:
    """Return the weight of the standard normal law between two ends, exact in either tail."""
    upper = low > 0
    first, last = np.where(upper, -high, low), np.where(upper, -low, high)
    return np.where(high > low, np.maximum(ndtr(last) - ndtr(first), 0.0), 0.0)
