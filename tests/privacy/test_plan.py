import math
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtr, ndtri

from understudy.errors import BudgetError, ParameterError
from understudy.privacy import plan
from understudy.privacy.accounting import account
from understudy.privacy.budget import Budget
from understudy.privacy.events import DiscreteGaussian, Gaussian, Pure, SampledGaussian, Selection
from understudy.privacy.meeting import cost, meets
from understudy.privacy.plan import Ask, allot

COUNTS = Ask("counts", "cells", "measure", "counts", 0.6, count=14)
SUMS = Ask("sums", "products", "measure", "sums", 0.3)
CUTS = Ask("cuts", "cuts", "select", "selections", 0.1, count=30)
DELTA = Ask("delta", "chance", "schema", "delta", 1.0)
FILTER = Ask("filter", "tables", "measure", "adaptive", 0.5)
STEPS = Ask("steps", "gradients", "train", "steps", 1.0, count=500, rate=0.01)
BUDGETS = [
    Budget(epsilon=0.05, delta=1e-9),
    Budget(epsilon=1.0, delta=1e-9),
    Budget(epsilon=8.0, delta=1e-5),
    Budget.gdp(mu=0.5),
    Budget.zcdp(rho=0.05),
    Budget.separation(0.1),
    Budget.advantage(0.1),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: f"{b.measure} {b.amount:g}")
def test_a_plan_costs_what_the_budget_allows_within_one_percent_and_never_more(budget):
    events = allot([COUNTS, SUMS, CUTS], budget)
    spent = cost(events.values(), budget)
    assert meets(events.values(), budget)
    assert 0.99 * budget.amount <= spent <= budget.amount


@pytest.mark.parametrize("budget", [b for b in BUDGETS if b.measure != "rho"])
def test_the_chance_of_telling_a_level_is_part_of_the_price(budget):
    events = allot([COUNTS, DELTA], budget)
    assert events["delta"].delta == pytest.approx(plan.DELTA_SHARE * budget.delta)
    assert 0.99 * budget.amount <= cost(events.values(), budget) <= budget.amount


@pytest.mark.parametrize("budget", [Budget(epsilon=2.0, delta=1e-6), Budget.separation(0.1)])
def test_sampled_steps_are_brought_close_to_the_budget_too(budget):
    events = allot([STEPS], budget)
    assert isinstance(events["steps"], SampledGaussian)
    assert 0.99 * budget.amount <= cost(events.values(), budget) <= budget.amount


def test_every_form_becomes_its_event_at_its_share_of_rho():
    events = allot([COUNTS, SUMS, CUTS], Budget.zcdp(rho=0.08))
    assert [type(event) for event in events.values()] == [DiscreteGaussian, Gaussian, Selection]
    assert [event.count for event in events.values()] == [14, 1, 30]
    assert events["counts"].sigma == pytest.approx(math.sqrt(14 / (2 * 0.048)), rel=2e-3)
    assert events["sums"].noise == pytest.approx(math.sqrt(1 / (2 * 0.024)), rel=2e-3)
    assert events["cuts"].epsilon == pytest.approx(math.sqrt(8 * 0.008 / 30), rel=2e-3)


def test_twice_the_share_is_half_the_variance():
    events = allot([SUMS, Ask("more", "sums", "measure", "sums", 0.6)], Budget(epsilon=1.0, delta=1e-6))
    assert events["sums"].noise ** 2 == pytest.approx(2 * events["more"].noise ** 2)


@given(st.floats(0.01, 20), st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12]))
@settings(max_examples=25)
def test_any_budget_that_can_be_stated_is_met_and_used(epsilon, delta):
    budget = Budget(epsilon=epsilon, delta=delta)
    events = allot([SUMS, Ask("more", "sums", "measure", "sums", 2.0, count=7)], budget)
    assert 0.99 * epsilon <= cost(events.values(), budget) <= epsilon


def test_a_larger_budget_gives_less_noise():
    noises = [allot([SUMS], Budget(epsilon=e, delta=1e-9))["sums"].noise for e in (0.1, 1.0, 10.0)]
    assert noises == sorted(noises, reverse=True)


def test_only_a_few_prices_are_computed(monkeypatch):
    calls = []
    monkeypatch.setattr(plan, "cost", lambda *given: calls.append(1) or cost(*given))
    for budget in BUDGETS:
        calls.clear()
        allot([COUNTS, SUMS, CUTS], budget)
        assert len(calls) <= 6


