"""Audits: what the outcomes of many runs on two neighbouring tables prove about the privacy of a method.

An event that is likelier on one table than on the other bounds epsilon, and mu, from below. It is chosen on
one half of the runs and counted on the other, so the bounds hold with the stated confidence whatever the
choice was (Jagielski et al. 2020); mu is the sharper one where noise is Gaussian (Nasr et al. 2023).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from understudy.errors import ParameterError
from understudy.privacy import Certificate

__all__ = ["Bounds", "bounds_of", "bounds_of_several"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Measure = Callable[[Floats, Floats], Floats]

# That are looked at on the first half: of more, the luckiest would be chosen. An odd number, so that of two
# equally large groups which do not overlap the middle, which parts them, is among them.
THRESHOLDS = 41


@final
@dataclass(frozen=True)
class Bounds:
    """The least epsilon, at the delta that was asked for, and the least mu that explain what was seen.

    `alarms` is the false positive rate, its upper end, of the event that bounds mu.
    """

    epsilon: float
    mu: float
    alarms: float
    delta: float

    def within(self, certificate: Certificate) -> bool:
        """Say whether a certificate allows for all of it: its epsilon, and its own curve at `alarms`."""
        return self.epsilon <= certificate.epsilon(self.delta) and self.mu <= self.allowed(certificate)

    def allowed(self, certificate: Certificate) -> float:
        """Return the mu that a certificate leaves room for at the same false positive rate."""
        if not 0 < self.alarms < 1:
            return math.inf
        return float(ndtri(certificate.tradeoff(self.alarms)) - ndtri(self.alarms))


def bounds_of(without: Floats, having: Floats, *, delta: float, confidence: float = 0.999) -> Bounds:
    """Return lower bounds from one statistic of runs on a table without a row and on the same with it.

    Guarantee: if the runs are independent and each table's are alike, epsilon is above the true one with a
    chance of at most 1 - confidence, and so is mu: both rates have exact intervals (Clopper, Pearson
    1934), of half of that chance each.

    >>> bounds_of(np.zeros(4_000), np.ones(4_000), delta=0.0).epsilon > 5
    True
    """
    if min(len(without), len(having)) < 4 or np.isnan(without).any() or np.isnan(having).any():
        raise ParameterError("bounds_of: needs four numbers or more of each table, none of them NaN.")
    chosen, held = ((without[half::2], having[half::2]) for half in (0, 1))
    rest = (1 - confidence) / 2

    def epsilon(hits: Floats, alarms: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.log(np.maximum(hits - delta, 0.0) / alarms))

    (least, _), (mu, alarms) = (_bound(chosen, held, measure, rest) for measure in (epsilon, _mu))
    return Bounds(max(least, 0.0), max(mu, 0.0), alarms, delta)


def bounds_of_several(
    without: Mapping[str, Floats], having: Mapping[str, Floats], *, delta: float, confidence: float = 0.999
) -> Bounds:
    """Return the best lower bounds of several statistics, which together err as seldom as one would."""
    each = 1 - (1 - confidence) / len(without)
    found = [bounds_of(without[name], having[name], delta=delta, confidence=each) for name in without]
    best = max(found, key=lambda one: one.mu)
    return replace(best, epsilon=max(one.epsilon for one in found))


def _mu(hits: Floats, alarms: Floats) -> Floats:
    return np.asarray(ndtri(hits) - ndtri(alarms))


def _bound(
    chosen: tuple[Floats, Floats], held: tuple[Floats, Floats], measure: Measure, rest: float
) -> tuple[float, float]:
    """Return the measure of one event on the held half, the best of the other half, and its false alarms."""
    between = _between(np.unique(np.concatenate(chosen)))
    thresholds = between[np.linspace(0, len(between) - 1, min(len(between), THRESHOLDS)).astype(np.int64)]
    kinds = [(above, swapped) for above in (True, False) for swapped in (True, False)]
    values = [_finite(measure(*_rates(chosen, thresholds, kind, rest))) for kind in kinds]
    kind, place = divmod(int(np.argmax(np.concatenate(values))), len(thresholds))
    hits, alarms = _rates(held, thresholds[place : place + 1], kinds[kind], rest)
    return float(_finite(measure(hits, alarms))[0]), float(alarms[0])


def _between(values: Floats) -> Floats:
    """Return the middles of ascending values: an event that ends at a value loses the next run just below."""
    if len(values) < 2:
        return values
    with np.errstate(invalid="ignore"):
        middles = values[:-1] / 2 + values[1:] / 2
    return np.where(np.isfinite(middles), middles, values[1:])


def _rates(
    runs: tuple[Floats, Floats], thresholds: Floats, kind: tuple[bool, bool], rest: float
) -> tuple[Floats, Floats]:
    """Return the rates of hits and false alarms of one event per threshold, each at its unlucky end."""
    above, swapped = kind
    # As evidence of a row that is there, alarms are runs without it; as evidence of a gap, the reverse.
    alarms, hits = runs[::-1] if swapped else runs
    low = _low_end(_counted(hits, thresholds, above=above), len(hits), rest)
    spared = _low_end(_counted(alarms, thresholds, above=not above), len(alarms), rest)
    return low, 1 - spared


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, -math.inf)


def _counted(values: Floats, thresholds: Floats, *, above: bool) -> Counts:
    below = np.searchsorted(np.sort(values), thresholds, side="left").astype(np.int64)
    return len(values) - below if above else below


def _low_end(successes: Counts, trials: int, rest: float) -> Floats:
    found = betaincinv(np.maximum(successes, 1), trials - successes + 1, rest)
    return np.where(successes > 0, found, 0.0)
