"""A budget that bounds nothing, or is no number, is refused before anything is read."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from understudy.errors import BudgetError
from understudy.privacy.budget import Budget

BAD = [0, None, float("nan"), float("inf"), -1, -0.0, True, False, "1", "", [1.0], {"epsilon": 1}, b"1", 1j]
MAKERS = [lambda x: Budget(epsilon=x), Budget.gdp, Budget.separation, Budget.zcdp, Budget.advantage]
NAMES = ["epsilon", "mu", "separation", "rho", "advantage"]


@pytest.mark.parametrize("value", BAD, ids=repr)
@pytest.mark.parametrize(("make", "name"), list(zip(MAKERS, NAMES, strict=True)), ids=NAMES)
def test_a_bad_amount_is_refused_by_name(make, name, value):
    with pytest.raises(BudgetError, match=f"^Budget: {name} must be "):
        make(value)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.0, 2, None, float("nan"), float("inf"), True, False, "0", []])
def test_a_bad_delta_is_refused(delta):
    with pytest.raises(BudgetError, match=r"^Budget: delta must be a number from 0 to below 1"):
        Budget(epsilon=1.0, delta=delta)


@pytest.mark.parametrize(("make", "name"), list(zip(MAKERS, NAMES, strict=True)), ids=NAMES)
def test_a_good_amount_is_kept_under_its_measure(make, name):
    budget = make(0.1)
    assert (budget.measure, budget.amount) == (name, 0.1)
    assert (budget.epsilon is None) == (name != "epsilon")


def test_a_separation_of_the_root_of_one_half_and_an_advantage_of_one_bound_nothing():
    with pytest.raises(BudgetError):
        Budget.separation(math.sqrt(0.5))
    with pytest.raises(BudgetError):
        Budget.advantage(1.0)
    assert Budget.separation(0.707).amount == 0.707
    assert Budget.advantage(0.999).amount == 0.999


def test_delta_may_be_zero():
    assert Budget(epsilon=1, delta=0).delta == 0


def test_no_budget_at_all_is_not_a_budget():
    with pytest.raises(BudgetError, match="Leave the budget out to fit without privacy"):
        Budget()


def test_an_amount_given_past_the_named_constructors_is_checked_all_the_same():
    for bad in (-1, None, 0, "x"):
        with pytest.raises(BudgetError, match="mu must be"):
            Budget(measure="mu", amount=bad)
    with pytest.raises(BudgetError, match="measure must be one of"):
        Budget(epsilon=1.0, measure="sigma")
    with pytest.raises(BudgetError, match="not both"):
        Budget(epsilon=1.0, measure="mu", amount=1.0)
    with pytest.raises(BudgetError, match="epsilon alone"):
        Budget(epsilon=1.0, amount=2.0)


def test_a_budget_survives_being_taken_apart_and_cannot_be_changed():
    for budget in (Budget(epsilon=1.0, delta=1e-6), Budget.gdp(mu=0.36)):
        assert Budget(**dataclasses.asdict(budget)) == budget
        with pytest.raises(dataclasses.FrozenInstanceError):
            budget.epsilon = 2.0


@pytest.mark.parametrize("number", [np.float32(0.5), np.float64(0.5), Fraction(1, 2)], ids=repr)
@pytest.mark.parametrize("make", MAKERS, ids=NAMES)
def test_a_real_number_of_any_kind_is_kept_as_a_plain_float(make, number):
    assert make(number) == make(0.5)
    assert type(make(number).amount) is float


def test_whole_numbers_of_numpy_and_their_deltas_are_kept_as_plain_floats():
    budget = Budget(epsilon=np.int64(1), delta=np.float32(0.5))
    assert budget == Budget(epsilon=1.0, delta=0.5)
    assert [type(part) for part in (budget.epsilon, budget.delta, budget.amount)] == [float] * 3


def test_a_truth_value_of_numpy_is_no_number():
    with pytest.raises(BudgetError, match="epsilon must be a finite number"):
        Budget(epsilon=np.bool_(True))


@pytest.mark.parametrize("amount", [10**400, Fraction(1, 10**400), -(10**400)], ids=["huge", "tiny", "below"])
def test_numbers_that_no_float_can_hold_are_refused(amount):
    with pytest.raises(BudgetError, match="epsilon must be a finite number > 0"):
        Budget(epsilon=amount)