def test_a_plan_for_two_hundred_columns_takes_seconds():
    wide = [
        Ask("counts", "cells", "measure", "counts", 0.6, count=200),
        Ask("cuts", "cuts", "select", "selections", 0.1, count=1_200),
        SUMS,
        DELTA,
    ]
    start = time.perf_counter()
    allot(wide, Budget(epsilon=1.0, delta=1e-9))
    assert time.perf_counter() - start < 20


def test_a_measure_without_a_delta_has_no_room_for_discovering_levels():
    with pytest.raises(BudgetError, match=r"declare the levels .* \(epsilon, delta\) or Budget.gdp"):
        allot([COUNTS, DELTA], Budget.zcdp(rho=1.0))


@pytest.mark.parametrize("mu", [0.05, 0.5])
@pytest.mark.parametrize("delta", [1e-9, 1e-6])
@pytest.mark.parametrize("asks", [[SUMS], [COUNTS, SUMS], [FILTER, COUNTS]], ids=lambda asks: asks[0].name)
def test_noise_and_chances_within_a_mu_lie_under_its_curve_together(asks, mu, delta):
    events = allot([*asks, DELTA], Budget(measure="mu", amount=mu, delta=delta))
    aside = events.pop("delta").delta
    assert aside == pytest.approx(plan.DELTA_SHARE * delta)
    # Exactly what noise of this mu and a chance of telling all give: no less than what these events give.
    noise = account(tuple(events.values())).mu() - 1e-5 * (len(asks) > 1)
    fpr = ndtr(np.linspace(ndtri(1e-6), -ndtri(1e-6), 500))
    reached = aside + (1 - aside) * ndtr(noise + ndtri(np.minimum(fpr / (1 - aside), 1.0)))
    assert np.all(reached <= ndtr(mu + ndtri(fpr)) * (1 + 1e-12))


def test_a_chance_that_no_mu_has_room_for_is_refused():
    with pytest.raises(BudgetError, match="too small"):
        allot([SUMS, DELTA], Budget(measure="mu", amount=0.01, delta=1e-2))


def test_a_delta_of_nought_is_refused_where_one_is_needed():
    with pytest.raises(BudgetError, match="needs a delta above 0"):
        allot([CUTS, DELTA], Budget(epsilon=1.0, delta=0.0))
    for ask in (SUMS, COUNTS, CUTS, STEPS):
        with pytest.raises(BudgetError, match="needs a delta above 0"):
            allot([ask], Budget(epsilon=1.0, delta=0.0))


def test_a_budget_too_small_or_too_large_for_any_noise_is_refused():
    with pytest.raises(BudgetError, match="too small"):
        allot([SUMS], Budget.zcdp(rho=1e-20))
    with pytest.raises(BudgetError, match="so large"):
        allot([SUMS], Budget.zcdp(rho=1e12))


def test_a_plan_of_chances_alone_takes_them_as_they_are():
    budget = Budget(epsilon=1.0, delta=1e-6)
    assert allot([DELTA], budget) == {"delta": Pure(0.0, plan.DELTA_SHARE * 1e-6)}
    assert allot([], budget) == {}


def test_two_reads_of_one_name_are_refused():
    with pytest.raises(ParameterError, match="same name"):
        allot([SUMS, SUMS], Budget(epsilon=1.0))


@pytest.mark.parametrize(
    "wrong", [{"share": 0.0}, {"share": -1.0}, {"count": 0}, {"rate": 0.0}, {"rate": 1.1}]
)
def test_an_ask_for_nothing_is_refused(wrong):
    given = {"name": "a", "what": "b", "phase": "train", "form": "steps", "share": 1.0} | wrong
    with pytest.raises(ParameterError, match="must be positive"):
        Ask(**given)


def test_a_price_that_jumps_is_met_all_the_same():
    """An accountant that rounds to whole numbers: the search falls back to halving the bracket."""
    found = plan._largest(lambda rho: max(1.0, math.floor(10 * rho)), Budget.zcdp(rho=3.5))
    assert 10 * found < 4.0
    assert 10 * found > 3.98


def test_a_price_that_is_infinite_at_first_is_met_all_the_same():
    found = plan._largest(lambda rho: rho if rho < 1e-3 else math.inf, Budget.zcdp(rho=3.5))
    assert 0.99e-3 < found < 1e-3


def test_votes_are_priced_as_counts_of_which_one_row_moves_each_by_one():
    votes = Ask("votes", "votes", "train", "votes", 1.0, count=6_400)
    (event,) = allot([votes], Budget.zcdp(rho=0.08)).values()
    assert isinstance(event, DiscreteGaussian) and event.count == 6_400
    assert event.sigma == pytest.approx(math.sqrt(6_400 / (2 * 0.08)), rel=2e-3)
