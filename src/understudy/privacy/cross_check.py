"""A second opinion on a certificate: a lower and an upper bound from other accountants than the first.

The figures come from closed forms and from privacy loss distributions rounded up. Beside them stand the
same distributions rounded down, which no right figure can be below, and the Renyi divergences, whose
looser bound no right figure can exceed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from understudy.privacy.events import (
    DiscreteGaussian,
    Event,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    SampledGaussian,
    unfolded,
)
from understudy.privacy.renyi import divergences, renyi_epsilon, slack

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["CLOSE", "bounds", "disagreement"]

CLOSE = 0.01  # relative; two machines round a privacy loss distribution a little differently
_NEAR = 1e-3  # absolute: the Renyi bound of almost nothing is not quite nothing
_OWN = (Gaussian, GaussianDP, SampledGaussian, DiscreteGaussian, Laplace)
_MOST_STEPS = 1_000_000  # beyond that a distribution rounded down takes minutes, and 0 is a lower bound too


def bounds(events: Sequence[Event], delta: float) -> tuple[float, float]:
    """Return a lower and an upper bound of epsilon at `delta`.

    >>> low, high = bounds([Gaussian(2.0, 4)], 1e-5)
    >>> low <= 4.3772 <= high
    True
    """
    if any(isinstance(event, Open) for event in events):
        return math.inf, math.inf
    found = [_bounds(run, delta) for run in unfolded(events)]
    return max(low for low, _ in found), max(high for _, high in found)


def _bounds(events: tuple[Event, ...], delta: float) -> tuple[float, float]:
    loss = _rounded_down(events)
    low = 0.0 if loss is None else max(0.0, float(loss.get_epsilon_for_delta(delta)))
    return low, renyi_epsilon(divergences(events), delta - slack(events))


def disagreement(events: Sequence[Event], stated: dict[float, float]) -> str:
    """Return what the second opinion has to say against stated epsilons, by delta; nothing if it agrees."""
    for delta, epsilon in stated.items():
        low, high = bounds(events, delta)
        if epsilon < low * (1 - CLOSE) - _NEAR or (
            math.isfinite(high) and epsilon > high * (1 + CLOSE) + _NEAR
        ):
            return f"epsilon {epsilon:.6g} at delta {delta:g} lies outside [{low:.6g}, {high:.6g}]"
    return ""


@lru_cache(maxsize=64)
def _rounded_down(events: tuple[Event, ...]) -> PrivacyLossDistribution | None:
    """Return the distribution of those events that have one of their own; leaving some out only lowers it."""
    # The bounds of the others are those of the worst mechanism of their kind, not of themselves. That of a
    # filter is Gaussian noise, which it may be.
    own = [event for event in events if isinstance(event, _OWN) and _steps(event) <= _MOST_STEPS]
    steps = sum(_steps(event) for event in own)
    interval = 2e-5 if 1_000 < steps <= 50_000 else 1e-4  # finer is closer, and slower
    total = None
    for event in own:
        part = _optimistic(event, interval)
        total = part if total is None else total.compose(part)
    return total


def _steps(event: Event) -> int:
    return event.steps if isinstance(event, SampledGaussian) else getattr(event, "count", 1)


def _optimistic(event: Event, interval: float) -> PrivacyLossDistribution:
    from dp_accounting.pld import privacy_loss_distribution as pld

    down: dict[str, Any] = {
        "pessimistic_estimate": False,
        "value_discretization_interval": interval,
        "use_connect_dots": False,
    }
    if isinstance(event, Gaussian | GaussianDP):
        noise = 1 / event.mu if isinstance(event, GaussianDP) else event.noise / math.sqrt(event.count)
        return pld.from_gaussian_mechanism(noise, **down)
    if isinstance(event, SampledGaussian):
        step = pld.from_gaussian_mechanism(event.noise, sampling_prob=event.rate, **down)
        return step.self_compose(event.steps)
    if isinstance(event, DiscreteGaussian):
        return pld.from_discrete_gaussian_mechanism(event.sigma, **down).self_compose(event.count)
    assert isinstance(event, Laplace), "the others have none"
    return pld.from_laplace_mechanism(event.noise, **down).self_compose(event.count)
