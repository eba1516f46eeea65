"""One normal law for a whole row: its mean and covariance from sums over rows, and draws from it.

Rows lie in [-1, 1]^d. Everything starts from one vector per row,

    (sqrt(d) x, x x^T, 1),   x x^T by its upper triangle, entries off the diagonal times sqrt(2),

whose length is sqrt(d |x|^2 + |x|^4 + 1) <= sqrt(2 d^2 + 1), because |x|^2 <= d and the squares of the
triangle add up to the squared Frobenius norm of x x^T, which is |x|^4. Corners of the box attain it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

__all__ = ["Normal", "longest", "moments_of", "products", "width"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Normal:
    """A mean of d numbers and a (d, d) covariance."""

    mean: Floats
    covariance: Floats

    @property
    def root(self) -> Floats:
        """A matrix whose square is the covariance; directions that noise made negative have no spread."""
        values, vectors = np.linalg.eigh((self.covariance + self.covariance.T) / 2)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    def draw(self, noise: Floats) -> Floats:
        """Return (rows, d) draws, clipped to the box, from (rows, d) standard normal numbers."""
        return np.asarray(np.clip(self.mean + noise @ self.root, -1.0, 1.0))


def width(d: int) -> int:
    """Return how many numbers `products` makes of a row.

    >>> width(6)
    28
    """
    return d + d * (d + 1) // 2 + 1


def longest(d: int) -> float:
    """Return the length of the longest vector that `products` makes of a row: sqrt(2 d^2 + 1).

    >>> round(longest(6) ** 2)
    73
    """
    return math.sqrt(2 * d**2 + 1)


def products(rows: Floats) -> Floats:
    """Return the vector of every row, (rows, width)."""
    d = rows.shape[1]
    left, right = np.triu_indices(d)
    weight = np.where(left == right, 1.0, math.sqrt(2))
    pairs = rows[:, left] * rows[:, right] * weight
    return np.hstack([math.sqrt(d) * rows, pairs, np.ones((len(rows), 1))])


def moments_of(sums: Floats, d: int, present: Floats | None = None) -> Normal:
    """Return the normal law of summed vectors, noisy or not.

    `present` holds the share of rows in which each quantity is there; absent ones count as 0 in the sums,
    and are taken to be absent independently of each other. A noisy covariance is repaired: no variance
    above what the box allows, no negative eigenvalue.
    """
    there = np.ones(d) if present is None else np.maximum(present, 1e-9)
    rows = max(float(sums[-1]), 1.0)
    mean = np.clip(sums[:d] / (math.sqrt(d) * rows * there), -1.0, 1.0)
    left, right = np.triu_indices(d)
    both = np.where(left == right, there[left], there[left] * there[right])
    second = np.zeros((d, d))
    second[left, right] = sums[d:-1] / np.where(left == right, 1.0, math.sqrt(2)) / (rows * both)
    second[right, left] = second[left, right]
    return Normal(mean, _repaired(second - np.outer(mean, mean), 1.0 - mean**2))


def _repaired(covariance: Floats, most: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    lifted = (vectors * np.maximum(values, 0.0)) @ vectors.T
    variance = np.diag(lifted)
    shrink = np.sqrt(np.minimum(1.0, most / np.maximum(variance, 1e-300)))
    return np.asarray(lifted * shrink[:, None] * shrink[None, :])
