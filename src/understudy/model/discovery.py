"""Levels bought: the values that many rows have, each with its count.

A recipe with a plan of fixed noise has all columns read at the planned noise. One with a filter, whose noise
is chosen as reads go, lends it: columns are looked at coarsely first, at a quarter of the price, and again
where more rows are untold than a finer look could miss. What is not spent is left to the recipe. Few rows
are read at once: a coarse look would tell little of them.

Guarantee: that of `CommonLevels` for each read; whether there is a second one follows from the first, and
the filter bounds what both cost (privacy/allowance.py). Where there may be two, each takes half of a column's
chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import final

from understudy.privacy import Vault
from understudy.privacy.events import DiscreteGaussian, Event, GaussianDP, Pure
from understudy.privacy.gdp import mu_of_counts, sigma_of_counts
from understudy.privacy.mechanisms.levels import CommonLevels, Told
from understudy.table.schema import Column

__all__ = ["DELTA", "LEVELS", "Discovery", "told_levels"]

LEVELS, DELTA = "schema.levels", "schema.delta"
# Of a filter may go into levels, about what plans set aside: one that is not told is lost for good.
MOST = 0.45
COARSE = 0.25  # of a column's price goes into the first look, the rest into the second
LOOKS = 2
# Of the rows: if the first look cannot tell a level of this share, it is left out.
SMALL = 1 / 16


@final
@dataclass(frozen=True)
class Discovery:
    """The columns without levels, the prices of a plan, and about how many rows there are, if that is known.

    `rows` comes with its deviation. All of it is public, and so is every answer of the vault.
    """

    columns: tuple[Column, ...]
    events: dict[str, Event]
    rows: tuple[float, float] | None

    def read(self, vault: Vault) -> dict[str, Told]:
        """Take all looks, and return the levels of every column with their counts."""
        done = 0
        while done < len(looks := self._looks(vault)):
            for name, sigma in looks[done:]:
                vault.read(self.name, CommonLevels(name, DiscreteGaussian(sigma), self._chance))
            done = len(looks)
        return told_levels(vault, [self.name])

    def left(self, vault: Vault) -> dict[str, Event]:
        """Return the prices with that of the filter less what looks have taken."""
        price = self.events.get(self.name)
        if not isinstance(price, GaussianDP):
            return self.events
        looks = (told for told in vault.released(self.name) if isinstance(told, Told))
        spent = math.fsum(mu_of_counts(told.sigma) ** 2 for told in looks)
        return self.events | {self.name: replace(price, mu=math.sqrt(price.mu**2 - spent))}

    @property
    def name(self) -> str:
        """The read that levels are paid from: their own, or a filter's."""
        filters = (name for name, event in self.events.items() if isinstance(event, GaussianDP))
        return LEVELS if LEVELS in self.events else next(filters, LEVELS)

    @property
    def _chance(self) -> float:
        chance = self.events[DELTA]
        assert isinstance(chance, Pure), "the plan's own form"
        return chance.delta / len(self.columns) / (LOOKS if self._is_twice else 1)

    @property
    def _is_twice(self) -> bool:
        """Whether there may be a second look: not where the first would tell little."""
        price, chance = self.events.get(self.name), self.events.get(DELTA)
        if self.rows is None or not isinstance(price, GaussianDP) or not isinstance(chance, Pure):
            return False
        coarse = _deviation(COARSE * MOST * price.mu**2 / len(self.columns))
        return _threshold(coarse, chance.delta / len(self.columns) / LOOKS) <= SMALL * self.rows[0]

    def _looks(self, vault: Vault) -> Sequence[tuple[str, float]]:
        """Return the looks so far and those that follow from them: a column, and the deviation of counts."""
        names = [column.name for column in self.columns]
        price = self.events.get(self.name)
        if not names or price is None:
            return []
        if isinstance(price, DiscreteGaussian):
            return [(name, price.sigma) for name in names]
        assert isinstance(price, GaussianDP), "levels are paid for by a plan or a filter"
        each = MOST * price.mu**2 / len(names)
        coarse, fine = _deviation(COARSE * each), _deviation((1 - COARSE) * each)
        if not self._is_twice:
            return [(name, _deviation(each)) for name in names]
        first = [(name, coarse) for name in names]
        seen = vault.released(self.name)[: len(names)]
        if len(seen) < len(names):
            return first
        return first + [
            (column.name, fine)
            for column, told in zip(self.columns, seen, strict=True)
            if self._untold(column, told) > _threshold(fine, self._chance)
        ]

    def _untold(self, column: Column, told: Told) -> float:
        """Return how many rows at least, but for their deviation, have a value that was not told."""
        assert self.rows is not None, "without a number of rows there is one look"
        declared = column.missing
        missing = max(told.missing, 0.0) if declared is None else self.rows[0] * declared.rate
        counts = len(told) + (declared is None)
        unsure = math.hypot(self.rows[1], told.sigma * math.sqrt(counts))
        return self.rows[0] - missing - sum(told.values()) - unsure


def told_levels(vault: Vault, names: Iterable[str]) -> dict[str, Told]:
    """Return what the last look at every column told, of all looks that were paid for under these names."""
    found = (told for name in names for told in vault.released(name))
    return {told.column: told for told in found if isinstance(told, Told)}


def _threshold(sigma: float, chance: float) -> float:
    return CommonLevels("", DiscreteGaussian(sigma), chance).threshold


def _deviation(price: float) -> float:
    """Return the deviation of counts that cost a hair less than a price, in mu^2."""
    return sigma_of_counts(math.sqrt(price))
