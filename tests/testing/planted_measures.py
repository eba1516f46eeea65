"""Measures with one flaw each, and the check that must catch it. `Planted()` without a flaw is honest."""

# A measure has a fixed signature, and a flawed one ignores parts of it.
# ruff: noqa: ARG001, ARG002, ARG005

from __future__ import annotations

import random
import secrets
import warnings
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Measure
from understudy.missing import is_missing
from understudy.table.coded import CodedTable

PLANTS = {
    "every_result_has_an_interval_and_a_null": "has_no_null",
    "the_same_seed_gives_the_same_result": "ignores_the_seed",
    "the_global_random_state_is_not_touched": "draws_from_the_world",
    "a_seed_that_is_no_whole_number_is_refused_too": "takes_any_seed",
    "no_result_tells_a_cell": "tells_a_level",
    "a_copy_is_as_good_as_a_fresh_sample": "hates_copies",
    "a_fresh_sample_is_compatible_with_the_null": "forgets_the_null",
    "a_shifted_table_is_clearly_worse_than_real_rows": "is_blind",
    "a_constant_table_is_clearly_worse_than_real_rows": "is_blind",
    "the_order_of_rows_does_not_matter": "looks_at_the_first_rows",
    "the_order_of_columns_does_not_matter": "looks_at_the_first_column",
    "the_units_of_quantities_do_not_matter": "looks_at_raw_units",
    "the_names_of_levels_do_not_matter": "looks_at_codes",
    "nothing_falls_over_when_there_are_only_categories": "needs_a_quantity",
    "nothing_falls_over_when_a_quantity_is_missing": "warns",
    "nothing_falls_over_when_there_is_one_row": "is_undefined_without_a_word",
}
FLAWS = sorted({*PLANTS.values(), "honest"})


@final
@dataclass(frozen=True)
class Planted(Comparison):
    """Difference of missing rates and of the means of each column's ranks: honest but for one flaw."""

    flaw: str = check.choice("honest", *FLAWS)
    bounds: ClassVar[tuple[float, float]] = (0.0, 9.0)

    def find(self, evidence, rng) -> Finding:
        found = Comparison.find(self, evidence, rng)
        if self.flaw == "has_no_null":
            return replace(found, null=float("nan"))
        if self.flaw == "forgets_the_null":
            return replace(found, null=0.9)
        if self.flaw == "tells_a_level":
            return replace(found, notes=("worst in the ward west",))
        if self.flaw == "hates_copies" and any("row for row" in note for note in evidence.notes):
            return replace(found, score=Score(8.0), low=7.9, high=8.1)
        if self.flaw == "is_undefined_without_a_word" and len(evidence.coded("train")) < 2:
            return replace(found, score=Score(float("nan")), low=float("nan"), high=float("nan"), notes=())
        return found

    def __call__(self, evidence, *, seed=0):
        return Measure.__call__(self, evidence, seed=0 if self.flaw == "takes_any_seed" else seed)

    def score(self, real: CodedTable, synthetic: CodedTable, rng) -> Score:
        if self.flaw in STRANGE:
            return Score(STRANGE[self.flaw](real, synthetic))
        return Score(float(np.mean([_gap(real, synthetic, column) for column in real.domain])))


def _gap(real, synthetic, column):
    one, other = real[column.name], synthetic[column.name]
    holes = abs(is_missing(one).mean() - is_missing(other).mean())
    if column.quantity:
        present = [each[~np.isnan(each)] for each in (one, other)]
        if not all(len(each) for each in present):
            return holes + 1
        return holes + abs(np.searchsorted(np.sort(present[0]), present[1]).mean() / len(present[0]) - 0.5)
    counts = [np.bincount(each[each >= 0], minlength=column.levels) / len(each) for each in (one, other)]
    return holes + np.abs(counts[0] - counts[1]).sum() / 2


def _draw_from_the_world(real, synthetic):
    return random.random()


def _warn(real, synthetic):
    if any(np.isnan(synthetic[column.name]).all() for column in synthetic.quantities):
        warnings.warn("mean of nothing", RuntimeWarning, stacklevel=2)
    return 0.5


STRANGE = {
    "is_blind": lambda real, synthetic: 0.25,
    "ignores_the_seed": lambda real, synthetic: secrets.randbelow(10**6) / 10**6,
    "draws_from_the_world": _draw_from_the_world,
    "looks_at_the_first_rows": lambda real, synthetic: float(synthetic["rise"][0]),
    "looks_at_the_first_column": lambda real, synthetic: float(real.domain[0].quantity),
    "looks_at_raw_units": lambda real, synthetic: float(np.nanmean(synthetic["rise"])),
    "looks_at_codes": lambda real, synthetic: float(np.mean(synthetic["ward"])),
    "needs_a_quantity": lambda real, synthetic: float(real.quantities[0].span),
    "warns": _warn,
}


class Bare(Measure):
    """A measure whose settings are none: it is no dataclass of its own."""

    knots: int = 3

    def find(self, evidence, rng):
        raise AssertionError("never asked")


@final
@dataclass(frozen=True)
class Loose(Measure):
    """A measure that never looks at its ranges."""

    knots: int = check.integer(3, low=1, high=9)

    def __post_init__(self) -> None:
        return

    def find(self, evidence, rng):
        raise AssertionError("never asked")


__all__ = ["FLAWS", "PLANTS", "Bare", "Loose", "Planted"]
