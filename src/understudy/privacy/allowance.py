"""What a reservation still allows: each read by name, at the noise it was paid for, as often as that.

A reservation of `Concentrated(rho)` is a filter: reads under its name may take noise of any size, chosen by
what was released before, as long as their zCDP prices add up to at most rho. Guarantee: such a run is
rho-zCDP. For a sequence of mechanisms, each chosen by the outputs before it, whose rho_i sum to at most rho
on every path, the Renyi divergence of order a of all outputs is at most a rho (Feldman, Zrnic 2021, theorem
3.1, with the bound on the sum in place of a stopping rule: a read that would pass it is refused).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import final

from understudy.errors import BudgetError
from understudy.privacy.entry import Entry
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Event,
    Gaussian,
    Open,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
)

__all__ = ["Allowance", "concentration"]

_FILTERED = (Gaussian, DiscreteGaussian, Selection)


@final
class Allowance:
    """The reads of one reservation, and how much of each was taken."""

    __slots__ = ("_chance", "_chances", "_filtered", "_reserved", "_taken")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._reserved = {entry.name: entry.event for entry in entries if entry.name}
        # Deltas that were set aside for mechanisms that take a chance beside their event.
        self._chance = math.fsum(
            e.delta for e in self._reserved.values() if isinstance(e, Pure) and e.epsilon == 0
        )
        self._chances = 0.0
        self._filtered: dict[str, float] = {}  # by name: the rho that went through a filter
        self._taken: dict[str, tuple[int, int]] = {}  # by name: how many reads, and of how many counts

    def take(self, name: str, event: Event, chance: float = 0.0) -> int:
        """Return which read of its name this is, from 0; refuse one that was not paid for.

        `chance` is the delta that the read takes beside its event; all of them together may not exceed
        what was set aside.

        >>> from understudy.privacy.events import Gaussian
        >>> allowance = Allowance([Entry("sums", "measure", Gaussian(2.0, 3), name="sums")])
        >>> allowance.take("sums", Gaussian(2.0)), allowance.take("sums", Gaussian(2.0, 2))
        (0, 1)
        """
        reserved = self._reserved.get(name)
        passes = isinstance(reserved, Concentrated) and isinstance(event, _FILTERED)
        if reserved is None or not (passes or type(reserved) is type(event)):
            raise BudgetError(
                f"ledger: {name!r} was not reserved as a {type(event).__name__}; nothing is read."
            )
        number, counts = self._taken.get(name, (0, 0))
        covered = self._passes(name, event) if passes else _covers(reserved, event, counts)
        if not covered:
            raise BudgetError(
                f"ledger: {name!r} was reserved for less than it now asks for; nothing is read."
            )
        # A hair of room: the shares of many reads add up to the whole only up to rounding.
        if chance and self._chances + chance > self._chance * (1 + 1e-9):
            raise BudgetError(f"ledger: {name!r} takes a larger delta than was set aside; nothing is read.")
        self._chances += chance
        if passes:
            self._filtered[name] = self._filtered.get(name, 0.0) + concentration(event)
        self._taken[name] = number + 1, counts + _count(event)
        return number

    def _passes(self, name: str, event: Event) -> bool:
        """Say whether a filter has room for an event: a hair beyond, as many small prices are added up."""
        reserved = self._reserved[name]
        assert isinstance(reserved, Concentrated), "only those are filters"
        return self._filtered.get(name, 0.0) + concentration(event) <= reserved.rho * (1 + 1e-12)


def concentration(event: Event) -> float:
    """Return the zCDP price rho of noise whose size may be chosen as a run goes on.

    Gaussian noise: 1 / (2 noise^2) (Bun, Steinke 2016), discrete Gaussian noise likewise (Canonne, Kamath,
    Steinke 2020); a choice of range epsilon: epsilon^2 / 8 (Cesar, Rogers 2021).

    >>> concentration(Selection(2.0))
    0.5
    """
    if isinstance(event, Gaussian):
        return event.count / (2 * event.noise**2)
    if isinstance(event, DiscreteGaussian):
        return event.count / (2 * event.sigma**2)
    if isinstance(event, Selection):
        return event.count * event.epsilon**2 / 8
    raise BudgetError(f"ledger: a {type(event).__name__} has no place in a filter.")


def _count(event: Event) -> int:
    return event.steps if isinstance(event, SampledGaussian) else getattr(event, "count", 1)


def _covers(reserved: Event, event: Event, taken: int) -> bool:
    """Say whether an event is part of a reserved one: as much noise or more, and no more reads than are left.

    More noise costs less, whatever else is equal. Who sets noise in other units than the reservation's cannot
    always meet it to the last bit.
    """
    if isinstance(reserved, Pure | Concentrated | Renyi | Open):
        return event == reserved and taken == 0
    same = {name: value for name, value in asdict(event).items() if name not in {"count", "steps"}}
    promised = {name: value for name, value in asdict(reserved).items() if name not in {"count", "steps"}}
    noise, least = same.pop("noise", 0.0), promised.pop("noise", 0.0)
    return same == promised and noise >= least and taken + _count(event) <= _count(reserved)
