"""Telling models with a target from models without it: what is held out, and what is learned."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

from attacks.shadows_seen import blind, shown_by
from understudy.measuring.groundhog import Groundhog, of_every_set, over_targets
from understudy.rng import stream
from understudy.synth.copy import Copy


@final
@dataclass(frozen=True)
class Toy(Groundhog):
    """Features as a test wants them."""

    def synthesizer(self, name, settings):
        del name, settings
        return Copy()

    def describe(self, shown, rng):
        del rng
        rows = np.repeat(
            np.random.default_rng(0).random((shown.shadows.models, 3)), shown.shadows.sets, axis=0
        )
        if self.recipe == "models":
            return lambda _: rows
        return lambda place: np.column_stack([rows, np.repeat(shown.inside[:, place], shown.shadows.sets)])


def judged(recipe, **sizes):
    return Toy(recipe=recipe, trees=20, targets=20).judged(shown_by(blind, **sizes), stream(0, "test"))


def test_sets_of_one_model_are_never_on_both_sides():
    # Every set tells which model drew it: a forest that met another set of the model would know the answer.
    found = judged("models", models=12, sets=3)
    assert found.low < 0.5 < found.high
    assert found.score.value < 0.65


def test_what_gives_a_target_away_is_found():
    found = judged("labels", models=12, sets=2)
    assert found.score.value > 0.95 and found.null == 0.5


def test_the_area_is_the_value_and_the_one_over_all_models_has_a_name_of_its_own():
    found = judged("models", models=12, sets=3)
    assert found.score.parts["auroc"] == found.score.value != found.score.parts["auroc_pooled"]


def test_the_interval_is_one_of_targets():
    low, high = over_targets(np.array([0.4, 0.6, 0.5, 0.7]))
    middle, reach = 0.55, 3.182446 * np.std([0.4, 0.6, 0.5, 0.7], ddof=1) / 2
    assert (low, high) == pytest.approx((middle - reach, middle + reach), abs=1e-5)


def test_each_target_has_its_difference_at_its_place_in_the_table():
    found = judged("labels", models=8, sets=1)
    known = np.array(found.per_record)
    assert len(known) == 120 and np.isfinite(known).sum() == 20 and found.n == 160
    assert (known[np.isfinite(known)] > 0).all()
    assert not {"epsilon", "sure_tpr", "sure_fpr"} & set(found.score.parts) and "20 of" in found.notes[0]


def test_features_that_are_the_same_for_all_targets_are_worked_out_once():
    shown, calls = shown_by(blind, models=4, sets=2), []
    features = of_every_set(shown, lambda table: calls.append(len(table)) or np.array([1.0]))
    assert features(0) is features(1)
    assert len(calls) == 8
