"""Accountants: from a list of events to the whole curve of what they reveal together.

Three ways. Only Gaussians, or a filter of Gaussian differential privacy: a closed form. Everything else
that has a privacy loss distribution: dp-accounting's numerical composition (pessimistic rounding, an
upper bound), or the closed form where that is lower, as it is for choices. The rest: Renyi divergences.
When a computation fails the next, looser one is taken; when all fail the answer is "no guarantee", never
zero.
"""

from __future__ import annotations

import logging
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from understudy.privacy import closed_forms
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Event,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    Parallel,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
    unfolded,
)
from understudy.privacy.gdp import mu_of
from understudy.privacy.renyi import divergences, renyi_delta, renyi_epsilon, slack
from understudy.privacy.sampled_loss import sampled_gaussian

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["Curve", "account"]

_LOG = logging.getLogger(__name__)

FLOOR = (
    1e-6  # false positive rates below this are left out of mu(): the tail of a computed curve has no slope
)
_TAIL = 1e-10
# A delta too small for a float is still not nought: that would promise pure differential privacy.
_LEAST = sys.float_info.min
_MOST_STEPS = 5_000_000
_MOST_POINTS = 1e7  # of a privacy loss distribution; ten seconds, and an epsilon of hundreds
_BEND = 1e-5  # how far a line can rise, in units of mu, between two points of the grid of mu()

Floats = npt.NDArray[np.float64]


class Curve(ABC):
    """The privacy profile of a composition: delta as a function of epsilon, and what follows from it."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """Return the delta that holds at epsilon >= 0."""

    @abstractmethod
    def epsilon(self, delta: float) -> float:
        """Return the epsilon that holds at delta."""

    def advantage(self) -> float:
        """Return the largest advantage of any membership attacker: delta(0), the total variation."""
        return min(1.0, self.delta(0.0))

    def separation(self) -> float:
        """Return the separation value of paper 000, for any mechanism: advantage / sqrt 2."""
        return self.advantage() / math.sqrt(2)

    def tradeoff(self, fpr: float) -> float:
        """Return the largest true positive rate at a false positive rate (Kairouz et al. 2015).

        Every (epsilon, delta(epsilon)) bounds it, so the minimum over any set of epsilons does too.
        """
        epsilons, deltas = self._profile
        raised = np.exp(epsilons) * fpr + deltas
        lowered = 1 - np.exp(-epsilons) * (1 - deltas - fpr)
        best = min(float(raised.min()), float(lowered.min()), 1.0)
        return max(best, fpr)

    def mu(self) -> float:
        """Return a mu for which the curve is mu-GDP at false positive rates from 1e-6 to 1 - 1e-6.

        The curve lies under straight lines, two for each epsilon. Between two points of a fine grid it
        lies under those two that are lowest there, so the corner where they meet is looked at too.
        """
        z = np.linspace(ndtri(FLOOR), -ndtri(FLOOR), 2_000)
        epsilons, deltas = self._profile
        misses, lines = _fewest_misses(epsilons, deltas, z)
        gaps = -ndtri(misses) - z
        return float(max(0.0, float(np.max(gaps)), _largest_at_corners(lines, z)) + _BEND)

    @cached_property
    def _profile(self) -> tuple[Floats, Floats]:
        """Some epsilons, from 0 to where delta has all but vanished, and their deltas."""
        # A delta that was set aside leaves no epsilon at smaller ones: then the first that has one is taken.
        found = (self.epsilon(tail) for tail in (_TAIL, 10 * _TAIL, 100 * _TAIL, 1e-6, 1e-4))
        top = next((epsilon for epsilon in found if math.isfinite(epsilon)), math.inf)
        top = min(max(top, 1e-3), 500.0)
        epsilons = np.unique(np.concatenate([np.linspace(0, top, 400), np.geomspace(top / 1000, top, 100)]))
        return epsilons, self.deltas(epsilons)

    def deltas(self, epsilons: Floats) -> Floats:
        """Return the deltas that hold at several epsilons."""
        return np.array([self.delta(float(epsilon)) for epsilon in epsilons])


def _fewest_misses(epsilons: Floats, deltas: Floats, z: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
    """Return 1 - TPR at the false positive rates Phi(z), and the line (at fpr 0, slope) that decides each.

    What is missed is computed rather than what is found: near a TPR of 1 only that has digits left.
    """
    starts = np.concatenate([1 - deltas, np.exp(-epsilons) * (1 - deltas), [0.0]])
    slopes = np.concatenate([-np.exp(epsilons), -np.exp(-epsilons), [0.0]])
    ends = np.concatenate([1 - deltas - np.exp(epsilons), -np.exp(-epsilons) * deltas, [0.0]])
    fpr, rest = ndtr(z), ndtr(-z)
    # Counted from whichever end of the line is nearer, so that nothing cancels.
    missed = np.where(
        z < 0, starts[:, None] + slopes[:, None] * fpr, ends[:, None] - slopes[:, None] * rest
    )  # (lines, points)
    lowest = np.argmax(missed, axis=0)
    return missed[lowest, np.arange(len(z))], (starts[lowest], slopes[lowest])


def _largest_at_corners(lines: tuple[Floats, Floats], z: Floats) -> float:
    """Return the largest gap where the lines of two neighbouring points meet."""
    starts, slopes = lines
    turn = np.flatnonzero(np.diff(slopes))
    if not len(turn):
        return 0.0
    fpr = -(starts[turn + 1] - starts[turn]) / (slopes[turn + 1] - slopes[turn])
    fpr = np.clip(fpr, ndtr(z[turn]), ndtr(z[turn + 1]))
    missed = np.clip(starts[turn] + slopes[turn] * fpr, 0.0, 1.0)
    return float(np.max(-ndtri(missed) - ndtri(fpr)))


@final
class _Nothing(Curve):
    """No guarantee at all."""

    def delta(self, epsilon: float) -> float:  # noqa: ARG002 - the same everywhere
        return 1.0

    def epsilon(self, delta: float) -> float:
        return 0.0 if delta >= 1 else math.inf

    def mu(self) -> float:
        return math.inf


@final
class _Gaussian(Curve):
    """What is mu-GDP, with mu the root of the sum of squares."""

    def __init__(self, mu: float) -> None:
        self._mu = mu

    def delta(self, epsilon: float) -> float:
        found = closed_forms.delta_of_mu(self._mu, epsilon)
        return max(found, _LEAST) if self._mu else found

    def epsilon(self, delta: float) -> float:
        return closed_forms.epsilon_of_mu(self._mu, delta)

    def mu(self) -> float:
        return self._mu

    def tradeoff(self, fpr: float) -> float:
        return closed_forms.tpr_of_mu(self._mu, fpr) if 0 < fpr < 1 else fpr


@final
class _Aside(Curve):
    """A curve, and deltas that were paid beside it: chances of telling all."""

    def __init__(self, curve: Curve, aside: float) -> None:
        self._curve, self._aside = curve, aside

    def delta(self, epsilon: float) -> float:
        return min(1.0, self._curve.delta(epsilon) + self._aside)

    def epsilon(self, delta: float) -> float:
        left = delta - self._aside
        return math.inf if left < 0 else self._curve.epsilon(left)


@final
class _Loss(Curve):
    """A privacy loss distribution, computed by dp-accounting with pessimistic rounding."""

    def __init__(self, distribution: PrivacyLossDistribution) -> None:
        self._distribution = distribution

    def delta(self, epsilon: float) -> float:
        return min(1.0, float(self._distribution.get_delta_for_epsilon(epsilon)))

    def epsilon(self, delta: float) -> float:
        return float(self._distribution.get_epsilon_for_delta(delta))

    def deltas(self, epsilons: Floats) -> Floats:
        return np.asarray(np.minimum(1.0, self._distribution.get_delta_for_epsilon(epsilons)))


@final
class _Renyi(Curve):
    """A Renyi curve, with the deltas that were paid beside it."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._curve, self._slack = divergences(events), slack(events)

    def delta(self, epsilon: float) -> float:
        return min(1.0, max(renyi_delta(self._curve, epsilon), _LEAST) + self._slack)

    def epsilon(self, delta: float) -> float:
        return renyi_epsilon(self._curve, delta - self._slack)


