"""Marginals: one column by sorting, two by transport, and the error that bins make."""

import numpy as np
import pytest
from scipy import stats

from understudy.engines.transport.cells import Quantity, level_cells
from understudy.engines.transport.exact import exact_distance
from understudy.engines.transport.marginal import excess, one_way, two_way, variation


def quantity(first, second, bins=10_000):
    return Quantity(np.asarray(first, float), np.asarray(second, float)).cells(bins)


def test_one_quantity_is_the_area_between_the_distribution_functions():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=300), rng.normal(0.4, 2, size=170)
    plan = one_way(quantity(first, second))
    assert plan.value == pytest.approx(stats.wasserstein_distance(first, second), abs=1e-12)
    assert plan.gap == 0.0


def test_the_potential_of_one_quantity_proves_its_distance():
    rng = np.random.default_rng(1)
    cells = quantity(rng.random(50), rng.random(80))
    plan = one_way(cells)
    gained = plan.potential[cells.first, 0].mean() - plan.potential[cells.second, 0].mean()
    assert gained == pytest.approx(plan.value)


def test_levels_differ_by_total_variation():
    cells = level_cells(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    assert one_way(cells).value == 0.25
    both = excess(cells, level_cells(np.array([5, 6, 5, 6]), np.array([5, 6, 6, 6])))
    assert variation(both).value == pytest.approx(np.abs(both).sum() / 2)


def test_a_quantity_gone_missing_in_one_sample_costs_the_share_that_is_gone():
    here, half = np.linspace(0, 1, 200), np.linspace(0, 1, 200)
    half[::2] = np.nan
    plan = one_way(quantity(here, half, bins=64))
    assert plan.value == pytest.approx(0.5, abs=0.01)


def test_few_cells_are_solved_exactly():
    first = [np.array([0, 1, 1]), np.array([0.1, 0.5, 0.9])]
    second = [np.array([1, 0, 0]), np.array([0.2, 0.6, 0.65])]
    plan = two_way(level_cells(first[0], second[0]), quantity(first[1], second[1]))
    assert plan.value == pytest.approx(exact_distance(first, second), abs=1e-12)
    assert plan.gap == 0.0


@pytest.mark.parametrize("kind", ["fresh", "shifted", "independent"])
@pytest.mark.parametrize("first_is", ["a quantity", "a category"])
def test_binned_transport_of_a_thousand_rows_is_within_half_a_thousandth_of_exact(kind, first_is):
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(2_000, 2)) @ np.array([[1, 0.7], [0, 0.7]])
    rows = (rows - rows.min(0)) / np.ptp(rows, 0)
    mine, yours = rows[:1_000], rows[1_000:].copy()
    if kind == "shifted":
        yours[:, 1] *= 0.9
    if kind == "independent":
        yours[:, 1] = rng.permutation(yours[:, 1])
    if first_is == "a category":
        one, other = (np.floor(table[:, 0] * 8).astype(int) for table in (mine, yours))
        cells, exact = level_cells(one, other), exact_distance([one, mine[:, 1]], [other, yours[:, 1]])
    else:
        cells, exact = quantity(mine[:, 0], yours[:, 0], 128), exact_distance(list(mine.T), list(yours.T))
    plan = two_way(cells, quantity(mine[:, 1], yours[:, 1], 128 if first_is == "a quantity" else 64))
    assert abs(plan.value - exact) < 5e-4
