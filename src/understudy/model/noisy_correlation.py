"""The latent correlation of a Gaussian copula through the vault: one noisy sum of products of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.engines.copula import latent_correlation, nearest_correlation
from understudy.model import noisy_order
from understudy.model.binned import Binned
from understudy.model.noisy_scores import Latent, clip_of, latent_of
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event, Gaussian
from understudy.privacy.mechanism import Columns
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["asks", "buy"]

NAME = "correlation"
_SELDOM = 1e-6
Floats = npt.NDArray[np.float64]


def asks(schema: Schema, share: float, *, order: bool = True) -> tuple[Ask, ...]:
    """Return the reads that a correlation takes: one sum, and before it one for the order of levels.

    `order` says whether unordered levels are put into the order that explains the other columns best: a
    correlation of levels means little without one. It takes three eighths of the share.
    """
    names = tuple(column.name for column in modelled(schema))
    if len(names) < 2:
        return ()
    ordering = noisy_order.asks(schema, 0.375 * share) if order else ()
    rest = share - sum(ask.share for ask in ordering)
    what = "sums of products of the scores of every pair"
    return (*ordering, Ask(NAME, what, "measure", "sums", rest, columns=names))


def buy(vault: Vault, binned: Binned, flags: list[str], events: dict[str, Event]) -> Floats:
    """Return the latent correlation: one latent per margin, then one per flag of missing values.

    Scores are means of a latent normal within cells, as in engines/copula.py; cells and their shares
    are bought already, so the scores are public and a row's products depend on that row alone.
    """
    latents = [latent_of(name, binned, is_flag=False) for name in binned.margins]
    latents += [latent_of(name, binned, is_flag=True) for name in flags]
    size = len(latents)
    if NAME not in events:
        return np.eye(size)
    price = events[NAME]
    assert isinstance(price, Gaussian), "sums are paid for with Gaussian noise"
    left, right = np.triu_indices(size, k=1)
    variance = np.array([latent.variance * latent.there for latent in latents])
    usual = float(np.sqrt((variance[left] * variance[right]).sum()))
    clip = clip_of(usual, binned.rows, price.noise)

    def products(rows: Columns) -> Floats:
        coded = binned.codes(rows)
        scores = np.stack([latent.scores[coded[latent.column]] for latent in latents], axis=1)
        return np.asarray(scores[:, left] * scores[:, right])

    sums = vault.read(NAME, ClippedSums(products, tuple(binned.margins), len(left), clip, price))
    return _correlation(sums, latents, binned.rows)


def _correlation(sums: Floats, latents: list[Latent], rows: float) -> Floats:
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
