"""How well a sample fits a law: the p-value of a test, small where it does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

ALPHA = 1e-6  # false alarms of one test; the tests' noise is fixed, so that none comes and goes


def p_of_floats(sample: np.ndarray, cdf: Callable) -> float:
    """Return the p-value of Kolmogorov and Smirnov's test against a continuous law."""
    return float(stats.kstest(np.asarray(sample, np.float64), cdf, method="asymp").pvalue)


def p_of_integers(sample: np.ndarray, cdf: Callable, scale: float) -> float:
    """Return the chi-square p-value of whole numbers; `cdf(k)` is the probability of k or less."""
    edges = np.unique(np.floor(scale * np.linspace(-4, 4, 41)))  # bins (-inf, e0], (e0, e1], ..., (e40, inf)
    below = np.concatenate([[0.0], cdf(edges), [1.0]])
    expected = np.diff(below) * len(sample)
    places = np.searchsorted(edges, sample, side="left")
    observed = np.bincount(places, minlength=len(expected)).astype(float)
    observed, expected = _pooled(observed, expected)
    return float(stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


def _pooled(observed: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put bins together that expect fewer than 10, where chi-square is no good approximation."""
    few = expected < 10
    if not few.any():
        return observed, expected
    thin = (observed[few].sum(), expected[few].sum())
    observed, expected = observed[~few], expected[~few]
    if thin[1] < 10:
        # Too thin even together: into the fullest bin, where it changes least.
        fullest = expected.argmax()
        observed[fullest] += thin[0]
        expected[fullest] += thin[1]
        return observed, expected
    return np.append(observed, thin[0]), np.append(expected, thin[1])
