"""The panel of paper 000: the best of five, chosen on one half of the targets and scored on the other."""

import math

import numpy as np
import pytest

from attacks.tried import laws, wide
from understudy import attacks
from understudy.attacks import mia
from understudy.attacks.mia import MIA
from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

FIVE = {
    "closest_distance_hamming",
    "closest_distance_l2",
    "kernel_estimator",
    "naive_groundhog",
    "hist_groundhog",
}


def of(shown, seed=0, **settings):
    return MIA(**{"recipe": "copy", "models": 4, "shuffles": 99, **settings})(shown, seed=seed)


def test_copies_are_caught_half_of_them_half_and_fresh_rows_betray_nobody():
    copy, half, fresh = (of(wide(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95 and copy.low > 0.5 and copy.parts["risk"] > 0.9
    assert copy.value > half.value > fresh.value and half.low > 0.5
    assert fresh.low <= 0.5 <= fresh.high
    assert copy.parts["p_value"] == 0.01 and half.parts["p_value"] < 0.05 < fresh.parts["p_value"]


def test_all_five_are_tried_and_the_chosen_one_is_named():
    found = of(wide("half"))
    tried = {name.removesuffix(".auroc") for name in found.parts if name.endswith(".auroc")}
    assert tried == FIVE <= set(attacks.names())
    assert found.parts["coverage"] == 1
    name = next(name for name in FIVE if name in found.notes[0])
    assert found.parts[f"{name}.auroc"] == found.value == found.parts["auroc"]


def test_what_is_scored_is_the_half_that_the_choice_did_not_see(monkeypatch):
    # An attack that is always right on the half of the choice, and always wrong on the other.
    choosing, member = np.arange(80) % 2 == 0, np.arange(80) < 40
    turned = np.where(choosing == member, 1.0, 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(mia, "halves_of", lambda *_: choosing)
        patched.setattr(mia.MIA, "_by_table", lambda *_: {"turned": turned, "guessing": np.zeros(80)})
        patched.setattr(mia.MIA, "_by_shadows", lambda *_: ({}, ()))
        found = of(wide("fresh"), targets=40)
    assert "turned was chosen" in found.notes[0]
    assert found.value == 0 and found.parts["risk"] == -1 and found.parts["p_value"] == 1
    found = of(wide("fresh"), targets=40)
    assert found.n == 40
    assert np.isfinite(found.per_record).sum() == 40  # each member has a score of the chosen attack


def test_attacks_that_cannot_be_run_are_left_out_and_said():
    for settings, shown, word in (
        ({"recipe": ""}, wide("copy"), "recipe="),
        ({}, Evidence(train=law(40, 0), holdout=law(40, 1), synthetic=law(40, 2)), "reference"),
    ):
        found = of(shown, **settings)
        assert found.parts["coverage"] == 0.6 and word in found.notes[1]
        assert "naive_groundhog.auroc" not in found.parts and math.isfinite(found.value)
    with pytest.raises(ParameterError):
        of(wide("copy"), recipe="nobody")


def test_without_others_or_with_one_target_it_is_undefined():
    bare = of(Evidence(train=law(40, 0), synthetic=law(40, 2)))
    assert math.isnan(bare.value) and "holdout" in bare.notes[0]
    single = of(Evidence(train=law(1, 0), holdout=law(9, 1), synthetic=law(9, 2)))
    assert math.isnan(single.value) and "two targets" in single.notes[0]


def test_p_values_of_fresh_tables_are_no_smaller_than_chance_makes_them():
    found = [of(laws("fresh", rows=40, seed=seed), seed, shuffles=39) for seed in range(60)]
    assert np.mean([each.parts["p_value"] <= 0.1 for each in found]) < 0.2
    assert sum(each.low <= 0.5 <= each.high for each in found) >= 54


def test_forests_of_every_target_are_the_published_form():
    found = of(wide("copy"), targets=6, told_by="forest")
    assert found.parts["coverage"] == 1 and found.value == 1
