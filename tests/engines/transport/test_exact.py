"""Exact transport: what is known by hand, and what another solver finds."""

import numpy as np
import pytest

from understudy.engines.transport.exact import exact_distance, ground, least_cost

ot = pytest.importorskip("ot", reason="POT is the oracle here: pip install 'understudy[evaluate]'")

KINDS = {"quantities": "qq", "a category and a quantity": "cq", "categories": "cc", "a quantity": "q"}


def sample(kind, rows, rng, *, levels=4, grid=None, missing=0.0):
    """Random columns of a kind; values on a coarse grid now and then, so that rows tie."""
    columns = []
    for letter in kind:
        if letter == "c":
            columns.append(rng.integers(-1, levels, rows))
            continue
        values = rng.random(rows) * rng.choice([1.0, 3.0])
        values = values if grid is None else np.round(values * grid) / grid
        values[rng.random(rows) < missing] = np.nan
        columns.append(values)
    return columns


def by_pot(first, second):
    """The exact distance as POT solves it, without any of our shortcuts."""
    return float(ot.emd2([], [], np.ascontiguousarray(ground(first, second)), numItermax=1_000_000))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_it_equals_pots_exact_solution_on_thirty_random_small_cases_of_each_pair_kind(kind):
    rng = np.random.default_rng(20)
    for case in range(30):
        sizes = rng.integers(2, 40, 2)
        sizes = (sizes[0], sizes[0]) if case % 2 else sizes
        options = {"grid": [None, 4, 10][case % 3], "missing": [0.0, 0.2][case % 4 == 3]}
        first, second = (sample(kind, size, rng, **options) for size in sizes)
        assert exact_distance(first, second) == pytest.approx(by_pot(first, second), abs=1e-9)


def test_what_both_samples_have_costs_nothing():
    rng = np.random.default_rng(0)
    rows = sample("cq", 500, rng, missing=0.1)
    order = rng.permutation(500)
    assert exact_distance(rows, [column[order] for column in rows]) == 0.0


def test_crossed_categories_and_numbers_are_one_apart():
    codes, ends = np.array([0, 1]), np.array([0.0, 1.0])
    assert exact_distance([codes, ends], [codes, ends[::-1]]) == 1.0
    assert exact_distance([ends, ends], [ends, ends[::-1]]) == 1.0


def test_two_categories_add_up_as_equation_4_says():
    assert exact_distance([np.array([0]), np.array([0])], [np.array([1]), np.array([1])]) == 2.0


def test_missing_cells_are_alike_and_one_from_the_range():
    gone, here = np.array([np.nan]), np.array([0.3])
    assert exact_distance([gone], [gone]) == 0.0
    assert exact_distance([gone], [here]) == 1.0
    assert exact_distance([here + 2], [gone]) == pytest.approx(2.3)


def test_prices_prove_the_cost():
    rng = np.random.default_rng(3)
    cost, supply, demand = rng.random((6, 5)), rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(5))
    value, prices = least_cost(cost, supply, demand)
    assert value == pytest.approx((cost - prices).min(axis=1) @ supply + prices @ demand)
