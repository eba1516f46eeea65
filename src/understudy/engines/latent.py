"""Draws of a latent normal vector, some of whose coordinates must fall into given sets.

The conditioned coordinates are drawn one after the other, each from its conditional normal cut to
its set (Geweke 1991), and a draw is kept with the probability that its cuts had, relative to the
largest that they can have. What is kept has the exact distribution, and narrow ranges cost little.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import erf, ndtr, ndtri

from understudy.engines.margin import inside
from understudy.errors import NothingMatches

__all__ = ["latent_blocks"]

Floats = npt.NDArray[np.float64]

FEWEST_TRIES = 5_000_000  # without a single match
MOST_TRIES, TRIES_A_ROW = 20_000_000, 200
MOST_SECONDS, SECONDS_A_ROW = 30.0, 1e-4
MOST_CUTS = 8  # intervals that are cut one by one; of more, only the hull is
BATCH = 262_144
_FARTHEST = 38.0  # the density has vanished there


def latent_blocks(
    correlation: Floats, allowed: Mapping[int, Floats], rows: int, rng: np.random.Generator, block: int
) -> Iterator[Floats]:
    """Yield (block, d) draws of N(0, correlation), `rows` in all, whose coordinate i lies in `allowed[i]`.

    `allowed` holds (k, 2) intervals of [0, 1]. The conditioned coordinates are drawn exactly,
    and all others given them from their conditional normal, whose covariance is the Schur
    complement of the conditioned block: no row is drawn in full and thrown away.
    """
    d = len(correlation)
    # The rarest condition first: it is met without any rejection.
    given = sorted(allowed, key=lambda i: float(np.sum(allowed[i][:, 1] - allowed[i][:, 0])))
    free = [i for i in range(d) if i not in allowed]
    inner = correlation[np.ix_(given, given)]
    fixed = _draw_given(inner, [allowed[i] for i in given], rows, rng)  # (rows, given)
    weights = np.linalg.solve(inner, correlation[np.ix_(given, free)])  # (given, free)
    schur = correlation[np.ix_(free, free)] - correlation[np.ix_(free, given)] @ weights
    factor = np.linalg.cholesky(schur).T
    for start in range(0, max(rows, 1), block):
        part = fixed[start : start + block]
        latent = np.empty((len(part), d))
        latent[:, given] = part
        latent[:, free] = part @ weights + rng.standard_normal((len(part), len(free))) @ factor
        yield latent


def _draw_given(block: Floats, sets: list[Floats], rows: int, rng: np.random.Generator) -> Floats:
    """Draw the conditioned coordinates; refuse when too few match in one call's tries and seconds."""
    if not sets:
        return np.empty((rows, 0))
    factor = np.asarray(np.linalg.cholesky(block), dtype=np.float64)
    cuts = [_cuts(intervals) for intervals in sets]
    found: list[Floats] = [np.empty((0, len(sets)))]
    count, tries, batch, start = 0, 0, min(max(rows, 1000), BATCH), time.monotonic()
    while count < rows:
        _refuse_too_rare(count, rows, tries, time.monotonic() - start)
        drawn, chance = _propose(factor, sets[0], cuts, rng.random((batch, len(sets), 2)))
        good = rng.random(batch) < chance
        for place in range(1, len(sets)):
            good &= _within(ndtr(drawn[:, place]), sets[place])
        found.append(drawn[good])
        count, tries, batch = count + int(good.sum()), tries + batch, min(2 * batch, BATCH)
    return np.concatenate(found)[:rows]


def _refuse_too_rare(count: int, rows: int, tries: int, seconds: float) -> None:
    most = MOST_TRIES + TRIES_A_ROW * rows if count else FEWEST_TRIES
    if tries > most or seconds > MOST_SECONDS + SECONDS_A_ROW * rows:
        raise NothingMatches(
            f"where: {count:,} of {rows:,} rows met all conditions in {tries:,} tries and {seconds:.0f} s; "
            "loosen them, or ask for fewer rows."
        )


def _propose(factor: Floats, first: Floats, cuts: list[Floats], uniform: Floats) -> tuple[Floats, Floats]:
    """Return draws cut to their sets one after the other, and the chance with which each is to be kept."""
    noise, chance = np.empty(uniform.shape[:2]), np.ones(len(uniform))
    noise[:, 0] = ndtri(inside(first, uniform[:, 0, 0]).clip(1e-300, 1 - 1e-16))
    for place in range(1, len(cuts)):
        spread = factor[place, place]
        mean = noise[:, :place] @ factor[place, :place]
        ends = (cuts[place][None] - mean[:, None, None]) / spread  # (batch, intervals, 2)
        noise[:, place], mass = _cut_normal(ends, uniform[:, place])
        # No interval holds more than when the normal stands on its middle.
        widths = cuts[place][:, 1] - cuts[place][:, 0]
        chance *= mass / min(float(erf(widths / spread / np.sqrt(8)).sum()), 1.0)
    return noise @ factor.T, chance


def _cut_normal(ends: Floats, uniform: Floats) -> tuple[Floats, Floats]:
    """Return a standard normal inside each row's (intervals, 2) ends, and the mass that they hold."""
    low, high = ends[:, :, 0], ends[:, :, 1]
    upper = low + high > 0  # the upper tail is read from below, where small masses are exact
    low, high = np.where(upper, -high, low), np.where(upper, -low, high)
    below = ndtr(low)
    masses = ndtr(high) - below
    reached = np.cumsum(masses, axis=1)
    pick = (reached[:, :-1] < uniform[:, :1] * reached[:, -1:]).sum(axis=1, keepdims=True)
    low, high, below, mass, upper = (
        np.take_along_axis(part, pick, axis=1)[:, 0] for part in (low, high, below, masses, upper)
    )
    drawn = np.clip(ndtri(below + uniform[:, 1] * mass), low, high)
    return np.where(upper, -drawn, drawn), reached[:, -1]


def _cuts(intervals: Floats) -> Floats:
    """Return the ends of the intervals as normal quantiles, neighbours joined; the hull of too many."""
    ordered = intervals[np.argsort(intervals[:, 0])]
    apart = ordered[1:, 0] > ordered[:-1, 1]
    if apart.sum() >= MOST_CUTS:
        apart[:] = False
    lows, highs = ordered[np.append(True, apart), 0], ordered[np.append(apart, True), 1]
    return np.asarray(np.clip(ndtri(np.stack([lows, highs], axis=1)), -_FARTHEST, _FARTHEST))


def _within(u: Floats, intervals: Floats) -> npt.NDArray[np.bool_]:
    """Say which numbers lie in a union of disjoint intervals."""
    order = np.argsort(intervals[:, 0])
    starts, ends = intervals[order, 0], intervals[order, 1]
    place = np.searchsorted(starts, u, side="right") - 1
    return np.asarray((place >= 0) & (u < ends[np.maximum(place, 0)]))
