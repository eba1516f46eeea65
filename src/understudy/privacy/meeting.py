"""What a list of events costs, and whether that is within a budget, in whichever measure it is stated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

from understudy.privacy.accounting import account
from understudy.privacy.budget import Budget
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Event,
    Gaussian,
    GaussianDP,
    Pure,
    SampledGaussian,
    Selection,
)

__all__ = ["cost", "meets", "rho_of"]


def meets(events: Iterable[Event], budget: Budget) -> bool:
    """Say whether the composition of the events stays within the budget.

    >>> meets([Gaussian(4.0)], Budget(epsilon=1.0, delta=1e-5))
    True
    >>> meets([Gaussian(3.0)], Budget(epsilon=1.0, delta=1e-5))
    False
    """
    return cost(events, budget) <= float(budget.amount or 0.0)


def cost(events: Iterable[Event], budget: Budget) -> float:
    """Return what the composition of the events costs, in the measure that the budget is stated in.

    >>> round(cost([Gaussian(4.0)], Budget.gdp(mu=1.0)), 9)
    0.25
    """
    return _cost(tuple(events), budget)


@lru_cache(maxsize=4_096)
def _cost(listed: tuple[Event, ...], budget: Budget) -> float:
    # A plan is priced when noise is allotted, when it is reserved, and again for every fit like it.
    if budget.measure == "rho":
        return rho_of(listed)
    curve = account(listed)
    if budget.measure == "epsilon":
        return curve.epsilon(budget.delta)
    if budget.measure == "mu":
        return curve.mu()
    return curve.separation() if budget.measure == "separation" else curve.advantage()


def rho_of(events: Iterable[Event]) -> float:
    """Return the zCDP price; infinite where there is none."""
    total = 0.0
    for event in events:
        if isinstance(event, Gaussian):
            total += event.count / (2 * event.noise**2)
        elif isinstance(event, DiscreteGaussian):
            total += event.count / (2 * event.sigma**2)
        elif isinstance(event, Selection):
            total += event.count * event.epsilon**2 / 8
        elif isinstance(event, SampledGaussian):
            # Sampling amplifies small orders only; a bound for all orders has no amplification.
            total += event.steps / (2 * event.noise**2)
        elif isinstance(event, Concentrated):
            total += event.rho
        elif isinstance(event, GaussianDP):
            total += event.mu**2 / 2
        elif isinstance(event, Pure) and event.delta == 0:
            total += event.epsilon**2 / 2
        else:
            return math.inf
    return total
