"""A network as a tree model is the network: its product of conditional tables, to the last digit."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from engines.marginals.joint import joint_of, marginal_of
from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import lined_up
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.generate import draw_rows
from understudy.engines.marginals.network import Family, Network, conditional, network_model, network_of_tree
from understudy.errors import ParameterError

SIZES = (2, 3, 2, 4)
# A collider: 3 has parents that no other family holds together, so moralising has to marry them.
NETWORK = Network((Family(2), Family(0), Family(1, (0,)), Family(3, (0, 2))))


def tables(seed=0):
    rng = np.random.default_rng(seed)
    return [10 * rng.random([SIZES[a] for a in each.of]) for each in NETWORK.families]


def product(given, smoothing):
    """Return p(x) cell by cell, as the product of the families' conditional probabilities."""
    joint = np.zeros(SIZES)
    for cell in itertools.product(*(range(size) for size in SIZES)):
        joint[cell] = np.prod(
            [
                conditional(table, each, smoothing)[tuple(cell[a] for a in each.of)]
                for each, table in zip(NETWORK.families, given, strict=True)
            ]
        )
    return joint


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_model_is_the_product_of_all_conditional_tables(seed):
    given = tables(seed)
    model = network_model(NETWORK, given, SIZES, total=50.0, smoothing=0.5)
    truth = 50.0 * product(given, 0.5)
    assert np.allclose(joint_of(model), truth)
    for of, found in zip(model.tree.cliques, model.marginals, strict=True):
        assert np.allclose(found, marginal_of(truth, of))


def test_conditions_travel_from_children_to_parents():
    given = tables()
    model = network_model(NETWORK, given, SIZES, total=1.0, smoothing=0.5)
    seen = np.array([0.0, 0.0, 1.0, 0.0])
    home = model.tree.home((3,))
    potentials = list(model.potentials)
    with np.errstate(divide="ignore"):
        potentials[home] = potentials[home] + lined_up(np.log(seen), (3,), model.tree.cliques[home])
    found = marginals_of(model.tree, potentials)
    truth = product(given, 0.5) * seen
    truth /= truth.sum()
    for of, table in zip(model.tree.cliques, found, strict=True):
        assert np.allclose(table, marginal_of(truth, of))


def test_drawn_rows_have_the_tables_of_the_network_within_sampling_error():
    model = network_model(NETWORK, tables(), SIZES, total=1.0, smoothing=0.5)
    rows = draw_rows(model, 20_000, np.random.default_rng(0))
    for each in NETWORK.families:
        gap = count(rows, each.of, SIZES) / 20_000 - marginal_of(product(tables(), 0.5), each.of)
        assert np.abs(gap).max() < 0.01


def test_conditional_tables_add_up_to_one_whatever_the_noise_was():
    rng = np.random.default_rng(1)
    table = rng.normal(0, 5, (2, 3, 4))
    found = conditional(table, Family(1, (0, 2)), 0.1)
    assert (found > 0).all() and np.allclose(found.sum(axis=1), 1.0)


def test_parents_that_were_never_seen_leave_the_child_to_its_own_distribution():
    table = np.array([[30.0, 10.0], [0.0, 0.0]])
    assert np.allclose(conditional(table, Family(1, (0,)), 1e-6)[1], [0.75, 0.25], atol=0.01)


def test_an_empty_network_is_a_model_of_nothing():
    assert network_model(Network(()), [], (), total=1.0, smoothing=0.1).sizes == ()


@pytest.mark.parametrize(
    "families", [(Family(0, (1,)), Family(1)), (Family(0), Family(0))], ids=["child first", "twice"]
)
def test_an_order_in_which_nothing_could_be_drawn_is_refused(families):
    with pytest.raises(ParameterError):
        Network(families)


@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_a_tree_of_pairs_gives_each_attribute_one_parent_at_most(attributes, random):
    pairs = [(random.randrange(other), other) for other in range(1, attributes) if random.random() < 0.8]
    network = network_of_tree(pairs, attributes)
    assert sorted(family.child for family in network.families) == list(range(attributes))
    assert sorted(family.of for family in network.families if family.parents) == sorted(pairs)
