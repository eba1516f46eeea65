"""Accountants agree: ours against Opacus' PRV and RDP, and no plan however odd brings a wrong kind of answer.

Opacus is a test dependency. Its PRV accountant states its error: the true epsilon lies within it.
"""

from __future__ import annotations

import itertools
import logging
import math
import time
import warnings

import numpy as np
import pytest

from understudy.privacy.accounting import account
from understudy.privacy.events import SampledGaussian

accountants = pytest.importorskip("opacus.accountants", reason="opacus is not installed")

ERROR = 0.01  # absolute, what PRV is asked for
DELTAS = (1e-5, 1e-6)


def plans():
    """Return 200 plans of sampled steps: noise, rate, steps, delta."""
    noises = (0.6, 0.8, 1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 0.7, 3.0)
    rates = (0.001, 0.004, 0.01, 0.03, 0.1)
    counts = (50, 400)
    return [
        (noise, rate, steps * (1 if noise < 1 else 5), delta)
        for noise, rate, steps, delta in itertools.product(noises, rates, counts, DELTAS)
    ]


PLANS = plans()
SOME = PLANS[::7]


def prv_epsilon(noise, rate, steps, delta):
    """Return Opacus' lower bound, estimate and upper bound."""
    accountant = accountants.PRVAccountant()
    accountant.history = [(noise, rate, steps)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when an order that it tries first is the last of its list
        spent = accountant._get_dprv(eps_error=ERROR, delta_error=delta / 1000)
    return spent.compute_epsilon(delta, delta / 1000, ERROR)


def check(plan):
    noise, rate, steps, delta = plan
    ours = account((SampledGaussian(noise, rate, steps),)).epsilon(delta)
    low, estimate, high = prv_epsilon(noise, rate, steps, delta)
    assert low <= estimate <= high
    assert ours >= low, f"{plan}: ours {ours} is below PRV's lower bound {low}"
    assert ours <= estimate * 1.02 + ERROR, f"{plan}: ours {ours} is far above PRV's {estimate}"
    renyi = rdp_epsilon(noise, rate, steps, delta)
    assert ours <= renyi * 1.001 + 1e-3, f"{plan}: ours {ours} is above Opacus' Renyi bound {renyi}"


def rdp_epsilon(noise, rate, steps, delta):
    orders = [1 + x / 10 for x in range(1, 100)] + list(range(12, 64)) + [80, 128, 256, 512, 1024]
    from opacus.accountants.analysis import rdp as analysis

    rdp = analysis.compute_rdp(q=rate, noise_multiplier=noise, steps=steps, orders=orders)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when the best order is the first or the last
        return float(analysis.get_privacy_spent(orders=orders, rdp=rdp, delta=delta)[0])


def test_there_are_two_hundred_plans():
    assert len(set(PLANS)) == 200
    assert len(SOME) >= 28


@pytest.mark.parametrize("plan", SOME, ids=str)
def test_ours_is_never_below_the_prv_lower_bound_and_close_to_it(plan):
    check(plan)


@pytest.mark.slow
def test_all_two_hundred_plans_agree():
    for plan in PLANS:
        check(plan)


# D8: 500 plans from the ordinary to the absurd.
ODD = [
    (noise, rate, steps)
    for noise in (0.05, 0.3, 1.0, 5.0, 50.0)
    for rate in (1e-6, 1e-3, 0.1, 1.0)
    for steps in (1, 100, 10_000, 1_000_000, 1_000_000_000)
]
TINY = (1e-3, 1e-5, 1e-9, 1e-12, 1e-18)


def check_odd(noise, rate, steps, caplog):
    began = time.perf_counter()
    with caplog.at_level(logging.INFO, logger="understudy.privacy.accounting"):
        curve = account((SampledGaussian(noise, rate, steps),))
        epsilons = [curve.epsilon(delta) for delta in TINY]
    assert time.perf_counter() - began < 120
    assert all(epsilon >= 0 and not math.isnan(epsilon) for epsilon in epsilons)
    assert epsilons == sorted(epsilons), "a smaller delta must not have a smaller epsilon"
    assert all(0 <= curve.delta(epsilon) <= 1 for epsilon in (0.01, 1.0, 1000.0))
    return epsilons


def test_there_are_five_hundred_odd_points():
    assert len(ODD) * len(TINY) == 500


@pytest.mark.parametrize(("noise", "rate", "steps"), ODD[::9])
def test_no_odd_plan_has_an_answer_of_the_wrong_kind(noise, rate, steps, caplog):
    check_odd(noise, rate, steps, caplog)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_odd_points_are_finite_or_infinite_never_negative_and_monotone(caplog):
    found = {plan: check_odd(*plan, caplog) for plan in ODD}
    for (noise, rate, steps), epsilons in found.items():
        longer = found.get((noise, rate, steps * 100))
        if longer is not None:
            assert all(np.array(longer) >= np.array(epsilons) * (1 - 1e-6) - 1e-6)


def test_a_plan_that_no_distribution_can_be_computed_for_falls_back_and_says_so(caplog):
    with caplog.at_level(logging.INFO, logger="understudy.privacy.accounting"):
        curve = account((SampledGaussian(5.0, 1e-4, 999_999_999),))
    assert "the Renyi bound is used" in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert 0 < curve.epsilon(1e-6) < math.inf
