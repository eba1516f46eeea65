"""The Gaussian copula's mathematics for columns of any kind, discrete ones included.

Every column is seen through one latent normal Z: a value owns an interval of Z. A row says
only which interval Z fell into, and its *score* is the mean of Z there. Scores of discrete
columns vary less than Z does, so their covariances understate the latent correlation; the
Hermite expansion of the score function says by how much, exactly, and is inverted here:

    Cov(s_x(Z_x), s_y(Z_y)) = sum_k  rho^k  c_k(x) c_k(y),   c_k = E[s(Z) He_k(Z)] / sqrt(k!)

For two continuous columns this is the normal-scores correlation, for two discrete ones a
polychoric correlation by moments, for a mixed pair a polyserial one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = [
    "conditional_means",
    "hermite_coefficients",
    "latent_correlation",
    "nearest_correlation",
    "shrunken",
]

Floats = npt.NDArray[np.float64]

CLOSE = 1e-3  # a diagonal this near to 1 is rescaled without harm
TERMS = 24  # the last term of a pair at correlation 0.9 weighs below 0.9^24 = 0.08 of its coefficients
HALVINGS = 27  # to within 10^-8, far below what any number of rows can tell
PAIRS = 4_096  # solved at a time: their products stay in the cache
FEW = 200  # columns up to which a projection costs nothing


def conditional_means(lower: Floats, upper: Floats) -> Floats:
    """Return E[Z | lower < Phi(Z) <= upper] for intervals with mass.

    >>> conditional_means(np.array([0.0, 0.5]), np.array([0.5, 1.0])).round(4).tolist()
    [-0.7979, 0.7979]
    """
    return np.asarray((_density(lower) - _density(upper)) / (upper - lower))


def hermite_coefficients(lower: Floats, upper: Floats, scores: Floats) -> Floats:
    """Return c_1..c_TERMS of the score function that is constant on each interval."""
    below, above = _points(lower), _points(upper)
    low_density, high_density = _density(lower), _density(upper)
    coefficients = np.empty(TERMS)
    before, now = (np.zeros_like(below), np.zeros_like(above)), (np.ones_like(below), np.ones_like(above))
    for k in range(1, TERMS + 1):
        # The integral of He_k phi over an interval is the drop of He_{k-1} phi, here scaled by 1/sqrt(k!).
        drop = now[0] * low_density - now[1] * high_density
        coefficients[k - 1] = np.sum(scores * drop) / np.sqrt(k)
        after = tuple(
            (x * h - np.sqrt(k - 1) * old) / np.sqrt(k)
            for x, h, old in zip((below, above), now, before, strict=True)
        )
        before, now = now, (after[0], after[1])
    return coefficients


def shrunken(covariance: Floats, error: Floats) -> Floats:
    """Return covariances pulled towards nought as far as their standard errors say that they are noise.

    Two levels of a few rows each that never meet would else give a latent correlation of -1: their
    covariance is at its lower end, and yet well within what chance gives.

    >>> shrunken(np.array([0.5, 0.001]), np.array([0.01, 0.01])).round(4).tolist()
    [0.4998, 0.0]
    """
    squared = covariance**2
    return np.asarray(covariance * squared / np.maximum(squared + error**2, 1e-300))


def latent_correlation(covariance: Floats, coefficients: Floats) -> Floats:
    """Return the latent correlation of every pair; `coefficients` is (columns, TERMS).

    The series rises with rho, so bisection cannot fail; a covariance that no rho reaches
    gives the nearest end.
    """
    d = len(covariance)
    correlation = np.eye(d)
    terms = np.ascontiguousarray(coefficients.T)  # (TERMS, d)
    left, right = np.triu_indices(d, 1)
    for start in range(0, len(left), PAIRS):
        i, j = left[start : start + PAIRS], right[start : start + PAIRS]
        found = _bisected(covariance[i, j], terms[:, i] * terms[:, j])
        correlation[i, j] = correlation[j, i] = found
    return correlation


def _bisected(covariance: Floats, products: Floats) -> Floats:
    """Return rho where sum_k rho^k products[k] is the covariance; `products` is (TERMS, pairs)."""
    low, high = np.full_like(covariance, -0.999), np.full_like(covariance, 0.999)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        value = products[-1] * middle
        for term in products[-2::-1]:
            value += term
            value *= middle
        below = value < covariance
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    # A column that never varies has no coefficients, so every rho fits it; 0 is the one that claims nothing.
    return np.where(np.any(products != 0, axis=0), (low + high) / 2, 0.0)


def nearest_correlation(matrix: Floats, floor: float = 1e-4, rounds: int = 100) -> Floats:
    """Return a positive definite correlation matrix near the given one.

    Alternating projections with Dykstra's correction (Higham 2002), ended by a floor on the
    eigenvalues so that a Cholesky factor exists. A round costs the cube of the size, so a wide
    matrix gets fewer of them; at a thousand columns only the floor is left.
    """
    found, correction = (matrix + matrix.T) / 2, np.zeros_like(matrix)
    if _has_floor(found, floor):
        return found
    for _ in range(min(rounds, int(rounds * (FEW / len(matrix)) ** 3))):
        lifted = _lifted(found - correction, floor)
        if np.abs(np.diag(lifted) - 1).max() < CLOSE:
            break
        correction = lifted - (found - correction)
        found = lifted.copy()
        np.fill_diagonal(found, 1.0)
        if _has_floor(found - correction, floor):
            break
    lifted = _lifted((found + found.T) / 2, floor)
    scale = 1 / np.sqrt(np.diag(lifted))
    scaled = lifted * scale[:, None] * scale[None, :]
    scaled = (scaled + scaled.T) / 2
    np.fill_diagonal(scaled, 1.0)
    return np.asarray(scaled)


def _has_floor(matrix: Floats, floor: float) -> bool:
    """Say whether every eigenvalue is above half the floor; a factorisation is ten times cheaper."""
    try:
        np.linalg.cholesky(matrix - floor / 2 * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return False
    return True


def _lifted(matrix: Floats, floor: float) -> Floats:
    """Return the matrix with its eigenvalues raised to the floor."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)


def _points(u: Floats) -> Floats:
    """Return the normal quantiles, with infinite ends moved where the density has vanished."""
    return np.asarray(np.clip(ndtri(u), -38.0, 38.0))


def _density(u: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * _points(u) ** 2) / np.sqrt(2 * np.pi))
