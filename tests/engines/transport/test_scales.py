"""Two scales: what wider axes keep, and how near the exact distance bins come by losing more on purpose."""

import numpy as np
import pytest

from understudy.engines.transport.axis import line, star
from understudy.engines.transport.cells import Quantity
from understudy.engines.transport.exact import exact_distance
from understudy.engines.transport.marginal import excess, transport, two_way
from understudy.engines.transport.place import missing_reach
from understudy.engines.transport.scales import binned_way, widened


def at(axis):
    """The places of a line."""
    return np.append(0.0, np.cumsum(axis.steps))


def normal(rows, seed):
    """Rows of two quantities that go together, in units of their range."""
    table = np.random.default_rng(seed).normal(size=(rows, 2)) @ np.array([[1, 0.7], [0, 0.7]])
    return (table - table.min(0)) / np.ptp(table, 0)


def cells(mine, yours, bins):
    return [Quantity(one, other).cells(bins) for one, other in zip(mine.T, yours.T, strict=True)]


@pytest.mark.parametrize("places", [3, 4, 9, 10])
def test_a_wider_axis_has_every_second_place_and_both_ends(places):
    axis = line(np.sort(np.random.default_rng(places).random(places)))
    wider = widened(axis)
    assert set(at(wider.axis)) <= set(at(axis))
    assert wider.axis.outer == places // 2 + 1
    assert wider.axis.length == pytest.approx(axis.length)


def test_straight_potentials_see_the_same_on_a_wider_axis():
    axis = line(np.sort(np.random.default_rng(0).random(12)))
    wider = widened(axis)
    assert wider.share @ at(wider.axis) == pytest.approx(at(axis))
    assert wider.share.sum(axis=1) == pytest.approx(np.ones(12))
    assert wider.spread().sum(axis=0) == pytest.approx(np.ones(wider.axis.places), abs=1e-6)


def test_every_step_is_part_of_a_wider_one():
    axis = line(np.sort(np.random.default_rng(1).random(10)))
    wider = widened(axis)
    assert np.bincount(wider.step, axis.steps) == pytest.approx(wider.axis.steps)


def test_missing_cells_stay_missing_on_a_wider_axis():
    places = np.array([0.0, 0.2, 0.5, 1.0, 3.0])
    wider = widened(line(places, missing_reach(places)))
    assert wider.axis.spokes.tolist() == [1.0, 1.0, 3.0]
    assert wider.share[-1].tolist() == [0.0, 0.0, 0.0, 1.0] and wider.share[:-1, -1].tolist() == [0.0] * 5


@pytest.mark.parametrize("axis", [star(5), star(2), line(np.zeros(1))], ids=["star", "two", "one"])
def test_levels_and_short_axes_stay_as_they_are(axis):
    wider = widened(axis)
    assert wider.axis is axis and (wider.share == np.eye(axis.places)).all()


def test_steps_lost_beside_a_place_far_outside_are_no_accident():
    wider = widened(line(np.array([-1e6, -1e6 + 1, 0.1, 0.1 + 2e-17, np.nextafter(0.1, 1), 0.2])))
    assert np.isfinite(wider.share).all()


def test_the_wide_distance_is_never_above_the_fine_one():
    for seed in range(5):
        both = cells(normal(300, seed), normal(300, seed + 50), 32)
        wider = [widened(one.axis) for one in both]
        rest = excess(*both)
        fine = transport(rest, both[0].axis, both[1].axis, 5e-5)
        wide = transport(wider[0].share.T @ rest @ wider[1].share, wider[0].axis, wider[1].axis, 5e-5)
        assert wide.value - wide.gap <= fine.value + fine.gap


@pytest.mark.parametrize("kind", ["fresh", "shifted", "independent", "missing"])
def test_a_thousand_rows_in_96_bins_are_within_three_ten_thousandths_of_exact(kind):
    mine, yours = normal(1_000, 2), normal(1_000, 3)
    if kind == "shifted":
        yours[:, 1] *= 0.9
    if kind == "independent":
        yours[:, 1] = np.random.default_rng(4).permutation(yours[:, 1])
    if kind == "missing":
        mine[::5, 0], yours[::7, 1] = np.nan, np.nan
    plan = binned_way(*cells(mine, yours, 96), (True, True))
    assert abs(plan.value - exact_distance(list(mine.T), list(yours.T))) < 3e-4
    assert plan.gap < 3.3 * 3.7e-4  # 1.47 of the fine half gap and 0.47 of the wide one


def test_the_potential_proves_the_distance_up_to_the_gap():
    both = cells(normal(800, 5), normal(600, 6), 64)
    plan = binned_way(*both, (True, True))
    assert abs((plan.potential * excess(*both)).sum() - plan.value) <= plan.gap + 2e-4


@pytest.mark.parametrize("grid", [20, 90])
def test_values_that_are_kept_lose_nothing(grid):
    mine, yours = (np.round(normal(2_000, seed) * grid) / grid for seed in (7, 8))
    both = cells(mine, yours, 96)
    near, plain = binned_way(*both, (False, False)), two_way(*both, tolerance=5e-5)
    assert abs(near.value - plain.value) <= near.gap + plain.gap


def test_only_the_binned_one_of_two_quantities_is_widened():
    mine, yours = normal(1_000, 9), normal(1_000, 10)
    mine[:, 1], yours[:, 1] = np.round(mine[:, 1] * 40) / 40, np.round(yours[:, 1] * 40) / 40
    plan = binned_way(*cells(mine, yours, 96), (True, False))
    assert abs(plan.value - exact_distance(list(mine.T), list(yours.T))) < 3e-4


def test_few_cells_are_solved_exactly_on_both_scales():
    mine, yours = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    plan = binned_way(*cells(mine, yours, 96), (True, True))
    assert (plan.value, plan.gap) == (pytest.approx(1.0), 0.0)