@final
class _Best(Curve):
    """The smallest of several upper bounds, at every point."""

    def __init__(self, *curves: Curve) -> None:
        self._curves = curves

    def delta(self, epsilon: float) -> float:
        return min(curve.delta(epsilon) for curve in self._curves)

    def epsilon(self, delta: float) -> float:
        return min(curve.epsilon(delta) for curve in self._curves)

    def deltas(self, epsilons: Floats) -> Floats:
        return np.asarray(np.min([curve.deltas(epsilons) for curve in self._curves], axis=0))


@final
class _Largest(Curve):
    """The largest of several bounds at every point: a row takes part in one of the runs, whichever it is."""

    def __init__(self, curves: Sequence[Curve]) -> None:
        self._curves = curves

    def delta(self, epsilon: float) -> float:
        return max(curve.delta(epsilon) for curve in self._curves)

    def epsilon(self, delta: float) -> float:
        return max(curve.epsilon(delta) for curve in self._curves)

    def deltas(self, epsilons: Floats) -> Floats:
        return np.asarray(np.max([curve.deltas(epsilons) for curve in self._curves], axis=0))

    def mu(self) -> float:
        return max(curve.mu() for curve in self._curves)

    def tradeoff(self, fpr: float) -> float:
        return max(curve.tradeoff(fpr) for curve in self._curves)


@lru_cache(maxsize=512)
def account(events: tuple[Event, ...]) -> Curve:
    """Return the curve of the composition of all events, under adding or removing one row.

    >>> round(account((Gaussian(2.0, count=4),)).epsilon(1e-5), 4)
    4.3772
    >>> account((Open(),)).epsilon(1e-5)
    inf
    """
    if any(isinstance(event, Open) for event in events):
        return _Nothing()
    if any(isinstance(event, Parallel) for event in events):
        return _Largest([account(run) for run in unfolded(events)])
    return _composition(tuple(_unsampled(event) for event in events))


