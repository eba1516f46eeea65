"""The cheapest flow: its bounds hold the exact distance, and it says when they are not close."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from understudy.engines.transport.axis import line, star
from understudy.engines.transport.exact import least_cost
from understudy.engines.transport.flow import cheapest_flow, one_thread
from understudy.engines.transport.place import missing_reach


def axes(rng, kind):
    """Two axes of a kind; places are uneven, and one lies far outside now and then."""
    made = []
    for letter in kind:
        places = np.unique(np.append(rng.random(rng.integers(1, 9)), rng.choice([1.0, 6.0])))
        made.append(
            {
                "q": line(places),
                "m": line(places, missing_reach(places)),
                "c": star(int(rng.integers(1, 7))),
            }[letter]
        )
    return made


def levelled(rng, first, second):
    """A random excess; hubs of stars hold nothing."""
    shape = [
        axis.places if axis.steps is not None or axis.outer < 3 else axis.outer for axis in (first, second)
    ]
    mine, yours = rng.dirichlet(np.full(shape[0] * shape[1], 0.5), 2)
    out = np.zeros((first.places, second.places))
    out[: shape[0], : shape[1]] = (mine - yours).reshape(shape)
    return out


def exactly(excess, first, second):
    """The same distance by a dense linear programme."""
    apart = first.distances[:, None, :, None] + second.distances[None, :, None, :]
    apart = apart.reshape(excess.size, excess.size)
    flat = excess.ravel()
    return least_cost(apart[flat > 0][:, flat < 0], flat[flat > 0], -flat[flat < 0])[0]


@pytest.mark.parametrize("kind", ["qq", "cq", "cc", "mq", "mm", "cm", "qc"])
def test_the_bounds_hold_the_exact_distance_and_are_close(kind):
    rng = np.random.default_rng(5)
    for _ in range(15):
        first, second = axes(rng, kind)
        excess = levelled(rng, first, second)
        plan = cheapest_flow(excess, first, second, tolerance=1e-4)
        exact = exactly(excess, first, second)
        assert abs(plan.value - exact) <= plan.gap + 1e-5 * max(1.0, exact)
        assert plan.gap <= 1.7e-4 * max(1.0, exact)


def test_the_potential_rises_no_faster_than_distance_and_proves_the_lower_bound():
    rng = np.random.default_rng(6)
    first, second = line(np.sort(rng.random(30))), star(5)
    excess = levelled(rng, first, second)
    plan = cheapest_flow(excess, first, second)
    assert (plan.potential * excess).sum() == pytest.approx(plan.value - plan.gap, abs=1e-6)
    along = np.abs(np.diff(plan.potential, axis=0)).max(axis=1)
    assert (along <= first.steps + 1e-6).all()
    assert np.ptp(plan.potential[:, :5], axis=1).max() <= 1 + 1e-6


def test_no_excess_costs_nothing():
    plan = cheapest_flow(np.zeros((3, 4)), line(np.arange(3.0)), star(3))
    assert (plan.value, plan.gap) == (0.0, 0.0)


def test_one_value_far_outside_is_carried_all_the_way():
    first, second = line(np.append(np.linspace(0, 1, 30), 1e6)), line(np.linspace(0, 1, 30))
    excess = np.zeros((31, 30))
    excess[30, 5], excess[4, 20] = 0.01, -0.01
    distance = 0.01 * (1e6 - 4 / 29 + 15 / 29)
    assert cheapest_flow(excess, first, second).value == pytest.approx(distance, rel=2e-3)


def test_thousands_of_levels_are_no_matter_of_thousands_of_modes():
    rng = np.random.default_rng(8)
    few, many = star(6), star(3_000)
    small = levelled(rng, few, line(np.linspace(0, 1, 9)))
    large = np.zeros((many.places, 9))
    large[:6] = small[:6]
    values = [
        cheapest_flow(table, axis, line(np.linspace(0, 1, 9)))
        for table, axis in ((small, few), (large, many))
    ]
    assert abs(values[0].value - values[1].value) <= values[0].gap + values[1].gap + 1e-5


def test_too_few_turns_are_told_by_the_gap():
    rng = np.random.default_rng(7)
    first, second = line(np.sort(rng.random(40))), line(np.sort(rng.random(40)))
    excess = levelled(rng, first, second)
    hasty, patient = (cheapest_flow(excess, first, second, turns=turns) for turns in (3, 2_000))
    assert hasty.gap > patient.gap
    assert abs(hasty.value - patient.value) <= hasty.gap + patient.gap


def test_a_start_near_the_plan_saves_turns():
    rng = np.random.default_rng(9)
    first, second = line(np.sort(rng.random(40)), np.ones(40)), line(np.sort(rng.random(30)))
    excess = levelled(rng, first, second)
    patient = cheapest_flow(excess, first, second, tolerance=5e-5)
    cold, warm = (cheapest_flow(excess, first, second, turns=10, start=start) for start in (None, patient))
    assert warm.gap < cold.gap / 5
    assert abs(warm.value - patient.value) <= warm.gap + patient.gap


def test_one_thread_within_one_thread_changes_nothing_on_the_way_out():
    with one_thread():
        with one_thread():
            pass
        assert {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"} == {
            1
        }


def test_the_number_of_threads_is_given_back():
    before = [library["num_threads"] for library in threadpool_info()]
    cheapest_flow(np.array([[0.5], [-0.5]]), star(2), star(1))
    assert [library["num_threads"] for library in threadpool_info()] == before
