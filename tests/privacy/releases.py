"""What a release can be held to: the law of its noise, the distance of neighbours, and its last bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr

from goodness import ALPHA, p_of_integers
from understudy.privacy.mechanism import Mechanism
from understudy.privacy.stream import Stream

__all__ = [
    "ALPHA",
    "gaussian_cdf",
    "laplace_cdf",
    "noise_of",
    "one_apart",
    "p_of_choices",
    "p_of_noise",
    "proofs",
]


def stream(seed: int) -> Stream:
    """Return noise that comes back on the next run."""
    return Stream.unsafe_test_noise(seed)


def noise_of(mechanism: Mechanism, statistic: np.ndarray, seed: int, unit: float = 1.0) -> np.ndarray:
    """Return what a release adds to a statistic, in whole units."""
    released: Any = mechanism.release(statistic, stream(seed))
    flat = np.concatenate([np.ravel(part) for part in released]) if isinstance(released, list) else released
    steps = np.ravel(np.asarray(flat, dtype=np.float64)) / unit
    assert np.array_equal(steps, np.rint(steps)), "a release that is no whole number of units"
    return steps.astype(np.int64) - np.ravel(statistic)


def p_of_noise(noise: np.ndarray, cdf: Callable, scale: float) -> float:
    """Return how well noise fits a law of whole numbers."""
    return p_of_integers(noise, cdf, scale)


def p_of_choices(chosen: np.ndarray, chances: np.ndarray) -> float:
    """Return how well choices fit their chances."""
    counts = np.bincount(chosen, minlength=len(chances))
    return float(stats.chisquare(counts, chances / chances.sum() * len(chosen)).pvalue)


def gaussian_cdf(sigma: float) -> Callable:
    """Return P(noise <= k) of the discrete Gaussian, added up term by term."""
    support = np.arange(-math.ceil(14 * sigma) - 2, math.ceil(14 * sigma) + 3)
    weights = np.exp(-(support**2) / (2 * sigma**2))
    below = np.cumsum(weights) / weights.sum()
    return lambda k: below[np.asarray(np.asarray(k) - support[0], int)]


def laplace_cdf(scale: float) -> Callable:
    """Return P(noise <= k) of the discrete Laplace law."""
    q = math.exp(-1 / scale)
    return lambda k: np.where(k < 0, np.exp(k / scale) / (1 + q), 1 - np.exp(-(k + 1) / scale) / (1 + q))


def rounded_cdf(sigma: float) -> Callable:
    """Return P(noise <= k) of Gaussian noise rounded to whole steps, sigma in steps."""
    return lambda k: ndtr((np.asarray(k) + 0.5) / sigma)


def one_apart(mechanism: Mechanism, columns: dict[str, np.ndarray], row: int) -> float:
    """Return how far the statistic moves when one row is removed, as a share of what is declared."""
    fewer = {name: np.delete(values, row) for name, values in columns.items()}
    moved = mechanism.distance(mechanism.statistic(columns), mechanism.statistic(fewer))
    return moved / mechanism.sensitivity.value


def proofs(released: np.ndarray, other: float) -> int:
    """Return how many releases prove that the input was not `other`: no double noise leads to them from it.

    The noise that would be needed is looked for among the doubles next to the difference (Mironov 2012).
    """
    needed = released - other
    reachable = np.zeros(len(released), dtype=bool)
    for guess in (needed, np.nextafter(needed, np.inf), np.nextafter(needed, -np.inf)):
        reachable |= other + guess == released
    return int((~reachable).sum())
