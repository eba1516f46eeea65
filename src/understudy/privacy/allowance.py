"""What a reservation still allows: each read by name, at the noise it was paid for, as often as that.

A reservation of `GaussianDP(mu)` is a filter: reads under its name may take noise of any size, chosen by what
was released before, as long as their mu_i^2 (privacy/gdp.py) add up to at most mu^2; a read that would pass
that is refused.

Guarantee: such a run is mu-GDP (Smith, Thakurta 2022). Proof by induction on how many reads there can be. The
first has a mu_1 that no row has a say in. Whatever it tells, what follows is a run within
r = sqrt(mu^2 - mu_1^2) and of fewer reads, so it is r-GDP; and a mu_1-GDP mechanism followed by one that is
r-GDP whatever the first told is sqrt(mu_1^2 + r^2) = mu-GDP (Dong, Roth, Su 2022, corollary 3.3). Nothing
bounds how many reads there are, but what holds for every number of them holds for all. Other reads of the
same reservation may come between: with f for the trade-off of all of them that are still to come, the same
induction has f composed with that of r in the place of r alone, in any order, as composition is commutative.
A read that takes a chance delta_i beside its event (`CommonLevels`) is bounded by the trade-off of mu_i
composed with that of (0, delta_i); chances add up, so f holds the delta that is left of what was set aside.
Reservations that follow in the same ledger are priced with this one, but who plans them has seen its outputs:
that the sum of prices bounds these too is taken for granted here, as it is wherever budgets are shared.

A run that is taken up again has the same numbers: each must be what the ledger noted of it, so all that was
read before is read again before anything new is. A read that is refused keeps its number (`undo`).
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
    GaussianDP,
    Open,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
)

__all__ = ["Allowance"]

_FILTERED = (Gaussian, DiscreteGaussian, Selection, GaussianDP)


@final
class Allowance:
    """The reads of one reservation, and how much of each was taken."""

    __slots__ = ("_before", "_chance", "_chances", "_filtered", "_reserved", "_taken")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._reserved = {entry.name: entry.event for entry in entries if entry.name}
        # Deltas that were set aside for mechanisms that take a chance beside their event.
        self._chance = math.fsum(
            e.delta for e in self._reserved.values() if isinstance(e, Pure) and e.epsilon == 0
        )
        self._chances = 0.0
        self._filtered: dict[str, float] = {}  # by name: the mu^2 that went through a filter
        self._taken: dict[str, tuple[int, int]] = {}  # by name: how many reads, and of how many counts
        self._before = (self._chances, dict(self._filtered), dict(self._taken))

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
        if not 0 <= chance < 1:
            raise BudgetError(f"ledger: {name!r}: {chance!r} is no chance; nothing is read.")
        if isinstance(event, Pure) and event.epsilon == 0:
            raise BudgetError(
                f"ledger: {name!r} is a delta, which reads take as their chance; nothing is read by it alone."
            )
        passes = isinstance(reserved, GaussianDP) and isinstance(event, _FILTERED)
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
        self._before = (self._chances, dict(self._filtered), dict(self._taken))
        self._chances += chance
        if passes:
            self._filtered[name] = self._filtered.get(name, 0.0) + _price(event)
        self._taken[name] = number + 1, counts + _count(event)
        return number

    def undo(self) -> None:
        """Take back the last read, of which nothing was released: its number is still to be read."""
        self._chances, self._filtered, self._taken = self._before

    def _passes(self, name: str, event: Event) -> bool:
        """Say whether a filter has room for an event: a hair beyond, as many small prices are added up."""
        reserved = self._reserved[name]
        assert isinstance(reserved, GaussianDP), "only those are filters"
        return self._filtered.get(name, 0.0) + _price(event) <= reserved.mu**2 * (1 + 1e-12)


def _price(event: Event) -> float:
    """Return mu^2 of what may pass a filter."""
    from understudy.privacy.gdp import squared_mu  # a ledger is opened and read without scipy

    price = squared_mu(event)
    assert price is not None, "what may pass has a mu"
    return price


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
