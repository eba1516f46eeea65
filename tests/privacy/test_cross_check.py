"""The second opinion: a lower and an upper bound that enclose every right figure, and exclude wrong ones."""

from __future__ import annotations

import math

import pytest

from understudy.privacy.accounting import account
from understudy.privacy.cross_check import bounds, disagreement
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    Parallel,
    Pure,
    SampledGaussian,
    Selection,
)

PLANS = [
    (Gaussian(4.0),),
    (Gaussian(4.0, 7), Laplace(5.0, 2)),
    (SampledGaussian(1.0, 0.01, 1000),),
    (SampledGaussian(0.8, 0.02, 50), Gaussian(5.0)),
    (DiscreteGaussian(20.0, 15), Selection(0.05, 30), Pure(0.0, 1e-10)),
    (Concentrated(0.1),),
    (GaussianDP(0.3),),
    (GaussianDP(0.3), DiscreteGaussian(9.0, 4), Pure(0.0, 1e-7)),
    (Parallel(((Gaussian(4.0), Pure(0.0, 1e-10)), (SampledGaussian(1.0, 0.01, 100),))),),
]


@pytest.mark.parametrize("events", PLANS, ids=str)
def test_the_first_accountant_lies_between_the_bounds(events):
    for delta in (1e-5, 1e-6, 1e-9):
        low, high = bounds(events, delta)
        assert low <= account(events).epsilon(delta) * (1 + 1e-9) <= high * (1 + 1e-3) + 1e-3
    assert disagreement(events, {1e-6: account(events).epsilon(1e-6)}) == ""


@pytest.mark.parametrize("events", PLANS[:4], ids=str)
@pytest.mark.parametrize("factor", [0.9, 1.3])
def test_a_figure_a_little_too_small_or_far_too_large_is_doubted(events, factor):
    wrong = {1e-6: account(events).epsilon(1e-6) * factor}
    assert "lies outside" in disagreement(events, wrong)


def test_one_step_uncounted_and_a_rate_understated_are_doubted():
    ran = (SampledGaussian(0.6, 0.05, 20),)
    for stated in (SampledGaussian(0.6, 0.05, 10), SampledGaussian(0.6, 0.02, 20)):
        assert "lies outside" in disagreement(ran, {1e-6: account((stated,)).epsilon(1e-6)})


def test_rows_read_as_they_are_have_no_bound():
    assert bounds((Open(),), 1e-6) == (math.inf, math.inf)
