"""What a site will ever be asked under some terms: planned from its public schema, priced by its own budget.

The rate of sampling is the terms', or their batch over the number of rows that the site declares; what is
declared counts as public. Nothing here looks at a row, so the server plans the same, and compares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import final

from understudy.errors import InputError, ParameterError, SchemaError
from understudy.federated.recipes import recipe_for
from understudy.federated.terms import Terms, columns_of
from understudy.model import purchase
from understudy.model.private_fit import all_asks, entry_of
from understudy.model.recipe import Recipe
from understudy.privacy import Ask, Budget, Certificate, Entry, allot
from understudy.privacy.events import Event, Pure, SampledGaussian
from understudy.table.schema import Schema

__all__ = ["Planned", "plan_openly", "plan_privately", "refuse_other_columns", "refuse_unpaid"]


@final
@dataclass(frozen=True, eq=False)
class Planned:
    """The recipe as this site trains it, the rate of sampling, and the price of every read.

    `condition` is what must hold for any of these prices.
    """

    recipe: Recipe
    rate: float
    asks: tuple[Ask, ...]
    events: dict[str, Event]
    condition: str = ""

    @property
    def entries(self) -> list[Entry]:
        """The lines that the ledger gets before anything is read."""
        planned = (entry_of(ask, self.events[ask.name]) for ask in self.asks)
        return [replace(entry, condition=self.condition) for entry in planned]

    @property
    def noise(self) -> float:
        """The smallest noise multiplier of all trainings; 0 where there is none."""
        steps = [event.noise for event in self.events.values() if isinstance(event, SampledGaussian)]
        return min(steps, default=0.0)


def plan_privately(
    terms: Terms, bare: Schema, budget: Budget, rows: int | None, condition: str = ""
) -> Planned:
    """Return the plan of a whole run, all rounds of all stages, that fits a budget; else BudgetError.

    Guarantee: the composition of all events meets the budget, by the real accountant; noise above what the
    budget needs, where the terms ask for it, only lowers the price.
    """
    rate = _rate(terms, rows)
    recipe = recipe_for(terms, rate)
    asks = _asks(recipe, bare)
    events = allot(asks, budget)
    least = {name: _at_least(event, terms.least_noise) for name, event in events.items()}
    return Planned(recipe, rate, asks, least, condition)


def plan_openly(terms: Terms) -> Planned:
    """Return the plan of a run without a budget: no price is known for it."""
    return Planned(recipe_for(terms, terms.rate), terms.rate, (), {})


def refuse_unpaid(terms: Terms, bare: Schema, certificate: Certificate, rows: float | None) -> None:
    """Refuse the certificate of a site that lacks a read of its plan, or has it at less noise than agreed.

    Server and sites plan the same, from the public schema and the rows that a site declares; what each read
    costs at a site is its budget's say. The plan is what the ledger got last.
    """
    asks = _asks(recipe_for(terms, _rate(terms, rows)), bare)
    paid = certificate.entries[max(len(certificate.entries) - len(asks), 0) :]
    for ask, entry in zip_longest(asks, paid):
        if entry is None or entry.name != ask.name or not _is_paid(ask, entry.event, terms):
            raise InputError(
                f"federation: by its certificate {ask.name!r} is not paid for as the terms plan it; "
                "do all sites and the server run the same version?"
            )


def refuse_other_columns(terms: Terms, bare: Schema) -> None:
    """Refuse terms about another public schema; names are told and nothing else."""
    own = columns_of(bare)
    if own == terms.schema:
        return
    odd = sorted({*own, *terms.schema} - {n for n in own if terms.schema.get(n) == own[n]} - {""})
    named = ", ".join(repr(name[:64]) for name in odd[:8]) or "the rules or the order of columns"
    raise SchemaError(
        f"Site: the terms are about another schema; they differ in {named}. "
        "Give all sites the same schema file: names, kinds, types and what is declared."
    )


def _asks(recipe: Recipe, bare: Schema) -> tuple[Ask, ...]:
    return tuple(all_asks(purchase.asks(bare), recipe.asks(bare)))


def _is_paid(ask: Ask, event: Event, terms: Terms) -> bool:
    if ask.form == "delta":
        return isinstance(event, Pure)
    planned = ask.event(1.0)  # at any price: what it is, and how often
    if isinstance(planned, SampledGaussian) and isinstance(event, SampledGaussian):
        same = (event.rate, event.steps) == (planned.rate, planned.steps)
        return same and event.noise >= terms.least_noise
    return type(event) is type(planned) and getattr(event, "count", 1) == getattr(planned, "count", 1)


def _rate(terms: Terms, rows: float | None) -> float:
    if not terms.batch:
        return terms.rate
    if rows is None:
        raise ParameterError(
            "Site: the terms fix a batch, so the rate depends on the number of rows; declare it "
            "(rows=..., it counts as public) or ask for terms with a rate."
        )
    return min(1.0, terms.batch / rows)


def _at_least(event: Event, least: float) -> Event:
    if isinstance(event, SampledGaussian) and event.noise < least:
        return replace(event, noise=least)
    return event
