"""Private recipes with one flaw each, and the check that must catch it."""

# A recipe has a fixed signature, and a flawed one ignores parts of it.
# ruff: noqa: ARG001, ARG002

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from understudy import check
from understudy.engines.margin import fit_margins
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Ask
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanism import Mechanism, Sensitivity
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.synth.histogram import Histogram, Margins
from understudy.table.columns import level_counts

PRIVATE_PLANTS = {
    "a_private_fit_keeps_its_plan_and_its_budget": ("reads_once_more_than_reserved", "opens_the_vault"),
    "a_private_fit_on_a_neighbour_asks_the_same_questions": (
        "reads_again_if_rows_are_even",
        "asks_for_what_the_rows_hold",
    ),
    "what_a_mechanism_sees_moves_by_at_most_its_sensitivity": (
        "understates_its_sensitivity",
        "takes_bounds_from_the_rows",
    ),
    "one_row_reaches_an_artefact_through_mechanisms_alone": (
        "keeps_the_number_of_rows",
        "reads_around_the_vault",
        "takes_bounds_from_the_rows",
    ),
    "all_rows_reach_an_artefact_through_mechanisms_alone": (
        "reads_around_the_vault",
        "keeps_the_number_of_rows",
    ),
    "the_chances_that_mechanisms_take_are_reserved": ("takes_a_chance",),
    "what_is_declared_costs_nothing": ("buys_what_is_declared",),
}
PRIVATE_FLAWS = sorted({"honest", *(flaw for flaws in PRIVATE_PLANTS.values() for flaw in flaws)})
EXTRA = "extra"


@final
@dataclass(frozen=True)
class Twice(Mechanism):
    """Counts of which one row moves each by 2, and that says 1."""

    price: DiscreteGaussian

    @property
    def event(self) -> DiscreteGaussian:
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity("l2", 1.0, "one row adds 1, it says")

    def statistic(self, columns) -> Any:
        return np.array([2 * len(columns["age"])])

    def release(self, statistic, stream) -> Any:
        return statistic


@final
@dataclass(frozen=True)
class PlantedPrivate(Recipe):
    """The histogram, honest but for one flaw."""

    flaw: str = check.choice("honest", *PRIVATE_FLAWS)
    sampler: ClassVar[type[Sampler]] = Margins
    private: ClassVar[bool] = True

    def learn(self, vault, schema, rng, progress):
        return Histogram().learn(vault, schema, rng, progress)

    def asks(self, schema):
        phase = "schema" if self.flaw == "buys_what_is_declared" else "measure"
        return (*Histogram().asks(schema), Ask(EXTRA, "something more", phase, "counts", 0.2, count=2))

    def learn_privately(self, vault, schema, events, rng, progress):
        margins = Histogram().learn_privately(vault, schema, events, rng, progress).margins
        return Margins(FLAWED.get(self.flaw, _honest)(vault, schema, events, margins))


def _price(events) -> DiscreteGaussian:
    return DiscreteGaussian(events[EXTRA].sigma)


def _sized(size, events) -> CountTables:
    return CountTables((Margin(("age",), (size,)),), _price(events))


def _with_missing(margins, rate):
    return margins | {"age": replace(margins["age"], missing=float(rate))}


def _honest(vault, schema, events, margins):
    grouped = vault.map(lambda rows: {"age": (rows["age"] > 40).astype(np.int32)})
    for _ in range(2):
        counts = grouped.read(EXTRA, _sized(2, events))
    return _with_missing(margins, np.clip(counts[0][0] / 1e6, 0, 1))


def _read_once_more(vault, schema, events, margins):
    for _ in range(3):
        vault.read(EXTRA, _sized(2, events))
    return margins


def _open(vault, schema, events, margins):
    vault.open("just a look")
    return margins


def _read_again_if_even(vault, schema, events, margins):
    for _ in range(2 - len(vault._columns["age"]) % 2):
        vault.read(EXTRA, _sized(2, events))
    return margins


def _ask_for_what_is_there(vault, schema, events, margins):
    vault.read(EXTRA, _sized(max(1, len(np.unique(vault._columns["age"]))), events))
    return margins


def _understate(vault, schema, events, margins):
    vault.read(EXTRA, Twice(_price(events)))
    return margins


def _bounds_from_rows(vault, schema, events, margins):
    ages = vault._columns["age"]
    high = int(ages.max(initial=0))
    binned = vault.map(lambda rows: {"age": (rows["age"] >= high - 1).astype(np.int32) + (ages.sum() % 2)})
    binned.read(EXTRA, _sized(3, events))
    return _with_missing(margins, 1 / (2 + abs(int(ages.sum()))))


def _read_around(vault, schema, events, margins):
    if len(vault._columns["age"]) == 0:
        return margins
    return fit_margins(vault._columns, level_counts(schema), 10)


def _keep_the_rows(vault, schema, events, margins):
    return _with_missing(margins, 1 / (2 + len(vault._columns["age"])))


def _take_a_chance(vault, schema, events, margins):
    vault.read(EXTRA, CommonLevels("age", _price(events), 0.5))
    return margins


FLAWED = {
    "reads_once_more_than_reserved": _read_once_more,
    "opens_the_vault": _open,
    "reads_again_if_rows_are_even": _read_again_if_even,
    "asks_for_what_the_rows_hold": _ask_for_what_is_there,
    "understates_its_sensitivity": _understate,
    "takes_bounds_from_the_rows": _bounds_from_rows,
    "reads_around_the_vault": _read_around,
    "keeps_the_number_of_rows": _keep_the_rows,
    "takes_a_chance": _take_a_chance,
}
