"""Renyi divergences of events, and the conversion of a Renyi curve to (epsilon, delta).

Used where a privacy loss distribution cannot be had (zCDP, Renyi events), as a cross-check where it
can, and as the fallback when computing one fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

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
)

__all__ = ["ORDERS", "divergences", "renyi_delta", "renyi_epsilon", "slack"]

Floats = npt.NDArray[np.float64]

ORDERS: Floats = np.concatenate(
    [np.linspace(1.05, 2, 20), np.linspace(2.25, 16, 56), np.geomspace(17, 20_000, 80)]
)


def divergences(events: Sequence[Event], orders: Floats = ORDERS) -> Floats:
    """Return the total Renyi divergence at each order; the deltas of `slack` come on top."""
    total = np.zeros(len(orders))
    for event in events:
        total = total + _divergence(event, orders)
    return total


def slack(events: Sequence[Event]) -> float:
    """Return the sum of the deltas that are paid outside the Renyi curve."""
    runs = [event.branches for event in events if isinstance(event, Parallel)]
    largest = [max(slack(run) for run in branches) for branches in runs]
    return math.fsum([*largest, *(event.delta for event in events if isinstance(event, Pure))])


def renyi_delta(curve: Floats, epsilon: float, orders: Floats = ORDERS) -> float:
    """Return the best delta over all orders (Canonne, Kamath, Steinke 2020, Proposition 12)."""
    finite = np.isfinite(curve)
    if not finite.any():
        return 1.0
    order, divergence = orders[finite], curve[finite]
    logs = (order - 1) * (divergence - epsilon) + order * np.log1p(-1 / order) - np.log(order - 1)
    return float(min(1.0, np.exp(min(0.0, float(logs.min())))))


def renyi_epsilon(curve: Floats, delta: float, orders: Floats = ORDERS) -> float:
    """Return the best epsilon over all orders, by the same inequality solved for epsilon."""
    finite = np.isfinite(curve)
    if not finite.any() or delta <= 0:
        return math.inf
    order, divergence = orders[finite], curve[finite]
    epsilons = divergence + np.log1p(-1 / order) - (np.log(delta) + np.log(order)) / (order - 1)
    return float(max(0.0, float(epsilons.min())))


def _divergence(event: Event, orders: Floats) -> Floats:
    return np.asarray(_RULES[type(event)](event, orders), dtype=np.float64)


def _laplace(noise: float, orders: Floats) -> Floats:
    """Return the Renyi divergence of Laplace noise (Mironov 2017, Table II)."""
    forward = np.log(orders / (2 * orders - 1)) + (orders - 1) / noise
    backward = np.log((orders - 1) / (2 * orders - 1)) - orders / noise
    return np.asarray(np.logaddexp(forward, backward) / (orders - 1))


def _interpolated(event: Renyi, orders: Floats) -> Floats:
    """Return an upper bound at every order: divergences do not fall as the order grows."""
    known = np.argsort(event.orders)
    at, value = np.array(event.orders)[known], np.array(event.divergences)[known]
    place = np.searchsorted(at, orders, side="left")
    return np.where(place < len(at), value[np.minimum(place, len(at) - 1)], math.inf)


def _sampled(event: SampledGaussian, orders: Floats) -> Floats:
    """Return the divergence of Poisson-sampled Gaussian steps (Mironov, Talwar, Zhang 2019, section 3.3).

    The formula is a finite sum at whole orders; in between, that of the next whole order bounds it.
    """
    if event.rate == 1:
        return event.steps * orders / (2 * event.noise**2)
    whole = np.ceil(orders).astype(int)
    values = {int(order): _sampled_step(event.noise, event.rate, int(order)) for order in np.unique(whole)}
    return event.steps * np.array([values[int(order)] for order in whole])


def _sampled_step(noise: float, rate: float, order: int) -> float:
    k = np.arange(order + 1)
    log_binomial = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    terms = log_binomial + (order - k) * np.log1p(-rate) + k * np.log(rate) + k * (k - 1) / (2 * noise**2)
    return max(0.0, float(logsumexp(terms))) / (order - 1)


def _selection(event: Selection, orders: Floats) -> Floats:
    # A choice of bounded range epsilon is epsilon^2 / 8-zCDP (Cesar, Rogers 2021).
    return event.count * np.minimum(orders * event.epsilon**2 / 8, event.epsilon)


_RULES: dict[type[Any], Callable[[Any, Floats], Floats]] = {
    Open: lambda _, orders: np.full(len(orders), math.inf),
    Gaussian: lambda event, orders: event.count * orders / (2 * event.noise**2),
    # The discrete Gaussian has at most the divergence of the continuous one (CKS 2020, Theorem 4).
    DiscreteGaussian: lambda event, orders: event.count * orders / (2 * event.sigma**2),
    Concentrated: lambda event, orders: event.rho * orders,
    # No test does better than on N(0, 1) and N(mu, 1), so neither is any divergence larger.
    GaussianDP: lambda event, orders: event.mu**2 / 2 * orders,
    Pure: lambda event, orders: np.minimum(orders * event.epsilon**2 / 2, event.epsilon),
    Laplace: lambda event, orders: event.count * _laplace(event.noise, orders),
    Renyi: _interpolated,
    Parallel: lambda event, orders: np.max([divergences(run, orders) for run in event.branches], axis=0),
    SampledGaussian: _sampled,
    Selection: _selection,
}
