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

__all__ = ["Normal", "longest", "normal_of", "products", "unfolded", "width"]

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


def unfolded(sums: Floats, d: int) -> tuple[Floats, Floats, float]:
    """Return the sum of x, the sum of x x^T and the number of rows that summed vectors hold."""
    left, right = np.triu_indices(d)
    second = np.zeros((d, d))
    second[left, right] = sums[d:-1] / np.where(left == right, 1.0, math.sqrt(2))
    second[right, left] = second[left, right]
    return np.asarray(sums[:d] / math.sqrt(d)), second, float(sums[-1])


def normal_of(first: Floats, second: Floats, both: Floats) -> Normal:
    """Return the normal law of the sums of x and x x^T, noisy or not.

    `both` is the number of rows in which two quantities are there, on its diagonal one of them; absent
    ones count as 0 in the sums. A covariance that no rows in the box have is repaired: no negative
    eigenvalue, no variance above what the box allows.
    """
    there = np.maximum(both, 1e-6)
    mean = np.clip(first / np.diag(there), -1.0, 1.0)
    return Normal(mean, _repaired(second / there - np.outer(mean, mean), 1.0 - mean**2))


def _repaired(covariance: Floats, most: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    lifted = (vectors * np.maximum(values, 0.0)) @ vectors.T
    variance = np.diag(lifted)
    shrink = np.sqrt(np.minimum(1.0, most / np.maximum(variance, 1e-300)))
    return np.asarray(lifted * shrink[:, None] * shrink[None, :])
