"""An audit by one run: many canaries, each in the table by the throw of a coin, and guesses who was in it.

If a method is (epsilon, delta)-private, the number of right guesses is about as that of coins that fall right
with a chance of e^epsilon / (1 + e^epsilon), whatever the guesser does (Steinke, Nasr, Jagielski 2023,
theorem 5.2). More right ones than that refute the epsilon. Runs on several tables, each with canaries of its
own, count as one run.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import binom

from understudy.errors import ParameterError
from understudy.measuring.interval import clopper_pearson
from understudy.privacy.closed_forms import epsilon_of_mu

__all__ = ["Guesses", "best_of_guesses", "chance_of", "epsilon_of_guesses", "guess", "mu_of_rates"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
SHARES = (1.0, 0.5, 0.25)  # of the canaries that are guessed at: of the others nothing is said
_LARGEST = 60.0  # an epsilon beyond which no number of guesses leads


@final
class Guesses(NamedTuple):
    """How many guesses were made, and how many were right."""

    made: int
    right: int


def chance_of(found: Guesses, epsilon: float, delta: float = 0.0, canaries: int | None = None) -> float:
    """Return the chance of so many right guesses, or more, under (epsilon, delta)-privacy: an upper bound.

    `canaries` are all that coins were thrown for, as many as guesses if None; each costs a delta.
    """
    made, right = found
    canaries = made if canaries is None else canaries
    if not (0 <= right <= made <= canaries and epsilon >= 0 and 0 <= delta < 1):
        raise ParameterError("one_run: needs 0 <= right <= made <= canaries, epsilon >= 0, 0 <= delta < 1.")
    coin = 1 / (1 + math.exp(-epsilon))
    beyond = float(binom.sf(right - 1, made, coin))
    if delta == 0 or right == 0:
        return min(beyond, 1.0)
    # Each delta can turn guesses right: the worst is to lift the cheapest counts below over the line.
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), made, coin))
    lifted = float((below / np.arange(1, right + 1)).max())
    return min(beyond + 2 * canaries * delta * lifted, 1.0)


def epsilon_of_guesses(
    found: Guesses, delta: float = 0.0, canaries: int | None = None, confidence: float = 0.95
) -> float:
    """Return the largest epsilon that so many right guesses refute, 0 if none.

    Guarantee: above the true epsilon with a chance of at most 1 - confidence, if every canary was in by a
    fair coin of its own, and the guesses were made from what was released alone.

    >>> [round(epsilon_of_guesses(Guesses(*each)), 4) for each in ((200, 180), (100, 60), (1000, 550))]
    [1.7989, 0.0519, 0.0942]
    """
    rest = 1 - confidence
    if found.made == 0 or chance_of(found, 0.0, delta, canaries) >= rest:
        return 0.0
    return float(
        brentq(lambda epsilon: chance_of(found, epsilon, delta, canaries) - rest, 0.0, _LARGEST, xtol=1e-10)
    )


def guess(scores: Floats, members: Flags, share: float = 1.0) -> Guesses:
    """Guess "in" of the highest scores and "out" of the lowest, and count; ties at an edge are left out.

    >>> guess(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, True]), 0.5)
    Guesses(made=2, right=1)
    """
    if len(scores) != len(members) or np.isnan(scores).any():
        raise ParameterError("one_run: needs as many scores as canaries, none of them NaN.")
    side = int(len(scores) * share / 2)
    if side == 0:
        return Guesses(0, 0)
    ordered = np.sort(scores)
    # Of equal scores all or none are guessed at: the order of rows has no part in it.
    high, low = ordered[len(ordered) - side - 1], ordered[side]
    named, cleared = scores > high, scores < low
    right = int(members[named].sum() + (~members[cleared]).sum())
    return Guesses(int(named.sum() + cleared.sum()), right)


def best_of_guesses(
    scores: Floats, members: Flags, delta: float = 0.0, confidence: float = 0.95
) -> tuple[float, Guesses]:
    """Return the best epsilon of guesses at all canaries, at half of them, and at a quarter; and the guesses.

    Each is refuted with a part of the chance of error, so that the best of them is as safe as one.
    """
    each = 1 - (1 - confidence) / len(SHARES)
    tried = [guess(scores, members, share) for share in SHARES]
    found = [epsilon_of_guesses(one, delta, len(scores), each) for one in tried]
    best = int(np.argmax(found))
    return found[best], tried[best]


def mu_of_rates(
    members: tuple[int, int], others: tuple[int, int], delta: float = 1e-9, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the least mu by (accused, all) of both groups, and the epsilon at `delta` of two such Gaussians.

    The ends of both rates are exact, at a threshold chosen before. A bound where every member is a run of its
    own (Nasr et al. 2023); of many canaries in one run an estimate, and epsilon is one if noise is Gaussian.

    >>> [round(part, 3) for part in mu_of_rates((90, 100), (10, 100), 1e-5)]
    [1.772, 8.622]
    """
    each = 1 - (1 - confidence) / 2
    hits, alarms = clopper_pearson(*members, each)[0], clopper_pearson(*others, each)[1]
    if not (hits > 0 and alarms < 1):
        return 0.0, 0.0
    mu = max(0.0, float(ndtri(hits) - ndtri(alarms)))
    return mu, epsilon_of_mu(mu, delta) if delta > 0 else 0.0
