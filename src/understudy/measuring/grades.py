"""Grades of predictions: accuracy, macro F1, D2 of absolute errors, the area under the ROC curve.

Each takes a weight per row, so that rows drawn again need no new prediction. A grade that is undefined for
these rows is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = ["Areas", "Weights", "accuracy", "d2_absolute", "macro_f1", "weighted_median"]

Weights = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
_HUGE = 1e100


def accuracy(truth: Codes, guess: Codes, weights: Weights) -> float:
    """Return the share of right guesses.

    >>> accuracy(np.array([0, 1]), np.array([0, 0]), np.array([3.0, 1.0]))
    0.75
    """
    total = weights.sum()
    return float(weights[truth == guess].sum() / total) if total > 0 else math.nan


def macro_f1(truth: Codes, guess: Codes, weights: Weights) -> float:
    """Return the mean F1 over the classes that are true or guessed somewhere (paper 000, utility).

    >>> round(macro_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]), np.ones(4)), 4)
    0.7333
    """
    size = 1 + int(max(truth.max(initial=-1), guess.max(initial=-1)))
    true, guessed = (np.bincount(codes, weights, minlength=size) for codes in (truth, guess))
    hit = np.bincount(truth[truth == guess], weights[truth == guess], minlength=size)
    met = true + guessed > 0
    return float((2 * hit[met] / (true + guessed)[met]).mean()) if met.any() else math.nan


def d2_absolute(truth: Floats, guess: Floats, weights: Weights) -> float:
    """Return 1 - MAE / MAE of the median (paper 000, utility); NaN where every true value is the same.

    >>> d2_absolute(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 4.5]), np.ones(4))
    0.875
    """
    if len(truth) == 0 or weights.sum() == 0:
        return math.nan
    # D2 has no unit: values whose sum is too large for a float are told in the largest of them.
    size = max(float(np.abs(truth).max()), float(np.abs(guess).max()))
    if size > _HUGE:
        truth, guess = truth / size, guess / size
    spread = float(weights @ np.abs(truth - weighted_median(truth, weights)))
    return 1 - float(weights @ np.abs(truth - guess)) / spread if spread > 0 else math.nan


def weighted_median(values: Floats, weights: Weights) -> float:
    """Return the median of values that count several times; between two middle ones, their mean.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 0.0, 1.0]))
    5.0
    """
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(weights[order])
    half = reach[-1] / 2
    low = np.searchsorted(reach, half, side="left")
    high = np.searchsorted(reach, half, side="right")
    return float((values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2)


@final
@dataclass(frozen=True, eq=False)
class Areas:
    """Areas under the ROC curves of each class against all others, ties counted half; ranked once.

    >>> scores = np.array([[0.9, 0.8, 0.7, 0.1, 0.85, 0.3, 0.2, 0.05]]).T
    >>> Areas.of(np.array([1, 1, 1, 1, 0, 0, 0, 0]), np.array([1]), scores).macro(np.ones(8))
    0.6875
    """

    own: tuple[npt.NDArray[np.bool_], ...]
    ranks: tuple[npt.NDArray[np.int64], ...]

    @classmethod
    def of(cls, truth: Codes, classes: Codes, chances: Floats) -> Areas:
        """Rank the rows by their chance of each class; `chances` has a column for each."""
        ranks = tuple(np.unique(column, return_inverse=True)[1] for column in chances.T)
        return cls(tuple(truth == one for one in classes), ranks)

    def each(self, weights: Weights) -> Floats:
        """Return the area of each class; NaN where all rows or none are of it."""
        return np.array([_area(rank, own, weights) for rank, own in zip(self.ranks, self.own, strict=True)])

    def macro(self, weights: Weights) -> float:
        """Return the mean area of the classes that have one."""
        known = [area for area in self.each(weights) if not math.isnan(area)]
        return float(np.mean(known)) if known else math.nan


def _area(rank: npt.NDArray[np.int64], own: npt.NDArray[np.bool_], weights: Weights) -> float:
    size = int(rank.max(initial=0)) + 1
    inside = np.bincount(rank, weights * own, minlength=size)
    outside = np.bincount(rank, weights * ~own, minlength=size)
    pairs = inside.sum() * outside.sum()
    below = np.cumsum(outside) - outside / 2
    return float(inside @ below / pairs) if pairs > 0 else math.nan
