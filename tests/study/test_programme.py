"""The programme: all of a level, shadow attacks where the recipe is known, claims where there are any."""

from understudy import attacks, metrics
from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian
from understudy.study.programme import Known, programme
from understudy.synth.mst import MST

PRIVATE = Certificate((Entry("sums", "train", Gaussian(2.0)),))


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


def test_a_private_stand_in_is_not_judged_by_shadows_without_a_budget():
    told = names(programme("full", Known(MST(), PRIVATE))[1])
    assert "mds" not in told and "epsilon_audit" in told


def test_the_audit_of_epsilon_holds_the_claim():
    (audit,) = (each for each in programme("full", Known(None, PRIVATE))[1] if hasattr(each, "canaries"))
    assert audit.epsilon == PRIVATE.epsilon(audit.delta)
    assert "epsilon_audit" not in names(programme("full", Known())[1])
    assert Known(None, Certificate((Entry("all rows", "train"),))).claims is None


def test_attacks_that_guess_make_more_guesses_at_higher_levels():
    made = [
        {each.title(): each.attacks for each in programme(level, Known())[1] if hasattr(each, "attacks")}
        for level in ("quick", "standard")
    ]
    assert set(made[0]) == {"privacy.singling_out", "privacy.linkability", "privacy.inference"}
    assert all(made[0][name] < made[1][name] for name in made[0])
