"""An entry in words: what was read, by which mechanism, with what noise and sampling.

Derived from the entry each time it is asked for, so that it cannot say anything else than the entry does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from understudy.privacy.entry import Entry
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

__all__ = ["described"]

_NONE = "none: all rows take part"


def described(entry: Entry) -> dict[str, str]:
    """Return what an entry says, for a reader.

    >>> described(Entry("sums", "measure", Gaussian(2.0)))["noise"]
    'Gaussian, 2 times the L2 sensitivity'
    """
    return {
        "read": entry.what,
        "columns": ", ".join(entry.columns) or "all",
        "mechanism": entry.mechanism,
        "sensitivity": entry.because or ("unbounded: rows as they are" if entry.infinite else "not stated"),
        "noise": _NOISE[type(entry.event)](entry.event),
        "sampling": _sampling(entry.event),
        "price": _PRICE[type(entry.event)](entry.event),
    }


def _sampling(event: Event) -> str:
    if isinstance(event, SampledGaussian):
        return f"Poisson: each row is in each of {event.steps:,} steps with probability {event.rate:g}"
    return _NONE


def _times(event: Any) -> str:
    return "" if event.count == 1 else f"{event.count:,} times "


_DP, _ZCDP = "differential privacy", "zero-concentrated differential privacy"
_THEIRS = "that of the mechanism"

_NOISE: dict[type[Any], Callable[[Any], str]] = {
    Gaussian: lambda event: f"Gaussian, {event.noise:g} times the L2 sensitivity",
    SampledGaussian: lambda event: f"Gaussian, {event.noise:g} times the L2 sensitivity, at every step",
    DiscreteGaussian: lambda event: f"discrete Gaussian of scale {event.sigma:g} on whole numbers",
    Laplace: lambda event: f"Laplace, {event.noise:g} times the L1 sensitivity",
    Selection: lambda event: f"Gumbel, for the exponential mechanism at epsilon {event.epsilon:g}",
    Pure: lambda _: _THEIRS,
    Concentrated: lambda _: _THEIRS,
    GaussianDP: lambda _: _THEIRS,
    Renyi: lambda _: _THEIRS,
    Parallel: lambda event: f"that of each of {len(event.branches)} runs, which share no row",
    Open: lambda _: "none",
}

# Each price in the terms that its event has itself; what all of them cost together is in the figures.
_PRICE: dict[type[Any], Callable[[Any], str]] = {
    Gaussian: lambda event: f"{event.count / (2 * event.noise**2):g} {_ZCDP}",
    SampledGaussian: lambda event: f"{event.steps:,} sampled Gaussian steps",
    DiscreteGaussian: lambda event: f"{event.count / (2 * event.sigma**2):g} {_ZCDP}",
    Laplace: lambda event: f"{_times(event)}{1 / event.noise:g}-{_DP}",
    Selection: lambda event: f"{_times(event)}{event.epsilon:g}-{_DP}, of bounded range",
    Pure: lambda event: f"({event.epsilon:g}, {event.delta:g})-{_DP}",
    Concentrated: lambda event: f"{event.rho:g} {_ZCDP}",
    GaussianDP: lambda event: f"mu {event.mu:g} of Gaussian {_DP}",
    Renyi: lambda event: f"Renyi divergences at {len(event.orders)} orders",
    Parallel: lambda event: f"the largest of {len(event.branches)} runs, as a row takes part in one of them",
    Open: lambda _: "infinite",
}
