"""The programme: all of a level, shadow attacks where the recipe is known, claims where there are any."""

import json

import pytest

from understudy import attacks, metrics
from understudy.privacy import events
from understudy.privacy.accounting import account
from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate, Entry
from understudy.study.programme import Known, programme
from understudy.synth.gaussian import Gaussian
from understudy.synth.mst import MST

PRIVATE = Certificate((Entry("sums", "train", events.Gaussian(2.0)),))
OPEN = Certificate((Entry("all rows", "train"),))


def names(measures):
    return [measure.title().partition(".")[2] for measure in measures]


def test_a_level_has_all_its_measures_and_attacks():
    judged, tried = programme("quick", Known())
    assert names(judged) == metrics.at("quick")
    assert names(tried) == attacks.at("quick")


def test_shadow_attacks_need_a_recipe_and_are_told_its_settings():
    without = set(names(programme("full", Known())[1]))
    told = programme("full", Known(MST(bins=7)))[1]
    shadow = [attack for attack in told if attack.title().partition(".")[2] not in without]
    assert "mds" in names(shadow) and "mds" not in without
    assert {attack.recipe for attack in shadow} == {"mst"}
    assert all('"bins": 7' in attack.settings for attack in shadow)


def test_a_private_stand_in_is_judged_by_shadows_within_its_budget():
    told = {each.title(): each for each in programme("full", Known(MST(), PRIVATE))[1]}
    assert "privacy.mds" in told and "privacy.epsilon_audit" in told
    shadow = [each for each in told.values() if hasattr(each, "budget")]
    assert "privacy.mia" in told and len(shadow) >= 9 and {each.recipe for each in shadow} == {"mst"}
    for each in shadow:
        assert json.loads(each.budget) == {"epsilon": PRIVATE.epsilon(1e-9), "delta": 1e-9}
    openly = programme("full", Known(MST()))[1]
    assert {each.budget for each in openly if hasattr(each, "budget")} == {""}


def test_the_budget_is_what_the_certificate_says_was_spent():
    levels = Certificate((*PRIVATE.entries, Entry("levels", "schema", events.Pure(0.0, 1.5e-5))))
    assert Known(MST(), PRIVATE).budget == Budget(epsilon=PRIVATE.epsilon(1e-9), delta=1e-9)
    assert Known(MST(), levels).budget == Budget(epsilon=levels.epsilon(1e-4), delta=1e-4)
    assert Known(MST(), Certificate(())).budget.epsilon == 1e-6  # nothing was read
    assert Known(MST()).budget is None is Known(MST(), OPEN).budget


@pytest.mark.parametrize("delta", [9.9e-10, 9e-7, 9.9e-6, 9e-5])
def test_a_delta_that_levels_took_does_not_make_the_budget_larger(delta):
    # Right at a delta of the list an epsilon would be that of what little is left beside the levels' tenth.
    noise = events.Gaussian(4.0)
    claim = Certificate((Entry("a", "measure", noise), Entry("b", "schema", events.Pure(0.0, delta))))
    found = Known(MST(), claim).budget
    spent = account((noise,)).epsilon(0.9 * found.delta)  # a tenth of it would be set aside again
    assert found.epsilon == pytest.approx(spent, rel=0.02)


def test_a_faint_claim_is_not_raised():
    claim = Certificate((Entry("a", "measure", events.Gaussian(4e4)),))
    found = Known(MST(), claim).budget
    assert found.epsilon == pytest.approx(claim.epsilon(found.delta)) and found.epsilon < 1e-3


def test_a_recipe_whose_draws_are_what_is_private_takes_no_budget():
    paper = Known(Gaussian(form="ridge", at_least=100), PRIVATE)
    assert paper.budget is None and Known(Gaussian(), PRIVATE).budget is not None
    (mds,) = (each for each in programme("full", paper)[1] if each.title() == "privacy.mds")
    assert mds.budget == "" and '"form": "ridge"' in mds.settings


def test_the_audit_of_epsilon_holds_the_claim():
    (audit,) = (each for each in programme("full", Known(None, PRIVATE))[1] if hasattr(each, "canaries"))
    assert audit.epsilon == PRIVATE.epsilon(audit.delta)
    assert "epsilon_audit" not in names(programme("full", Known())[1])
    assert Known(None, OPEN).claims is None


def test_attacks_that_guess_make_more_guesses_at_higher_levels():
    made = [
        {each.title(): each.attacks for each in programme(level, Known())[1] if hasattr(each, "attacks")}
        for level in ("quick", "standard")
    ]
    assert set(made[0]) == {"privacy.singling_out", "privacy.linkability", "privacy.inference"}
    assert all(made[0][name] < made[1][name] for name in made[0])
