import numpy as np
import pytest

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import summed
from understudy.engines.marginals.descent import Measured, potentials_of
from understudy.engines.marginals.dual import Dual
from understudy.engines.marginals.estimate import estimate
from understudy.engines.marginals.junction import junction_tree

SIZES = (4, 3, 5)


def noisy(seed=0, sigmas=(2.0, 40.0)):
    """Tables of three columns that hang together, with deviations of columns and of pairs."""
    rng = np.random.default_rng(seed)
    joint = rng.gamma(0.7, 1.0, SIZES)
    joint *= 5_000 / joint.sum()
    found = []
    for of in [(0,), (1,), (2,), (0, 1), (1, 2)]:
        sigma = sigmas[len(of) - 1]
        exact = summed(joint, (0, 1, 2), of)
        found.append(Measured(of, exact + rng.normal(0, sigma, exact.shape), sigma))
    return found


def loss(model, measured):
    return sum(
        float(((model.marginal(each.of) - each.table) ** 2).sum()) / (2 * each.sigma**2) for each in measured
    )


def expected(tree, duals, total=5_000.0):
    return marginals_of(tree, potentials_of(tree, duals, SIZES), total)


def test_columns_alone_are_met_at_once():
    measured = [Measured((0,), np.array([30.0, 10.0]), 1.0), Measured((1,), np.array([15.0, 25.0]), 9.0)]
    tree = junction_tree([(0,), (1,)], (2, 2))
    duals = Dual(tree, measured, 40.0, (2, 2)).run({}, 1)
    found = marginals_of(tree, potentials_of(tree, duals, (2, 2)), 40.0)
    assert sorted(np.concatenate(found).round(6)) == [10.0, 15.0, 25.0, 30.0]


def test_precise_columns_are_kept_while_rough_pairs_are_fitted():
    measured = noisy()
    model = estimate(measured, SIZES, total=5_000.0, steps=300)
    for each in measured[:3]:
        assert np.abs(model.marginal(each.of) - each.table).max() < 4 * each.sigma
    free = sum(each.table.size for each in measured)
    assert loss(model, measured) < free  # twice what noise alone is expected to leave


def test_the_loss_is_about_the_one_that_long_mirror_descent_reaches():
    measured = noisy(seed=1, sigmas=(20.0, 20.0))
    slow = estimate(measured, SIZES, total=5_000.0, steps=20_000)  # of equal noise: by mirror descent
    tree = junction_tree([each.of for each in measured], SIZES)
    found = expected(tree, Dual(tree, measured, 5_000.0, SIZES).run({}, 300))
    other = 0.0
    for each in measured:
        home = tree.home(each.of)
        gap = summed(found[home], tree.cliques[home], each.of) - each.table
        other += float((gap**2).sum()) / (2 * each.sigma**2)
    assert other == pytest.approx(loss(slow, measured), rel=0.05, abs=0.5)


def test_it_goes_on_from_where_it_stood():
    measured = noisy(seed=2)
    tree = junction_tree([each.of for each in measured], SIZES)
    dual = Dual(tree, measured, 5_000.0, SIZES)
    done = dual.run({}, 300)
    again = dual.run(done, 1)
    for one, other in zip(expected(tree, done), expected(tree, again), strict=True):
        assert one == pytest.approx(other, abs=1.0)


def test_duals_of_other_tables_are_handed_on():
    measured = noisy(seed=3)
    tree = junction_tree([each.of for each in measured], SIZES)
    kept = np.zeros((4, 3))
    found = Dual(tree, measured[:3], 5_000.0, SIZES).run({(0, 1): kept}, 3)
    assert found[(0, 1)] is kept
    assert set(found) == {(0,), (1,), (2,), (0, 1)}


def test_negative_counts_leave_little_and_never_less_than_nothing():
    measured = [
        Measured((0,), np.array([90.0, 10.0]), 2.0),
        Measured((1,), np.array([50.0, 50.0]), 2.0),
        Measured((0, 1), np.array([[30.0, 60.0], [20.0, -30.0]]), 10.0),
    ]
    found = estimate(measured, (2, 2), total=100.0, steps=200).marginal((0, 1))
    assert (found >= 0).all() and found[1, 1] < 2
