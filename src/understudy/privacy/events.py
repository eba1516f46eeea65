"""Events: what a mechanism did, said exactly, and nothing about how to count it.

An event is a promise that never changes its meaning: one row added or removed moves what the
mechanism saw by at most the stated amount, and the stated noise was added. Accountants read
events and refuse those they do not know. A read without noise is an event too: `Open`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, final

from understudy.errors import CorruptModel, ParameterError, VersionError

__all__ = [
    "Concentrated",
    "DiscreteGaussian",
    "Event",
    "Gaussian",
    "GaussianDP",
    "Laplace",
    "Open",
    "Parallel",
    "Pure",
    "Renyi",
    "SampledGaussian",
    "Selection",
    "event_from_dict",
    "event_to_dict",
    "unfolded",
]


def _positive(who: str, **values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < math.inf):
            raise ParameterError(f"{who}: {name} must be a finite number > 0; got {value!r}.")
        if name in {"count", "steps"} and not isinstance(value, int):
            raise ParameterError(f"{who}: {name} must be a whole number; got {value!r}.")
        # Squares of what is smaller or larger are 0 or beyond every float, and no accountant has an answer.
        if name in {"noise", "sigma", "mu"} and not 1e-100 <= value <= 1e100:
            raise ParameterError(f"{who}: {name} must be from 1e-100 to 1e100; got {value!r}.")


@final
@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of `noise` times the L2 sensitivity, `count` times."""

    noise: float
    count: int = 1

    def __post_init__(self) -> None:
        _positive("Gaussian", noise=self.noise, count=self.count)


@final
@dataclass(frozen=True)
class DiscreteGaussian:
    """Discrete Gaussian noise of scale `sigma` on whole numbers, of which one row moves `count` by 1 each."""

    sigma: float
    count: int = 1

    def __post_init__(self) -> None:
        _positive("DiscreteGaussian", sigma=self.sigma, count=self.count)


@final
@dataclass(frozen=True)
class Laplace:
    """Laplace noise of `noise` times the L1 sensitivity, `count` times."""

    noise: float
    count: int = 1

    def __post_init__(self) -> None:
        _positive("Laplace", noise=self.noise, count=self.count)


@final
@dataclass(frozen=True)
class SampledGaussian:
    """Gaussian noise on a sum over a Poisson sample: each row is in a step with probability `rate`."""

    noise: float
    rate: float
    steps: int

    def __post_init__(self) -> None:
        _positive("SampledGaussian", noise=self.noise, rate=self.rate, steps=self.steps)
        if self.rate > 1:
            raise ParameterError(f"SampledGaussian: rate must be at most 1; got {self.rate!r}.")


@final
@dataclass(frozen=True)
class Selection:
    """One choice by the exponential mechanism: epsilon-DP, and of range at most epsilon."""

    epsilon: float
    count: int = 1

    def __post_init__(self) -> None:
        _positive("Selection", epsilon=self.epsilon, count=self.count)


@final
@dataclass(frozen=True)
class Pure:
    """Any mechanism known to be (epsilon, delta)-DP; epsilon may be 0 when delta is not."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        good = 0 <= self.epsilon < math.inf and 0 <= self.delta < 1 and self.epsilon + self.delta > 0
        if not good:
            raise ParameterError(f"Pure: ({self.epsilon!r}, {self.delta!r}) is not a guarantee.")


@final
@dataclass(frozen=True)
class Concentrated:
    """Any mechanism known to be rho-zCDP."""

    rho: float

    def __post_init__(self) -> None:
        _positive("Concentrated", rho=self.rho)


@final
@dataclass(frozen=True)
class GaussianDP:
    """Any mechanism known to be mu-GDP, such as an adaptive run stopped by a filter."""

    mu: float

    def __post_init__(self) -> None:
        _positive("GaussianDP", mu=self.mu)


@final
@dataclass(frozen=True)
class Renyi:
    """Any mechanism known by its Renyi divergences at some orders, such as the sampling of paper 002."""

    orders: tuple[float, ...]
    divergences: tuple[float, ...]

    def __post_init__(self) -> None:
        if (
            len(self.orders) != len(self.divergences)
            or not self.orders
            or not all(order > 1 for order in self.orders)
        ):
            raise ParameterError("Renyi: needs one divergence per order, and orders above 1.")
        if not all(value >= 0 for value in self.divergences):
            raise ParameterError("Renyi: a divergence is a number >= 0, or infinite.")


@final
@dataclass(frozen=True)
class Parallel:
    """Several runs on tables that share no row: a row takes part in one of them, whichever that is.

    Each branch is the events of one run. Which branch a row is in is no secret: the price is the largest.
    """

    branches: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        if not self.branches or any(type(e) not in _KINDS.values() for run in self.branches for e in run):
            raise ParameterError("Parallel: needs at least one branch, and events in all of them.")


@final
@dataclass(frozen=True)
class Open:
    """Rows were read as they are. Nothing bounds what that reveals."""


Event = (
    Gaussian | DiscreteGaussian | Laplace | SampledGaussian | Selection | Pure | Concentrated | GaussianDP
    | Renyi | Parallel | Open
)  # fmt: skip

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Gaussian,
        DiscreteGaussian,
        Laplace,
        SampledGaussian,
        Selection,
        Pure,
        Concentrated,
        GaussianDP,
        Renyi,
        Parallel,
        Open,
    )
}


def event_to_dict(event: Event) -> dict[str, Any]:
    """Return the event as plain values that JSON can hold; infinity is written as a word.

    >>> event_to_dict(Gaussian(2.0))
    {'event': 'Gaussian', 'noise': 2.0, 'count': 1}
    """
    if isinstance(event, Parallel):
        branches = [[event_to_dict(part) for part in run] for run in event.branches]
        return {"event": "Parallel", "branches": branches}
    plain = {name: _plain(value) for name, value in asdict(event).items()}
    return {"event": type(event).__name__, **plain}


def event_from_dict(tree: dict[str, Any]) -> Event:
    """Return the event that `event_to_dict` wrote; an unknown kind is refused, never guessed."""
    rest = dict(tree)
    kind = rest.pop("event", None)
    if kind not in _KINDS:
        raise VersionError(
            f"ledger: {kind!r} is not an event that this version can price; update understudy."
        )
    try:
        if kind == "Parallel":
            rest = {name: tuple(tuple(map(event_from_dict, run)) for run in rest[name]) for name in rest}
            return Parallel(**rest)
        event: Event = _KINDS[kind](**{name: _unplain(value) for name, value in rest.items()})
    except (AttributeError, RecursionError, TypeError, ValueError, ParameterError):
        raise CorruptModel(f"ledger: a {kind} event does not hold what it must.") from None
    return event


def unfolded(events: Iterable[Event]) -> list[tuple[Event, ...]]:
    """Return what a row may have taken part in: one composition for each choice of branches.

    >>> unfolded([Gaussian(2.0), Parallel(((Gaussian(3.0),), ()))])
    [(Gaussian(noise=2.0, count=1), Gaussian(noise=3.0, count=1)), (Gaussian(noise=2.0, count=1),)]
    """
    found: list[tuple[Event, ...]] = [()]
    for event in events:
        choices: list[tuple[Event, ...]] = [(event,)]
        if isinstance(event, Parallel):
            choices = [part for run in event.branches for part in unfolded(run)]
        found = [(*before, *part) for before in found for part in choices]
    return list(dict.fromkeys(found))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return "inf" if value == math.inf else value


def _unplain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_unplain(item) for item in value)
    return math.inf if value == "inf" else value
