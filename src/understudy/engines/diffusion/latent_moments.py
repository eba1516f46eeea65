"""A normal law of latents from sums over rows: exact sums, or noisy ones.

Each row gives one vector: the mean of its posterior, and the second moments of what is drawn from it. Of
those beyond the diagonal one half is enough, times sqrt(2), so that the vector is as long as the matrix.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "clip_of", "law_of", "vectors_of", "width_of"]

Floats = npt.NDArray[np.float64]

_LEAST = 1e-3  # no direction of latents has less variance: noise may leave some with less than none


def width_of(latent: int) -> int:
    """Return the length of a row's vector."""
    return latent + latent * (latent + 1) // 2


def clip_of(latent: int) -> float:
    """Return how long a vector may be: latents of variance 1 give about `latent`, and few give much more."""
    return 1.5 * latent + 1.0


def vectors_of(posteriors: npt.NDArray[np.floating]) -> Floats:
    """Return (b, width): means, and second moments, of posteriors (b, 2 latent), each row by itself.

    >>> vectors_of(np.array([[3.0, 0.0]])).tolist()
    [[3.0, 10.0]]
    """
    mean, log_sd = np.split(posteriors.astype(np.float64), 2, axis=1)
    first, second = np.triu_indices(mean.shape[1])
    moments = mean[:, first] * mean[:, second] * np.where(first == second, 1.0, math.sqrt(2))
    moments[:, first == second] += np.exp(2 * log_sd)
    return np.concatenate([mean, moments], axis=1)


def law_of(sums: Floats, rows: float, deviation: float = 0.0) -> tuple[Floats, Floats]:
    """Return mean and covariance of latents from sums over so many rows with noise of this deviation.

    Where the noise is large beside the sums, what they say is drawn towards N(0, I), which an autoencoder's
    latents are drawn to anyway; a covariance that noise has bent is put right.
    """
    latent = int(math.isqrt(8 * len(sums) + 9) - 3) // 2
    first, second = np.triu_indices(latent)
    means = sums / max(rows, 1.0)
    matrix = np.zeros((latent, latent))
    matrix[first, second] = means[latent:] / np.where(first == second, 1.0, math.sqrt(2))
    matrix = matrix + np.triu(matrix, 1).T
    trust = 1 / (1 + latent * (deviation / max(rows, 1.0)) ** 2)
    mean = trust * means[:latent]
    covariance = trust * matrix + (1 - trust) * np.eye(latent) - np.outer(mean, mean)
    values, axes = np.linalg.eigh(covariance)
    return mean, np.asarray((axes * np.maximum(values, _LEAST)) @ axes.T)
