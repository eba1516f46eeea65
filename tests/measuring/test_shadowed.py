"""Attacks that train the synthesizer again: what they need, and what they say where they cannot."""

import math
from dataclasses import dataclass
from typing import final

import pytest

from understudy.errors import InputError, ParameterError
from understudy.measuring.finding import Finding, Score
from understudy.measuring.shadowed import Shadowed, settings_of, shadowing, trained_within
from understudy.measuring.within_budget import WithinBudget
from understudy.synth.copy import Copy
from understudy.synth.histogram import Histogram
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


@dataclass(frozen=True)
class Unwilling:
    """A synthesizer that refuses every table."""

    def fit(self, *_, **__):
        raise InputError("unwilling: it learns nothing.")

    def settings(self):
        return {}


@final
@dataclass(frozen=True)
class Counting(Shadowed):
    """How many rows the sets hold."""

    def synthesizer(self, name, settings):
        return {"histogram": Histogram, "unwilling": Unwilling, "copy": Copy}[name](**settings)

    def judged(self, shown, rng):
        del rng
        rows = float(sum(len(shown.drawn(model, 0)) for model in range(self.models)))
        return Finding(Score(rows), rows, rows, 0.0, len(shown.records))


def shown(rows=40):
    return Evidence(train=law(rows, 0), synthetic=law(30, 2))


def test_shadows_are_cast_and_judged():
    assert Counting(recipe="histogram", models=4, sets=1)(shown()).value == 80


def test_records_bound_what_is_learned_from():
    assert Counting(recipe="histogram", models=4, sets=1, records=10)(shown()).n == 10


def test_a_recipe_that_cannot_learn_gives_no_value_and_says_why():
    found = Counting(recipe="unwilling", models=4, sets=1)(shown())
    assert math.isnan(found.value) and "unwilling: it learns nothing" in found.notes[0]


def test_without_a_recipe_there_is_a_note():
    found = Counting()(shown())
    assert math.isnan(found.value) and "recipe=" in found.notes[0]


def test_with_a_budget_the_synthesizer_is_fitted_within_it_and_a_note_says_so():
    told, plain = Counting(settings='{"knots": 9}', budget='{"gdp": 0.5}'), Counting()
    assert shadowing(lambda settings: Histogram(**settings), plain) == Histogram()
    private = shadowing(lambda settings: Histogram(**settings), told)
    assert isinstance(private, WithinBudget) and private.told == {"knots": 9}
    assert private.budget == {"gdp": 0.5}
    found = Counting(recipe="histogram", models=4, sets=1, budget='{"epsilon": 1}')(shown())
    assert found.value == 80 and "within a budget of epsilon 1 at delta 1e-09" in found.notes[-1]
    assert "no seed repeats" in found.notes[-1]
    assert trained_within(plain) == () == Counting(recipe="histogram", models=4, sets=1)(shown()).notes


def test_with_a_budget_a_synthesizer_without_a_private_form_is_not_judged():
    found = Counting(recipe="copy", models=4, sets=1, budget='{"epsilon": 1}')(shown())
    assert math.isnan(found.value) and len(found.notes) == 1
    assert "copy: this recipe has no private form" in found.notes[0]


@pytest.mark.parametrize("budget", ["{", "1", '{"epsilon": -1}', '{"mu": 1}'])
def test_a_budget_that_is_none_is_refused(budget):
    with pytest.raises(ParameterError, match=r"test_shadowed: budget must be a JSON object"):
        Counting(recipe="histogram", budget=budget)(shown())


@pytest.mark.parametrize("text", ["[1]", "{", "3", "9" * 5_000, "[" * 100_000])
def test_settings_that_are_no_json_object_are_refused(text):
    with pytest.raises(ParameterError, match="JSON object"):
        settings_of(text, "mds")
