"""Closed forms against known answers and brute force."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from understudy.errors import ParameterError
from understudy.privacy import closed_forms as forms


@pytest.mark.parametrize(
    ("separation", "mu", "advantage", "epsilon", "tpr"),
    [
        (0.10, 0.356368, 0.1414, 1.368, 0.0244),
        (0.15, 0.538160, 0.2121, 2.164, 0.0369),
        (0.2, 0.724521, 0.2828, 3.026, 0.0546),
    ],
)
def test_separation_converts_as_in_paper_000(separation, mu, advantage, epsilon, tpr):
    found = forms.mu_of_separation(separation)
    assert found == pytest.approx(mu, abs=1e-6)
    assert forms.separation_of_mu(found) == pytest.approx(separation, abs=1e-12)
    assert forms.advantage_of_mu(found) == pytest.approx(advantage, abs=1e-4)
    assert forms.epsilon_of_mu(found, 1e-5) == pytest.approx(epsilon, abs=1e-3)
    assert forms.tpr_of_mu(found, 0.01) == pytest.approx(tpr, abs=1e-4)


@pytest.mark.parametrize(
    ("sigma", "value"),
    [
        (0.2, 379486),
        (0.25, 4215.7),
        (0.3, 365.81),
        (0.5, 10.2957),
        (0.7, 3.5457),
        (1, 1.71014),
        (2, 0.62755),
        (5, 0.21746),
    ],
)
def test_h_of_paper_000_has_its_known_values(sigma, value):
    assert forms.h(sigma) == pytest.approx(value, rel=2e-5)


def test_sigma_of_0_2_at_separation_0_1_allows_no_training_at_all():
    # One step of a batch of one costs (b / N) h: it fits mu only from a million rows on.
    allowed = (forms.mu_of_separation(0.1) / forms.h(0.2)) ** 2
    assert allowed == pytest.approx(8.8e-13, rel=0.01)
    assert 1 / math.sqrt(allowed) == pytest.approx(1.065e6, rel=0.001)


@given(st.floats(0.01, 6), st.floats(0, 20))
def test_delta_of_mu_is_the_hockey_stick_of_two_normals(mu, epsilon):
    grid = np.linspace(-12, 12 + mu, 200_001)
    gap = np.maximum(norm.pdf(grid, mu) - np.exp(epsilon) * norm.pdf(grid), 0)
    assert forms.delta_of_mu(mu, epsilon) == pytest.approx(np.trapezoid(gap, grid), rel=1e-3, abs=1e-9)


@given(st.floats(0.01, 10), st.floats(1e-12, 1e-2))
def test_epsilon_of_mu_inverts_delta_of_mu(mu, delta):
    epsilon = forms.epsilon_of_mu(mu, delta)
    assert epsilon == 0 or forms.delta_of_mu(mu, epsilon) == pytest.approx(delta, rel=1e-6)


@given(st.floats(0.01, 20), st.floats(1e-12, 1e-2))
def test_mu_of_epsilon_inverts_epsilon_of_mu(epsilon, delta):
    assert forms.epsilon_of_mu(forms.mu_of_epsilon(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-6)


@given(st.floats(1e-4, 20), st.floats(1e-12, 1e-2))
def test_the_zcdp_conversion_is_the_best_over_all_orders(rho, delta):
    orders = 1 + np.geomspace(1e-3, 1e6, 20_000)
    brute = np.min(rho * orders + np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1))
    assert forms.epsilon_of_rho(rho, delta) == pytest.approx(max(brute, 0.0), rel=1e-3, abs=1e-6)


def test_nothing_spent_is_nothing_revealed_and_everything_is_everything():
    assert (
        forms.delta_of_mu(0.0, 1.0) == forms.epsilon_of_mu(0.0, 1e-9) == forms.epsilon_of_rho(0.0, 1e-9) == 0
    )
    assert forms.delta_of_mu(math.inf, 1.0) == 1
    assert math.isinf(forms.epsilon_of_mu(1.0, 0.0))


@pytest.mark.parametrize("bad", [-0.1, 0.7072, math.nan])
def test_an_impossible_separation_is_refused(bad):
    with pytest.raises(ParameterError):
        forms.mu_of_separation(bad)


def test_the_central_limit_formula_is_what_paper_000_prints_and_too_small():
    mu = forms.clt_mu(noise=0.5, batch=64, rows=32_561, epochs=1)
    assert forms.epsilon_of_mu(mu, 1e-5) == pytest.approx(1.799, abs=2e-3)  # the exact value is 4.000
