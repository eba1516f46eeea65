"""Kernel densities in log space: no density is too small to be told from another.

A sum of Gaussian kernels around known points (Rosenblatt 1956, Parzen 1962). Densities of many columns are
far below the least float; their logarithms are not. Distances are differences of coordinates, not of squares,
so that rows that are equal get the very same density.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from understudy.errors import ParameterError

__all__ = ["KernelDensity", "Rule", "bandwidth", "principal_axes"]

Floats = npt.NDArray[np.float64]
Rule = Literal["scott", "silverman"]

_BLOCK = 2**21  # distances that are worked on at a time
_LEAST = 1e-9  # of the largest variance: below, a direction does not exist
_FLOOR = 1e-6  # of the largest variance that a kernel has at least


def bandwidth(rule: Rule, rows: int, dimensions: int) -> float:
    """Return the width of a kernel in deviations, by the rule of Scott (1992) or of Silverman (1986).

    >>> round(bandwidth("scott", 3, 1), 6), round(bandwidth("silverman", 3, 1), 6)
    (0.802742, 0.850283)
    """
    power = -1 / (dimensions + 4)
    return float(rows**power if rule == "scott" else (rows * (dimensions + 2) / 4) ** power)


def principal_axes(rows: Floats, most: int) -> Floats:
    """Return the directions of the largest variances, at most so many, of those that vary at all: (d, axes).

    >>> principal_axes(np.array([[0.0, 1.0], [3.0, 1.0]]), most=2).shape
    (2, 1)
    """
    if len(rows) < 2 or rows.shape[1] == 0:
        return np.zeros((rows.shape[1], 0))
    variances, axes = np.linalg.eigh(np.cov(rows, rowvar=False).reshape(rows.shape[1], -1))
    kept = np.flatnonzero((variances > _LEAST * variances[-1]) & (variances > 0))[::-1][:most]
    return np.asarray(axes[:, kept])


@final
@dataclass(frozen=True, eq=False)
class KernelDensity:
    """A density around points: (rows, d) in coordinates in which every kernel is the standard normal law.

    >>> one = KernelDensity.fixed(np.array([[0.0], [1.0]]), 1.0)
    >>> round(float(np.exp(one.log_density(np.array([[0.0]])))[0]), 6)
    0.320457
    """

    points: Floats
    shift: Floats
    scaling: Floats

    @classmethod
    def fixed(cls, points: Floats, width: float) -> KernelDensity:
        """Return the density of kernels of one width in every direction."""
        shift, scaling = np.zeros(points.shape[1]), np.eye(points.shape[1]) / width
        return cls((points - shift) @ scaling, shift, scaling)

    @classmethod
    def ruled(cls, points: Floats, rule: Rule, *, times: float = 1.0, scale: float = 1.0) -> KernelDensity:
        """Return the density of kernels shaped as the points are spread, as wide as a rule says, times that.

        A direction in which the points do not vary gets a sliver of `scale`, the variance of the space.
        """
        rows, dimensions = points.shape
        shift = points.mean(axis=0)
        spread = np.cov(points, rowvar=False) if rows > 1 else np.zeros((dimensions, dimensions))
        variances, axes = np.linalg.eigh(spread.reshape(dimensions, dimensions))
        variances = np.maximum(variances, _FLOOR * max(scale, float(variances.max(initial=0.0))))
        scaling = axes / np.sqrt(variances) / (bandwidth(rule, rows, dimensions) * times)
        return cls((points - shift) @ scaling, shift, scaling)

    def log_density(self, queries: Floats) -> Floats:
        """Return the logarithm of the density at each query."""
        if queries.shape[1] != len(self.shift):
            raise ParameterError("density: queries and points have different columns.")
        asked = (queries - self.shift) @ self.scaling
        step = max(1, _BLOCK // len(self.points))
        parts = [_log_sums(asked[at : at + step], self.points) for at in range(0, len(asked), step)]
        return np.concatenate([np.zeros(0), *parts]) - math.log(len(self.points)) + self.log_peak

    def log_kernel(self, one: Floats, other: Floats) -> Floats:
        """Return the logarithm of the kernel between rows of one table and the same rows of another."""
        apart = (one - other) @ self.scaling
        return np.asarray(self.log_peak - np.einsum("...j,...j->...", apart, apart) / 2)

    @property
    def log_peak(self) -> float:
        """The logarithm of a kernel at its own point."""
        dimensions = len(self.shift)
        volume = float(np.linalg.slogdet(self.scaling)[1]) if dimensions else 0.0
        return volume - dimensions / 2 * math.log(2 * math.pi)


def _log_sums(asked: Floats, points: Floats) -> Floats:
    """Return the logarithm of the sum of exp(-d^2 / 2) for each row asked."""
    if points.shape[1] == 0:
        return np.full(len(asked), math.log(len(points)))
    halves = cdist(asked, points, "sqeuclidean") / -2
    top = halves.max(axis=1, keepdims=True)
    halves -= top
    np.exp(halves, out=halves)
    return np.asarray(np.log(halves.sum(axis=1)) + top[:, 0])
