"""The ensemble: what all attacks together learn from rehearsals, and what it needs for that."""

import math

import numpy as np
import pytest

from attacks.shadows_seen import recorded
from attacks.tried import wide
from understudy import attacks
from understudy.attacks.ensemble import Ensemble
from understudy.errors import ParameterError
from understudy.measuring.membership import Membership
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

FEW = "closest_distance_l2,domias,gan_leaks,gan_leaks_calibrated,mc"


def of(shown, seed=0, **settings):
    return Ensemble(**{"recipe": "copy", "models": 4, **settings})(shown, seed=seed)


@pytest.mark.parametrize("learner", ["logistic", "boosting"])
def test_copies_are_caught_half_of_them_half_and_fresh_rows_betray_nobody(learner):
    copy, half, fresh = (of(wide(kind), learner=learner) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95 and copy.value > half.value > fresh.value
    assert half.low > 0.5 and fresh.low <= 0.5 <= fresh.high and copy.null == 0.5


def test_the_panel_is_every_attack_on_records_that_trains_no_shadow_model():
    names = {kind.title().partition(".")[2] for kind in Ensemble()._panel()}
    every = {name for name in attacks.names() if issubclass(attacks.get(name), Membership)}
    assert names == every - {"rmia", "ensemble"} and "logan" in names
    assert len(Ensemble(panel="dpi, mc")._panel()) == 2
    with pytest.raises(ParameterError, match="panel"):
        of(wide(), panel="rmia")


def test_rehearsals_see_no_training_row():
    tables = {role: law(60, seed) for role, seed in (("holdout", 1), ("reference", 5), ("synthetic", 2))}
    one, other = (Evidence(train=law(60, seed), **tables) for seed in (0, 9))
    first, second = (Ensemble(recipe="copy", models=4)._shown(shown, 0) for shown in (one, other))
    np.testing.assert_array_equal(first.records["rise"], second.records["rise"])
    np.testing.assert_array_equal(first.drawn(0, 0)["rise"], second.drawn(0, 0)["rise"])


def test_a_third_of_the_reference_calibrates_and_is_in_no_shadow_model():
    shown = wide()
    ensemble = Ensemble(recipe="copy", models=4)
    cast = ensemble._shown(shown, 0)
    left = ensemble._left(shown, cast)
    assert len(cast.records) == 100 and len(left) == 50
    assert not set(left.tolist()) & set(cast.places.tolist())
    learned = {tuple(row) for row in zip(*(cast.records[name] for name in ("x0", "x1")), strict=True)}
    rows = shown.coded("reference").take(left)
    assert not learned & {tuple(row) for row in zip(*(rows[name] for name in ("x0", "x1")), strict=True)}
    assert len(Ensemble(recipe="copy", records=10)._shown(shown, 0).records) == 10


def test_what_single_attacks_miss_is_learned_from_rehearsals():
    shown = wide("half")
    whole = of(shown)
    alone = [attacks.get(name)()(shown).value for name in FEW.split(",")]
    assert whole.value > np.mean(alone)
    assert whole.high > max(alone)


def test_what_is_lacking_is_said():
    assert "recipe=" in Ensemble()(recorded()).notes[0]
    tables = {"train": law(40, 0), "holdout": law(40, 1), "synthetic": law(40, 2)}
    bare, few = of(Evidence(**tables)), of(Evidence(**tables, reference=law(3, 5)))
    assert math.isnan(bare.value) and "reference" in bare.notes[0]
    assert math.isnan(few.value) and "different reference rows" in few.notes[0]
    with pytest.raises(ParameterError):
        of(recorded(), recipe="nobody")
