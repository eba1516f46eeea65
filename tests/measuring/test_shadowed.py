"""Attacks that train the synthesizer again: what they need, and what they say where they cannot."""

import math
from dataclasses import dataclass
from typing import final

import pytest

from understudy.errors import InputError, ParameterError
from understudy.measuring.finding import Finding, Score
from understudy.measuring.shadowed import Shadowed, settings_of
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
        return {"histogram": Histogram, "unwilling": Unwilling}[name](**settings)

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


@pytest.mark.parametrize("text", ["[1]", "{", "3"])
def test_settings_that_are_no_json_object_are_refused(text):
    with pytest.raises(ParameterError, match="JSON object"):
        settings_of(text, "mds")
