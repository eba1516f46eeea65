from itertools import combinations

import numpy as np
import pytest

from understudy.engines.marginals.counting import count
from understudy.engines.marginals.descent import Measured
from understudy.engines.marginals.estimators import ProductsEstimator, TreeEstimator

SIZES = (3, 4, 3, 5, 2)
PAIRS = list(combinations(range(5), 2))


def rows(n=4_000):
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, n)
    return [np.where(rng.random(n) < 0.6, hidden, rng.integers(0, size, n)) for size in SIZES]


def exact(cliques):
    return [Measured(of, count(rows(), of, SIZES), 1.0) for of in cliques]


def tree():
    return TreeEstimator.of(exact([(place,) for place in range(5)]), SIZES, 4_000.0)


def products():
    rng = np.random.default_rng(1)
    return ProductsEstimator.of(exact([(place,) for place in range(5)]), 4_000.0, 30, rng)


@pytest.mark.parametrize("start", [tree, products], ids=["tree", "products"])
def test_measured_pairs_are_taken_in_and_the_tree_to_draw_from_says_the_same(start):
    estimator, fitting = start().making_room(PAIRS[:4], 1e6)
    assert fitting == PAIRS[:4]
    measured = exact([*((place,) for place in range(5)), *fitting])
    found = estimator.fitted(measured, 400)
    for each in measured[5:]:
        expected = found.expected([each.of])[each.of]
        assert np.abs(expected - each.table).sum() < 0.03 * 4_000
        assert np.abs(expected - TreeEstimator(found.tree()).expected([each.of])[each.of]).max() < 1e-6


@pytest.mark.parametrize("room", [40, 60, 100, 400])
def test_a_tree_never_has_more_cells_than_its_room(room):
    estimator = tree()
    for pair in PAIRS:
        estimator, fitting = estimator.making_room([pair], room)
        if fitting:
            estimator = estimator.fitted(exact([*((place,) for place in range(5)), pair]), 3)
            assert estimator.model.tree.cells(SIZES) <= room


@pytest.mark.parametrize("room", [40, 60, 100, 400])
def test_what_is_open_fits(room):
    estimator = tree()
    for pair in estimator.open_pairs(room):
        assert estimator.making_room([pair], room)[1] == [pair]


def test_too_large_pairs_are_left_out_of_products():
    assert products().open_pairs(14) == [pair for pair in PAIRS if SIZES[pair[0]] * SIZES[pair[1]] <= 14]
    assert products().making_room([(1, 3), (0, 4)], 14)[1] == [(0, 4)]
