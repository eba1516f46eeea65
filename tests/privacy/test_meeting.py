import math

import pytest

from understudy.privacy.budget import Budget
from understudy.privacy.closed_forms import advantage_of_mu, epsilon_of_mu, separation_of_mu
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    Pure,
    SampledGaussian,
    Selection,
)
from understudy.privacy.meeting import cost, meets, rho_of

MU = 0.5
COSTS = {
    Budget(epsilon=9.0, delta=1e-5): epsilon_of_mu(MU, 1e-5),
    Budget.gdp(9.0): MU,
    Budget.zcdp(9.0): MU**2 / 2,
    Budget.separation(0.5): separation_of_mu(MU),
    Budget.advantage(0.5): advantage_of_mu(MU),
}


@pytest.mark.parametrize("budget", COSTS, ids=lambda budget: budget.measure)
def test_the_cost_of_gaussian_noise_is_known_in_every_measure(budget):
    assert cost([Gaussian(1 / MU)], budget) == pytest.approx(COSTS[budget], rel=1e-9)


@pytest.mark.parametrize("measure", ["epsilon", "mu", "rho", "separation", "advantage"])
def test_a_budget_is_met_up_to_its_last_digit_and_not_beyond(measure):
    budget = next(budget for budget in COSTS if budget.measure == measure)
    amount = cost([Gaussian(1 / MU)], budget)
    for factor, met in ((1.0, True), (1 + 1e-9, True), (1 - 1e-9, False)):
        exact = (
            Budget(epsilon=amount * factor, delta=1e-5)
            if measure == "epsilon"
            else Budget(measure=measure, amount=amount * factor)
        )
        assert meets([Gaussian(1 / MU)], exact) is met


@pytest.mark.parametrize("budget", COSTS, ids=lambda budget: budget.measure)
def test_no_budget_is_met_by_rows_that_were_read_as_they_are(budget):
    assert not meets([Open()], budget)


@pytest.mark.parametrize(
    ("event", "rho"),
    [
        (Gaussian(2.0, count=3), 3 / 8),
        (DiscreteGaussian(2.0, count=3), 3 / 8),
        (Selection(0.4, count=5), 0.1),
        (Pure(0.4), 0.08),
        (Concentrated(0.03), 0.03),
        (GaussianDP(0.2), 0.02),
        (Pure(0.4, 1e-9), math.inf),
        (SampledGaussian(2.0, 0.01, 8), 1.0),
        (Laplace(1.0), math.inf),
        (Open(), math.inf),
    ],
    ids=str,
)
def test_every_event_has_its_rate_in_rho_or_none(event, rho):
    assert rho_of([event]) == pytest.approx(rho)


def test_rates_in_rho_add_up():
    assert rho_of([Gaussian(1.0), Selection(2.0)]) == 1.0
