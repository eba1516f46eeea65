"""Distances of two samples on a line, with missing entries as a place of their own beside it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["kolmogorov_smirnov", "paired_quantiles", "transport"]

Floats = npt.NDArray[np.float64]


def kolmogorov_smirnov(first: Floats, second: Floats) -> float:
    """Return the largest difference of distribution functions, in [0, 1].

    Missing entries are put below every number and then above every number, and the larger difference counts:
    so it is at least that of the missing rates, and no row is dropped.

    >>> kolmogorov_smirnov(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 4.0, 5.0, 6.0]))
    0.5
    >>> kolmogorov_smirnov(np.array([1.0, np.nan]), np.array([1.0, 1.0]))
    0.5
    """
    one, other = _present(first), _present(second)
    places, steps = _gaps(one, other, len(second), len(first))
    last = np.append(np.diff(places) > 0, True)[: len(places)]  # of rows with one value the last has them all
    gap = np.append(steps[last], 0) / (len(first) * len(second))
    missing = len(other) / len(second) - len(one) / len(first)
    return float(max(np.abs(gap).max(), np.abs(gap + missing).max()))


def transport(first: Floats, second: Floats) -> float:
    """Return the cost of turning one sample into the other: Wasserstein's W1, with missing at distance 1.

    The rows by which the missing rates differ cost 1 each, the others what moving numbers costs. Scale the
    numbers before: their range is what 1 is measured against.

    >>> transport(np.array([0.0, 1.0]), np.array([0.0, 0.5]))
    0.25
    """
    one, other = _present(first), _present(second)
    shares = len(one) / len(first), len(other) / len(second)
    changed = abs(shares[0] - shares[1])
    return changed if min(shares) == 0 else changed + min(shares) * _moved(one, other)


def paired_quantiles(first: Floats, second: Floats) -> Floats:
    """Return the sorted numbers of both side by side: (rows of the longer, 2); missing ones are left out.

    The shorter one repeats its numbers evenly, which is its quantile function at the longer one's steps.

    >>> paired_quantiles(np.array([3.0, 1.0]), np.array([9.0, 7.0, 8.0, 6.0])).T.tolist()
    [[1.0, 1.0, 3.0, 3.0], [6.0, 7.0, 8.0, 9.0]]
    """
    one, other = _present(first), _present(second)
    size = max(len(one), len(other)) if min(len(one), len(other)) else 0
    steps = 2 * np.arange(size, dtype=np.int64) + 1
    # Transposed, so that each column lies together in memory.
    return np.array([kept[steps * len(kept) // (2 * max(size, 1))] for kept in (one, other)]).T


def _present(values: Floats) -> Floats:
    return np.sort(values[~np.isnan(values)])


def _moved(one: Floats, other: Floats) -> float:
    """Return the area between two distribution functions."""
    places, steps = _gaps(one, other, len(other), len(one))
    # Multiplied and summed, not a product of vectors: that would start threads for nothing.
    return float((np.abs(steps[:-1]) / (len(one) * len(other)) * np.diff(places)).sum())


def _gaps(one: Floats, other: Floats, up: int, down: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the numbers of both in order, and the difference of the two counts up to each, weighted.

    In whole numbers, so that equal samples differ by 0 and not by rounding.
    """
    places = np.concatenate([one, other])
    order = np.argsort(places, kind="stable")  # two runs in order: this merges them
    weights = np.repeat(np.array([up, -down], dtype=np.int64), [len(one), len(other)])
    return places[order], np.cumsum(weights[order])
