"""Scores of the cells of bought margins: means of a latent normal within cells, as in engines/copula.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.engines.copula import conditional_means, hermite_coefficients
from understudy.model.binned import Binned

__all__ = ["Latent", "clip_of", "latent_of"]

Floats = npt.NDArray[np.float64]

# A clip, in root mean squares of what a row adds. Products are heavy in their tails, and clipping pulls
# correlations towards nought; so the clip is as wide as it can be at little noise, within these ends.
LEAST_ROOM, MOST_ROOM = 1.5, 8.0
LITTLE = 0.01  # noise in a mean over all rows


@final
@dataclass(frozen=True)
class Latent:
    """One latent: the column it is read from, the score of each of its cells, and how often it is there."""

    column: str
    scores: Floats  # the last place is for missing
    coefficients: Floats
    there: float

    @property
    def variance(self) -> float:
        """How much the scores vary where the column is there."""
        return float((self.coefficients**2).sum())


def latent_of(name: str, binned: Binned, *, is_flag: bool) -> Latent:
    """Return the latent of a column, or of whether it is missing."""
    shares = binned.shares[name]
    missing, quantity = float(shares[-1]), name in binned.edges
    if is_flag:
        mass = np.array([missing, 1 - missing])
    else:
        mass = shares[:-1] / max(1 - missing, 1e-12) if quantity else shares
    scores, coefficients = _scored(mass)
    if is_flag:
        # Missing lies below: the first cell is for missing rows, the second for all others.
        table = np.append(np.full(len(shares) - 1, scores[1]), scores[0])
        return Latent(name, table, coefficients, 1.0)
    table = np.append(scores, 0.0) if quantity else scores
    return Latent(name, table, coefficients, 1 - missing if quantity else 1.0)


def _scored(mass: Floats) -> tuple[Floats, Floats]:
    upper = np.minimum(np.cumsum(mass), 1.0)
    lower = np.concatenate([[0.0], upper[:-1]])
    kept = upper > lower
    scores = np.zeros(len(mass))
    scores[kept] = conditional_means(lower[kept], upper[kept])
    return scores, hermite_coefficients(lower[kept], upper[kept], scores[kept])


def clip_of(usual: float, rows: float, noise: float) -> float:
    """Return the length to clip a row's vector to, from its usual length and planned and bought numbers."""
    usual = max(usual, 1e-3)
    return usual * min(max(LITTLE * rows / (noise * usual), LEAST_ROOM), MOST_ROOM)
