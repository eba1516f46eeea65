"""Draws of a latent normal vector, some of whose coordinates must fall into given sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from understudy.engines.margin import inside
from understudy.errors import NothingMatches

__all__ = ["draw_latent"]

Floats = npt.NDArray[np.float64]

FEWEST_TRIES = 20_000_000  # without a single match
MOST_TRIES = 400_000_000


def draw_latent(
    correlation: Floats, allowed: Mapping[int, Floats], rows: int, rng: np.random.Generator
) -> Floats:
    """Return (rows, d) draws of N(0, correlation) given that coordinate i lies in `allowed[i]`.

    `allowed` holds (k, 2) intervals of [0, 1]. The conditioned coordinates are drawn exactly,
    and all others given them from their conditional normal, whose covariance is the Schur
    complement of the conditioned block: no row is drawn in full and thrown away.
    """
    d = len(correlation)
    if not allowed:
        return rng.standard_normal((rows, d)) @ np.linalg.cholesky(correlation).T
    # The rarest condition first: it is met without any rejection.
    given = sorted(allowed, key=lambda i: float(np.sum(allowed[i][:, 1] - allowed[i][:, 0])))
    free = [i for i in range(d) if i not in allowed]
    block = correlation[np.ix_(given, given)]
    fixed = _draw_given(block, [allowed[i] for i in given], rows, rng)  # (rows, given)
    latent = np.empty((rows, d))
    latent[:, given] = fixed
    if free:
        weights = np.linalg.solve(block, correlation[np.ix_(given, free)])  # (given, free)
        schur = correlation[np.ix_(free, free)] - correlation[np.ix_(free, given)] @ weights
        noise = rng.standard_normal((rows, len(free))) @ np.linalg.cholesky(schur).T
        latent[:, free] = fixed @ weights + noise
    return latent


def _draw_given(block: Floats, sets: list[Floats], rows: int, rng: np.random.Generator) -> Floats:
    """Draw the conditioned coordinates: the first from its set, the others by rejection on them alone."""
    factor = np.linalg.cholesky(block)
    found: list[Floats] = [np.empty((0, len(sets)))]
    count, tries, batch = 0, 0, max(rows, 1000)
    while count < rows:
        if tries > (MOST_TRIES if count else FEWEST_TRIES):
            raise NothingMatches(
                f"where: {count:,} of {rows:,} rows met all conditions in {tries:,} tries; loosen them."
            )
        noise = rng.standard_normal((batch, len(sets)))
        noise[:, 0] = ndtri(inside(sets[0], rng.random(batch)).clip(1e-300, 1 - 1e-16))
        drawn = noise @ factor.T
        good = np.ones(batch, dtype=bool)
        for place in range(1, len(sets)):
            good &= _within(ndtr(drawn[:, place]), sets[place])
        found.append(drawn[good])
        count, tries, batch = count + int(good.sum()), tries + batch, min(2 * batch, 1_000_000)
    return np.concatenate(found)[:rows]


def _within(u: Floats, intervals: Floats) -> npt.NDArray[np.bool_]:
    """Say which numbers lie in a union of disjoint intervals."""
    order = np.argsort(intervals[:, 0])
    starts, ends = intervals[order, 0], intervals[order, 1]
    place = np.searchsorted(starts, u, side="right") - 1
    return np.asarray((place >= 0) & (u < ends[np.maximum(place, 0)]))
