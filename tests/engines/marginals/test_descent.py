import numpy as np
import pytest

from engines.marginals.joint import random_model
from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import summed
from understudy.engines.marginals.descent import Descent, Measured, potentials_of
from understudy.engines.marginals.junction import junction_tree

SIZES = (3, 4, 2, 3)


def tables(cliques, seed=0):
    rng = np.random.default_rng(seed)
    return [Measured(of, 50 * rng.random([SIZES[a] for a in of]), 1.0 + len(of)) for of in cliques]


def loss_of(measured, duals, tree):
    marginals = marginals_of(tree, potentials_of(tree, duals, SIZES), 300.0)
    gaps = [
        (summed(marginals[tree.home(m.of)], tree.cliques[tree.home(m.of)], m.of) - m.table) / m.sigma
        for m in measured
    ]
    return 0.5 * sum(float((gap**2).sum()) for gap in gaps)


@pytest.mark.parametrize(
    "cliques", [[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2), (3,)], [(0,), (0, 3), (0, 3)]]
)
def test_steps_lower_the_loss_down_to_where_small_steps_of_any_kind_raise_it(cliques):
    measured, rng = tables(cliques), np.random.default_rng(1)
    tree = junction_tree(cliques, SIZES)
    found = Descent(tree, measured, 300.0).run({}, SIZES, 3_000, 1e-14)
    least = loss_of(measured, found, tree)
    assert least < loss_of(measured, {}, tree)
    for _ in range(20):
        near = {of: values + 0.01 * rng.normal(size=values.shape) for of, values in found.items()}
        assert loss_of(measured, near, tree) >= least * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_tilted_marginals_are_those_of_potentials_with_the_step_added(seed):
    model = random_model(seed)
    rng, of = np.random.default_rng(seed), model.tree.cliques[-1]
    measured = [Measured(of, 10 * rng.random(model.marginals[-1].shape), 1.0)]
    descent = Descent(model.tree, measured, model.total)
    gradient = {of: rng.normal(size=model.marginals[-1].shape)}
    tilted = descent._tilted(model.marginals, gradient, 0.3)
    moved = list(model.potentials)
    home = model.tree.home(of)
    moved[home] = moved[home] - 0.3 * gradient[of]
    for left, right in zip(tilted, marginals_of(model.tree, moved, model.total), strict=True):
        assert np.allclose(left, right)


def test_a_dual_fits_any_tree_that_holds_its_table():
    measured = tables([(0, 1), (1, 2), (2, 3)])
    small = junction_tree([each.of for each in measured], SIZES)
    duals = Descent(small, measured, 300.0).run({}, SIZES, 100, 1e-9)
    large = junction_tree([(0, 1, 2), (1, 2, 3)], SIZES)
    assert np.isclose(loss_of(measured, duals, small), loss_of(measured, duals, large))
