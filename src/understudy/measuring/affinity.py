"""How much worse a model is that learned from synthetic rows: the terms of machine learning affinity.

Paper 004 prints (real - synthetic) / real for every score (Eq. 9), which for an error such as RMSE is
negative where the synthetic table is worse. Here the loss is positive where it is worse, for both kinds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["grade", "printed_loss", "relative_loss", "rmse", "support_f1"]

Labels = npt.NDArray[Any]
Weights = npt.NDArray[np.float64]


def support_f1(truth: Labels, guess: Labels, weights: Weights) -> float:
    """Return the mean F1 of the classes, each weighted by how many rows are of it.

    >>> round(support_f1(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), np.ones(4)), 4)
    0.6429
    """
    size = 1 + int(max(truth.max(initial=-1), guess.max(initial=-1)))
    true, guessed = (np.bincount(codes, weights, minlength=size) for codes in (truth, guess))
    right = truth == guess
    hit = np.bincount(truth[right], weights[right], minlength=size)
    met = true > 0
    f1 = 2 * hit[met] / (true + guessed)[met]
    return float(f1 @ true[met] / true.sum()) if met.any() else math.nan


def rmse(truth: Labels, guess: Labels, weights: Weights) -> float:
    """Return the root of the mean squared error.

    >>> rmse(np.array([0.0, 0.0]), np.array([3.0, 4.0]), np.array([1.0, 0.0]))
    3.0
    """
    total = weights.sum()
    return math.sqrt(float(weights @ (truth - guess) ** 2) / total) if total > 0 else math.nan


def grade(truth: Labels, guess: Labels, weights: Weights, *, regression: bool) -> float:
    """Return the RMSE of numbers or the weighted F1 of classes."""
    return (rmse if regression else support_f1)(truth, guess, weights)


def relative_loss(real: float, synthetic: float, *, regression: bool) -> float:
    """Return by how much of the real grade the synthetic one is worse; NaN where the real one is 0.

    >>> round(relative_loss(0.8, 0.6, regression=False), 9), relative_loss(1.0, 1.5, regression=True)
    (0.25, 0.5)
    """
    loss = printed_loss(real, synthetic)
    return -loss if regression else loss


def printed_loss(real: float, synthetic: float) -> float:
    """Return the term of Eq. 9 as it is printed.

    >>> printed_loss(1.0, 1.5)
    -0.5
    """
    return (real - synthetic) / real if real > 0 else math.nan
