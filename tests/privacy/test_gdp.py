"""What noise and choices cost in mu: against every test there is, and against known answers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtr, ndtri

from understudy.errors import ParameterError
from understudy.privacy import gdp
from understudy.privacy.accounting import account
from understudy.privacy.events import DiscreteGaussian, Gaussian, GaussianDP, Laplace, Pure, Selection
from understudy.privacy.gdp import (
    epsilon_of_choice,
    mu_of,
    mu_of_choice,
    mu_of_counts,
    sigma_of_counts,
    squared_mu,
)


def excess(first, second, mu):
    """Return by how much the best tests find the second law beyond what mu allows; at most 0 if it holds."""
    order = np.argsort(first / second, kind="stable")
    fpr, tpr = np.cumsum(first[order])[:-1], np.cumsum(second[order])[:-1]
    inside = (fpr > 1e-300) & (fpr < 1) & (tpr < 1)
    return float(np.max(tpr[inside] - ndtr(ndtri(fpr[inside]) + mu), initial=-1.0))


def neighbours(sigma):
    """Return the laws of discrete Gaussian noise, and of that noise on a count that is 1 larger."""
    support = np.arange(-math.ceil(12 * sigma) - 4, math.ceil(12 * sigma) + 5)
    law = np.exp(-(support**2) / (2 * sigma**2))
    return np.append(law, 1e-300) / law.sum(), np.append(1e-300, law) / law.sum()


@pytest.mark.parametrize("sigma", [0.3, 0.5, 1.0, 2.0, 3.7, 20.0, 300.0])
def test_no_test_of_a_noisy_count_does_better_than_its_mu_and_one_does_as_well(sigma):
    first, second = neighbours(sigma)
    mu = mu_of_counts(sigma)
    assert excess(first, second, mu) <= 1e-12 < excess(first, second, 0.999 * mu)
    assert excess(second, first, mu) <= 1e-12


def test_noise_on_whole_numbers_costs_a_little_more_than_on_a_line():
    sigmas = [0.5, 1.0, 2.0, 10.0, 100.0, 900.0]
    more = [mu_of_counts(sigma) * sigma - 1 for sigma in sigmas]
    assert all(0 < after < before for before, after in itertools.pairwise(more))
    assert more[-2] == pytest.approx(1 / (24 * 100.0**2), rel=1e-2)  # the variance less 1/12


@pytest.mark.parametrize("sigma", [1_000.0, 2_000.0, 20_000.0])
def test_what_is_said_of_wide_noise_without_looking_is_not_too_little(monkeypatch, sigma):
    told = mu_of_counts(sigma)
    monkeypatch.setattr(gdp, "_WIDE", math.inf)
    assert mu_of_counts.__wrapped__(sigma) <= told <= (1 + 1e-5) / sigma


@pytest.mark.parametrize("sigma", [0.03, 0.05])
def test_what_is_said_of_tiny_noise_without_looking_is_not_too_little(monkeypatch, sigma):
    told = mu_of_counts(sigma)
    assert mu_of_counts(1e-160) == 2e160
    monkeypatch.setattr(gdp, "_TINY", 0.0)
    assert mu_of_counts.__wrapped__(sigma) <= told == 2 / sigma


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.inf, math.nan])
def test_no_noise_has_no_mu(sigma):
    with pytest.raises(ParameterError):
        mu_of_counts(sigma)


@given(
    scores=st.lists(st.floats(-8, 8), min_size=2, max_size=12),
    moves=st.lists(st.floats(-1, 1), min_size=12, max_size=12),
    epsilon=st.floats(0.01, 6),
)
def test_no_test_of_a_choice_does_better_than_its_mu(scores, moves, epsilon):
    laws = []
    for moved in (0.0, 1.0):
        weights = np.exp(epsilon / 2 * (np.array(scores) + moved * np.array(moves[: len(scores)])))
        laws.append(weights / weights.sum())
    assert excess(*laws, mu_of_choice(epsilon)) <= 1e-9
    assert excess(*laws[::-1], mu_of_choice(epsilon)) <= 1e-9


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0])
def test_one_choice_costs_all_of_its_mu(epsilon):
    # Two candidates, one up by 1 and one down: the worst there is. As zCDP has it, mu would be epsilon / 2.
    law = np.array([1.0, math.exp(epsilon / 2)]) / (1 + math.exp(epsilon / 2))
    assert excess(law, law[::-1], 0.999 * mu_of_choice(epsilon)) > 0
    assert excess(law, law[::-1], epsilon / 2) > 0


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_the_worst_choice_is_the_even_one(epsilon):
    middle = np.linspace(-12, 12, 2_001)
    chances = [1 / (1 + np.exp(-(middle + sign * epsilon / 2))) for sign in (-1, 1)]
    gaps = ndtri(chances[1]) - ndtri(chances[0])
    assert gaps.max() <= mu_of_choice(epsilon) <= gaps.max() * (1 + 1e-8)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-16, 1e-12, 1e-8, 0.99e-3, 1.01e-3])
def test_small_choices_are_priced_by_the_steepest_slope_and_no_lower(epsilon):
    # g(x) = x sqrt(pi / 8) (1 - x^2 (1/3 - pi/12)...): by its own terms, as digits cancel in the quantiles.
    truth = math.sqrt(math.pi / 8) * epsilon * (1 - epsilon**2 / 4 * (4 - math.pi) / 48)
    assert truth * (1 - 1e-9) <= mu_of_choice(epsilon) <= math.sqrt(math.pi / 8) * epsilon * (1 + 2e-9)
    assert account((Selection(1e-12, 10**26),)).epsilon(1e-9) > 1.0


@given(mu=st.floats(1e-15, 30))
def test_noise_of_a_mu_costs_a_hair_less(mu):
    assert mu * (1 - 1e-5) <= mu_of_choice(epsilon_of_choice(mu)) <= mu
    Selection(epsilon_of_choice(mu))


@pytest.mark.parametrize("mu", [38.99, 39.0, 39.62, 39.9, 40.0, 40.01, 41.0, 1e6])
def test_counts_of_a_large_mu_cost_no_more_and_little_less(mu):
    assert 0.97 * mu <= mu_of_counts(sigma_of_counts(mu)) <= mu


@given(mu=st.floats(1e-6, 12))
@settings(deadline=None)
def test_counts_of_a_mu_cost_a_hair_less(mu):
    assert mu * (1 - 2e-5) <= mu_of_counts(sigma_of_counts(mu)) <= mu


def test_squares_add_up_and_what_has_no_mu_has_none():
    events = (Gaussian(2.0, 4), GaussianDP(0.5), DiscreteGaussian(5.0, 2), Selection(0.3, 3))
    squares = 1 + 0.25 + 2 * mu_of_counts(5.0) ** 2 + 3 * mu_of_choice(0.3) ** 2
    assert mu_of(events) == pytest.approx(math.sqrt(squares))
    assert mu_of((*events, Laplace(2.0))) is None
    assert squared_mu(Pure(1.0)) is None


def even(epsilon):
    """Return the two laws of the worst choice of this epsilon."""
    chance = 1 / (1 + math.exp(-epsilon / 2))
    return np.array([1 - chance, chance]), np.array([chance, 1 - chance])


def adaptive(left, shares):
    """Return the laws of all outputs of a run that takes a share of what is left, chosen by what was told."""
    laws = even(epsilon_of_choice(math.sqrt(left * shares[0])))
    if len(shares) == 1:
        return laws
    found = []
    for told in (0, 1):
        rest = shares[1:] if told else shares[:0:-1]  # what was told decides in which order shares are taken
        after = adaptive(left * (1 - shares[0]), rest)
        found.append([law[told] * then for law, then in zip(laws, after, strict=True)])
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


@given(mu=st.floats(0.05, 3), shares=st.lists(st.floats(0.05, 1.0), min_size=2, max_size=8))
@settings(deadline=None)
def test_a_run_whose_noise_is_chosen_as_it_goes_stays_within_the_mu_of_its_filter(mu, shares):
    assert excess(*adaptive(mu**2, shares), mu) <= 1e-9
