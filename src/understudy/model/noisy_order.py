"""An order for unordered levels through the vault: along the axis that explains the other columns best.

What engines/ordering.py does with counts of pairs is done here with sums of scores: for every level, the
scores of the other columns over its rows. Their first principal axis is the order (Greenacre 1984).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from understudy.model.binned import Binned
from understudy.model.noisy_scores import Latent, clip_of, latent_of
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event, Gaussian
from understudy.privacy.mechanism import Columns
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["asks", "buy"]

NAME = "order"
WIDEST = 50_000  # sums that are bought; beyond it levels stay as they are
SHRINK = 3.0  # sigmas that a level needs before its place counts for half

Floats = npt.NDArray[np.float64]


def asks(schema: Schema, share: float) -> tuple[Ask, ...]:
    """Return the read that an order takes: one sum, if there are unordered levels and another column."""
    names = tuple(column.name for column in modelled(schema))
    if len(names) < 2 or not _unordered(schema):
        return ()
    return (
        Ask(NAME, "sums of scores over the rows of every level", "measure", "sums", share, columns=names),
    )


def buy(vault: Vault, binned: Binned, schema: Schema, events: dict[str, Event]) -> Binned:
    """Return the margins with unordered levels put into an order; as they are if none was planned."""
    names = [name for name in _unordered(schema) if len(binned.shares[name]) > 3]
    latents = [latent_of(name, binned, is_flag=False) for name in binned.margins]
    cells = [len(binned.shares[name]) for name in names]
    width = sum(cells) * len(latents)
    if NAME not in events or not 0 < width <= WIDEST:
        return binned
    price = events[NAME]
    assert isinstance(price, Gaussian), "sums are paid for with Gaussian noise"
    usual = float(np.sqrt(len(names) * sum(latent.variance * latent.there for latent in latents)))
    clip = clip_of(usual, binned.rows, price.noise)
    rule = _rule(binned, names, latents)
    sums = vault.read(NAME, ClippedSums(rule, tuple(binned.margins), width, clip, price))
    tables = np.split(sums.reshape(-1, len(latents)), np.cumsum(cells)[:-1])
    sigma = price.noise * clip
    orders = {n: _order(t, binned.shares[n], binned.rows, sigma) for n, t in zip(names, tables, strict=True)}
    return binned.reordered(orders)


def _unordered(schema: Schema) -> list[str]:
    return [column.name for column in modelled(schema) if column.kind == "categorical"]


def _rule(binned: Binned, names: list[str], latents: list[Latent]) -> Callable[[Columns], Floats]:
    """Return what a row adds: the scores of all other columns, in the place of its level of every column."""
    starts = np.cumsum([0, *(len(binned.shares[name]) for name in names[:-1])])
    own = np.array([[latent.column == name for latent in latents] for name in names])
    width = sum(len(binned.shares[name]) for name in names)

    def vectors(rows: Columns) -> Floats:
        coded = binned.codes(rows)
        scores = np.stack([latent.scores[coded[latent.column]] for latent in latents], axis=1)
        out = np.zeros((len(scores), width, len(latents)))
        at = np.arange(len(scores))
        for start, name, mine in zip(starts, names, own, strict=True):
            out[at, start + coded[name]] = np.where(mine, 0.0, scores)
        return out.reshape(len(scores), -1)

    return vectors


def _order(sums: Floats, shares: Floats, rows: float, sigma: float) -> npt.NDArray[np.int64]:
    """Return the cells along the first axis; those that are too rare to be placed lie in the middle."""
    weight = np.sqrt(shares + SHRINK * sigma / rows)
    residual = (sums - shares[:, None] * sums.sum(axis=0)) / rows / weight[:, None]  # (cells, latents)
    axis = np.linalg.svd(residual, full_matrices=False)[0][:, 0]
    return np.argsort(axis / weight, kind="stable")