def _composition(events: tuple[Event, ...]) -> Curve:
    gaussian = _gaussian(events)
    if gaussian and all(isinstance(event, Gaussian) or _is_filter(event) for event in events):
        return gaussian
    if any(isinstance(event, Renyi | Concentrated) for event in events):
        return _Renyi(events)
    # These two are tighter than a distribution for selections, of which they know more than their epsilon,
    # and at deltas so small that the distribution was cut off before.
    others = [_Renyi(events), *([gaussian] if gaussian else [])]
    if gaussian and any(_is_filter(event) for event in events):
        return _Best(*others)  # of noise that is chosen as reads go there is no better distribution
    try:
        return _Best(_Loss(_composed(events)), *others)
    except (ValueError, OverflowError, ArithmeticError, MemoryError) as error:
        # No warning: the bound holds too, and what it is worth is told with the figures.
        _LOG.info("privacy loss distribution failed (%s); the Renyi bound is used", type(error).__name__)
        return _Best(*others)


def _is_filter(event: Event) -> bool:
    return isinstance(event, GaussianDP)


def _gaussian(events: Sequence[Event]) -> Curve | None:
    """Return the closed form, where all events but deltas set aside have a mu."""
    noisy = tuple(event for event in events if not (isinstance(event, Pure) and event.epsilon == 0))
    mu, aside = mu_of(noisy), slack(events)
    if mu is None:
        return None
    return _Aside(_Gaussian(mu), aside) if aside else _Gaussian(mu)


def _composed(events: Sequence[Event]) -> PrivacyLossDistribution:
    interval = _interval(events)
    # What is mu-GDP reveals no more than Gaussian noise of that mu.
    noisy = (Gaussian(1 / event.mu) if isinstance(event, GaussianDP) else event for event in events)
    parts = [_distribution(event, interval) for event in noisy]
    total = parts[0]
    for part in parts[1:]:
        total = total.compose(part)
    return total


def _steps(event: Event) -> int:
    return event.steps if isinstance(event, SampledGaussian) else getattr(event, "count", 1)


def _unsampled(event: Event) -> Event:
    """Return sampled steps that every row takes part in as what they are: Gaussians."""
    if isinstance(event, SampledGaussian) and event.rate == 1:
        return Gaussian(event.noise, event.steps)
    return event


def _interval(events: Sequence[Event]) -> float:
    """Return the finest grid on which the distribution takes seconds; refuse where that takes hours.

    A coarser grid is still an upper bound, and a close one: dp-accounting rounds upwards, and joins the
    dots for Gaussian noise. 128 steps at noise 0.2 have an epsilon of 36.83 on each of the three.
    """
    scales = [event.noise for event in events if isinstance(event, Gaussian | SampledGaussian)]
    scales += [event.sigma for event in events if isinstance(event, DiscreteGaussian)]
    scales += [1 / event.mu for event in events if isinstance(event, GaussianDP)]
    widest = max((1 / (2 * scale**2) + 12 / scale for scale in scales), default=0.0)  # of one step's loss
    most = max((event.sigma for event in events if isinstance(event, DiscreteGaussian)), default=0.0)
    steps = sum(_steps(event) for event in events)
    if steps > _MOST_STEPS or most > _MOST_POINTS / 10:
        raise ValueError("this plan has too many points")
    reach = renyi_epsilon(divergences(events), 1e-15)
    for interval in (1e-4 if steps <= 50_000 else 2e-5, 1e-3, 1e-2):
        if widest / interval <= _MOST_POINTS / 10 and reach / interval <= _MOST_POINTS:
            return interval
    raise ValueError("this plan has too many points")


def _distribution(event: Event, interval: float) -> PrivacyLossDistribution:
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    grid: dict[str, Any] = {"value_discretization_interval": interval}
    if isinstance(event, Gaussian):
        # Gaussians compose to a Gaussian, so one distribution stands for all of them.
        return pld.from_gaussian_mechanism(event.noise / math.sqrt(event.count), **grid)
    if isinstance(event, SampledGaussian):
        return sampled_gaussian(event.noise, event.rate, interval).self_compose(event.steps)
    if isinstance(event, DiscreteGaussian):
        return pld.from_discrete_gaussian_mechanism(event.sigma, **grid).self_compose(event.count)
    if isinstance(event, Laplace):
        return pld.from_laplace_mechanism(event.noise, **grid).self_compose(event.count)
    if isinstance(event, Selection):
        step = pld.from_privacy_parameters(DifferentialPrivacyParameters(event.epsilon, 0.0), **grid)
        return step.self_compose(event.count)
    if isinstance(event, Pure):
        return pld.from_privacy_parameters(DifferentialPrivacyParameters(event.epsilon, event.delta), **grid)
    raise ValueError(f"{type(event).__name__} has no privacy loss distribution")
