"""The latent correlation of a Gaussian copula through the vault: one noisy sum of products of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.copula import (
    conditional_means,
    hermite_coefficients,
    latent_correlation,
    nearest_correlation,
)
from understudy.model.noisy_margins import Binned
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event, Gaussian
from understudy.privacy.mechanism import Columns
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["asks", "buy"]

NAME = "correlation"
_SELDOM = 1e-6
# The clip, in root mean squares of a row's products. Products are heavy in their tails, and clipping pulls
# correlations towards nought; so the clip is as wide as it can be at little noise, within these ends.
LEAST_ROOM, MOST_ROOM = 1.5, 8.0
LITTLE = 0.01  # noise in a correlation

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class _Latent:
    """One latent: the column it is read from, the score of each of its cells, and how often it is there."""

    column: str
    scores: Floats  # the last place is for missing
    coefficients: Floats
    there: float

    @property
    def variance(self) -> float:
        return float((self.coefficients**2).sum())


def asks(schema: Schema, share: float) -> tuple[Ask, ...]:
    """Return the read that a correlation takes: one sum, if there are two columns to correlate."""
    names = tuple(column.name for column in modelled(schema))
    if len(names) < 2:
        return ()
    return (
        Ask(NAME, "sums of products of the scores of every pair", "measure", "sums", share, columns=names),
    )


def buy(vault: Vault, binned: Binned, flags: list[str], events: dict[str, Event]) -> Floats:
    """Return the latent correlation: one latent per margin, then one per flag of missing values.

    Scores are means of a latent normal within cells, as in engines/copula.py; cells and their shares
    are bought already, so the scores are public and a row's products depend on that row alone.
    """
    latents = [_latent(name, binned, is_flag=False) for name in binned.margins]
    latents += [_latent(name, binned, is_flag=True) for name in flags]
    size = len(latents)
    if NAME not in events:
        return np.eye(size)
    price = events[NAME]
    assert isinstance(price, Gaussian), "sums are paid for with Gaussian noise"
    left, right = np.triu_indices(size, k=1)
    clip = _clip(np.array([latent.variance * latent.there for latent in latents]), binned.rows, price.noise)

    def products(rows: Columns) -> Floats:
        coded = binned.codes(rows)
        scores = np.stack([latent.scores[coded[latent.column]] for latent in latents], axis=1)
        return np.asarray(scores[:, left] * scores[:, right])

    sums = vault.read(NAME, ClippedSums(products, tuple(binned.margins), len(left), clip, price))
    return _correlation(sums, latents, binned.rows)


def _clip(variance: Floats, rows: float, noise: float) -> float:
    """Return the length that a row's products are clipped to, from bought and planned numbers alone."""
    left, right = np.triu_indices(len(variance), k=1)
    usual = max(float(np.sqrt((variance[left] * variance[right]).sum())), 1e-3)
    room = LITTLE * rows / (noise * usual)
    return usual * min(max(room, LEAST_ROOM), MOST_ROOM)


def _latent(name: str, binned: Binned, *, is_flag: bool) -> _Latent:
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
        return _Latent(name, table, coefficients, 1.0)
    table = np.append(scores, 0.0) if quantity else scores
    return _Latent(name, table, coefficients, 1 - missing if quantity else 1.0)


def _scored(mass: Floats) -> tuple[Floats, Floats]:
    upper = np.minimum(np.cumsum(mass), 1.0)
    lower = np.concatenate([[0.0], upper[:-1]])
    kept = upper > lower
    scores = np.zeros(len(mass))
    scores[kept] = conditional_means(lower[kept], upper[kept])
    return scores, hermite_coefficients(lower[kept], upper[kept], scores[kept])


def _correlation(sums: Floats, latents: list[_Latent], rows: float) -> Floats:
    size = len(latents)
    left, right = np.triu_indices(size, k=1)
    there = np.array([latent.there for latent in latents])
    together = there[left] * there[right]
    covariance: Any = np.zeros((size, size))
    # Two columns that are never there together have no correlation to speak of.
    covariance[left, right] = np.where(together > 0, sums / (rows * np.maximum(together, _SELDOM)), 0.0)
    covariance = covariance + covariance.T
    coefficients = np.stack([latent.coefficients for latent in latents])
    return nearest_correlation(latent_correlation(covariance, coefficients))
