"""Renyi divergences of events against dp-accounting, and their conversion."""

import math

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, LaplaceDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.rdp import RdpAccountant

from understudy.privacy.closed_forms import epsilon_of_rho
from understudy.privacy.events import (
    Concentrated,
    Gaussian,
    Laplace,
    Open,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
)
from understudy.privacy.renyi import ORDERS, divergences, renyi_delta, renyi_epsilon, slack

PAIRS = [
    (Gaussian(2.0, 3), SelfComposedDpEvent(GaussianDpEvent(2.0), 3)),
    (Laplace(3.0, 2), SelfComposedDpEvent(LaplaceDpEvent(3.0), 2)),
    (
        SampledGaussian(1.1, 0.02, 50),
        SelfComposedDpEvent(PoissonSampledDpEvent(0.02, GaussianDpEvent(1.1)), 50),
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_epsilon_agrees_with_dp_accounting(ours, theirs):
    accountant = RdpAccountant(list(ORDERS))
    accountant.compose(theirs)
    assert renyi_epsilon(divergences([ours]), 1e-6) == pytest.approx(accountant.get_epsilon(1e-6), rel=2e-3)


def test_zcdp_events_agree_with_the_closed_form():
    assert renyi_epsilon(divergences([Concentrated(0.05)]), 1e-9) == pytest.approx(
        epsilon_of_rho(0.05, 1e-9), rel=2e-3
    )


def test_epsilon_and_delta_invert_each_other():
    curve = divergences([Gaussian(1.0)])
    assert renyi_delta(curve, renyi_epsilon(curve, 1e-7)) == pytest.approx(1e-7, rel=1e-6)


def test_a_selection_costs_less_than_its_epsilon_squared_over_two():
    assert (divergences([Selection(0.5)]) <= divergences([Pure(0.5)])).all()


def test_an_open_read_has_no_finite_divergence():
    curve = divergences([Open(), Gaussian(1.0)])
    assert np.isinf(curve).all() and math.isinf(renyi_epsilon(curve, 1e-5)) and renyi_delta(curve, 1.0) == 1.0


def test_a_known_curve_is_rounded_up_between_its_orders_and_infinite_beyond():
    curve = divergences([Renyi((2.0, 4.0), (0.1, 0.3))], np.array([1.5, 2.0, 3.0, 4.0, 5.0]))
    assert curve.tolist() == [0.1, 0.1, 0.3, 0.3, math.inf]


def test_deltas_beside_the_curve_are_added_up():
    assert slack([Pure(0.1, 1e-6), Gaussian(1.0), Pure(0.0, 2e-6)]) == pytest.approx(3e-6)
