"""Ranks inside of cells: where in its bin a row lies, given the bins that it lies in elsewhere.

Tables of few bins say nothing of what lies inside them. Drawn by itself, each quantity of a row would be
blurred by the width of its bin, however closely it follows another. So ranks follow the Gaussian copula that
the bins of all rows suggest: of normal scores, each known by its bin alone, the correlations are estimated,
and scores are drawn given bins by Gibbs sampling (Hoff 2007). Quantities that have nothing to do with each
other keep ranks that have nothing to do with each other. What bins cannot tell is taken for normal: of two
far groups that lie in two bins, the inside of each is given the slope of the whole; with 16 bins it is not.
All of this is made of drawn rows: post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

__all__ = ["local_ranks"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

BLOCK = 100_000  # rows that are looked at together: more would say no more, and fill the memory
SWEEPS = 4  # scores start at the middles of their bins, so few are enough
ALONE = 0.03  # of a score's variance is its own, whatever the others say: bins cannot tell the last of it
FARTHEST = 6.0  # no score lies beyond
LEAST = 0.5  # variance of bins' means: with less, one bin holds nearly all rows, and the others tell little
SMALLEST = 1e-15  # probability that a normal quantile is taken of


def local_ranks(codes: Sequence[Codes], rng: np.random.Generator) -> Floats:
    """Return a score for every row of every column, by which rows of the same bin can be put in order.

    `codes` are places of bins in rising order, one array per column; -1 where there is no value.

    >>> low = np.zeros(1_000, dtype=np.int32)
    >>> both = np.repeat([0, 1], 500).astype(np.int32)
    >>> scores = local_ranks([both, both, low], np.random.default_rng(0))
    >>> bool(np.corrcoef(scores[0][:500], scores[1][:500])[0, 1] > 0.5)
    True
    """
    found = np.empty((len(codes), len(codes[0]))) if codes else np.empty((0, 0))
    for start in range(0, found.shape[1], BLOCK):
        block = slice(start, start + BLOCK)
        found[:, block] = _scores([each[block] for each in codes], rng)
    return found


def _scores(codes: Sequence[Codes], rng: np.random.Generator) -> Floats:
    """Return scores of rows that are looked at together."""
    bins = [_ends(each) for each in codes]
    low = np.array([ends[each] for (ends, _), each in zip(bins, codes, strict=True)])
    high = np.array([ends[each + 1] for (ends, _), each in zip(bins, codes, strict=True)])
    for lower, upper, each in zip(low, high, codes, strict=True):
        lower[each < 0], upper[each < 0] = -FARTHEST, FARTHEST
    scores = np.array([np.append(middles, 0.0)[each] for (_, middles), each in zip(bins, codes, strict=True)])
    precision = np.linalg.inv(_correlations(scores))
    for _ in range(SWEEPS):
        for place, row in enumerate(precision):
            mean = scores[place] - row @ scores / row[place]
            scores[place] = _between(low[place], high[place], mean, row[place] ** -0.5, rng)
    return scores


def _ends(codes: Codes) -> tuple[Floats, Floats]:
    """Return where bins of normal scores end, by the rows in each, and the mean score of every bin."""
    held = np.bincount(codes[codes >= 0], minlength=1)
    shares = held / max(held.sum(), 1)
    ends = np.clip(ndtri(np.concatenate([[0.0], np.minimum(np.cumsum(shares), 1.0)])), -FARTHEST, FARTHEST)
    ends[-1] = FARTHEST
    density = np.exp(-(ends**2) / 2) / np.sqrt(2 * np.pi)
    middles = np.divide(-np.diff(density), shares, out=np.zeros(len(shares)), where=shares > 0)
    return ends, middles


def _correlations(middles: Floats) -> Floats:
    """Return the correlations of scores, from their bins' means, which vary less and agree less for it."""
    spread = np.maximum((middles**2).mean(axis=1), LEAST)
    found = middles @ middles.T / middles.shape[1] / np.outer(spread, spread)
    found = np.clip(found, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    found = (vectors * np.maximum(values, 0.0)) @ vectors.T  # the nearest that can be correlations
    scale = np.sqrt(np.maximum(np.diag(found), 1e-12))
    return np.asarray((1 - ALONE) * found / np.outer(scale, scale) + ALONE * np.eye(len(found)))


def _between(low: Floats, high: Floats, mean: Floats, spread: float, rng: np.random.Generator) -> Floats:
    """Return normal draws of this mean and deviation that lie between the ends."""
    first, last = ndtr((low - mean) / spread), ndtr((high - mean) / spread)
    at = np.clip(first + rng.random(len(mean)) * (last - first), SMALLEST, 1 - SMALLEST)
    return np.asarray(np.clip(mean + spread * ndtri(at), low, high))
