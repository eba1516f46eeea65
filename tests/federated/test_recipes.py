import pytest

from federated.parties import BUDGET, fitted, sites, terms
from understudy.errors import ParameterError
from understudy.federated.recipes import (
    Networks,
    federating,
    method_of,
    recipe_for,
    settings_together,
    tree_of,
)
from understudy.federated.terms import Terms


@pytest.mark.parametrize("name", ["findiff", "tabddpm", "tldm", "tvae"])
def test_all_rounds_are_one_plan_at_the_rate_of_the_site(name):
    recipe = recipe_for(terms(name, rounds=4, local_steps=5, batch=7, private=True), 0.25)
    assert (recipe.steps, recipe.noisy_steps, recipe.rate, recipe.batch) == (20, 20, 0.25, 7)
    assert isinstance(recipe, Networks)
    for noisy in (True, False):
        made = method_of(recipe, noisy=noisy)
        assert {made.settings[stage].steps for stage in made.learner.stages} == {20}


def test_a_setting_that_is_not_there_is_refused():
    with pytest.raises(ParameterError, match="no setting 'widht'"):
        recipe_for(terms(settings={"widht": 3}), 0.1)


def test_forms_that_read_rows_beside_their_stages_are_refused():
    for name, settings in (("tldm", {"guarantee": "paper"}), ("tvae", {"numbers": "modes"})):
        with pytest.raises(ParameterError, match="in a federation"):
            recipe_for(terms(name, settings=settings), 0.1)


def test_a_recipe_is_either_of_networks_or_of_a_tree():
    tree, networks = (recipe_for(terms(name), 0.1) for name in ("mst", "findiff"))
    assert tree_of(tree).measure == "mst.pairs"
    with pytest.raises(ParameterError, match="trains no networks"):
        method_of(tree, noisy=True)
    with pytest.raises(ParameterError, match="no tree of marginals"):
        tree_of(networks)


DECIDED = {"steps": 77, "noisy_steps": 77, "rate": 0.5, "few": 3, "device": "cpu", "teacher_rows": 9}


@pytest.mark.parametrize("name", DECIDED)
def test_settings_that_would_be_without_effect_are_refused(name):
    with pytest.raises(ParameterError, match=f"in a federation {name} "):
        recipe_for(terms(settings={name: DECIDED[name]}), 0.1)


def test_a_batch_is_a_setting_or_a_term():
    assert recipe_for(terms(settings={"batch": 9}), 0.1).batch == 9
    with pytest.raises(ParameterError, match="batch follows from the terms"):
        recipe_for(terms(settings={"batch": 9}, batch=7), 0.1)


@pytest.mark.parametrize(
    "changes",
    [{"clip": 0.5}, {"least_noise": 1.0}, {"rate": 0.3}, {"private": True, "batch": 7, "rate": 0.3},
     {"pull": 1.0}, {"strategy": "fedprox", "tau": 0.1}, {"beta1": 0.5},
     {"recipe": "mst", "rounds": 1_000}, {"recipe": "mst", "local_steps": 9}, {"recipe": "mst", "rate": 0.9},
     {"recipe": "mst", "strategy": "fedadam"}, {"recipe": "mst", "private": True, "clip": 9.0}],
    ids=str,
)  # fmt: skip
def test_terms_that_would_be_without_effect_are_refused(changes):
    with pytest.raises(ParameterError, match=f"the term {list(changes)[-1]} has no part"):
        recipe_for(terms(**changes), 0.1)


@pytest.mark.parametrize("name", ["findiff", "mst"])
@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
def test_what_nobody_said_is_never_refused(name, private):
    assert recipe_for(Terms(name, {}, private=private), 0.1).name() == name


def test_with_a_batch_the_rate_on_record_is_the_share_of_all_rows_in_a_step():
    agreed = terms(private=True, batch=10)
    recipe = recipe_for(agreed, agreed.rate)
    assert settings_together(recipe, agreed, [5.0, 35.0])["rate"] == 15 / 40
    assert settings_together(recipe, terms(private=True), [5.0, 35.0])["rate"] == recipe.rate
    model = fitted(sites(BUDGET, rows=40), agreed)
    assert model.settings["rate"] == 10 / 40


def test_forms_that_do_federate_are_named_of_each_recipe():
    for name, good in (("findiff", "sound"), ("tldm", "sound or decoder_only")):
        with pytest.raises(ParameterError, match=f"guarantee must be {good}; got"):
            recipe_for(terms(name, settings={"guarantee": "teacher_table"}), 0.1)


def test_all_recipes_that_federate_are_named():
    names = federating()
    assert {"findiff", "mst", "nflow", "tabsyn"} < set(names) and "ctgan" not in names
    with pytest.raises(ParameterError, match=", ".join(names)):
        recipe_for(terms("ctgan", settings={}), 0.1)


@pytest.mark.parametrize("name", ["ctgan", "adsgan", "pategan", "histogram", "arf", "aim", "gaussian_copula"])
def test_recipes_that_do_not_federate_are_refused_before_anything_is_asked(name):
    with pytest.raises(ParameterError, match="does not federate"):
        recipe_for(terms(name, settings={}), 0.1)


@pytest.mark.parametrize("name", ["nflow", "tabdiff", "tablediffusion", "tabsyn"])
def test_other_networks_that_learn_alone_federate_too(name):
    assert isinstance(recipe_for(terms(name, settings={}), 0.1), Networks)
