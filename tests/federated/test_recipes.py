import pytest

from federated.parties import terms
from understudy.errors import ParameterError
from understudy.federated.recipes import Networks, method_of, recipe_for, tree_of


@pytest.mark.parametrize("name", ["findiff", "tabddpm", "tldm", "tvae"])
def test_all_rounds_are_one_plan_at_the_rate_of_the_site(name):
    recipe = recipe_for(terms(name, rounds=4, local_steps=5, batch=7), 0.25)
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


@pytest.mark.parametrize("name", ["ctgan", "adsgan", "pategan", "histogram", "arf", "aim", "gaussian_copula"])
def test_recipes_that_do_not_federate_are_refused_before_anything_is_asked(name):
    with pytest.raises(ParameterError, match="does not federate"):
        recipe_for(terms(name, settings={}), 0.1)


@pytest.mark.parametrize("name", ["nflow", "tabdiff", "tablediffusion", "tabsyn"])
def test_other_networks_that_learn_alone_federate_too(name):
    assert isinstance(recipe_for(terms(name, settings={}), 0.1), Networks)
