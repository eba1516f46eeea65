"""The accountants: known answers, agreement with each other, and what happens when one fails."""

import math

import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtr, ndtri

from understudy.privacy import accounting
from understudy.privacy.accounting import account
from understudy.privacy.closed_forms import delta_of_mu
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
from understudy.privacy.renyi import divergences, renyi_epsilon


@pytest.mark.parametrize(
    ("sigma", "batch", "epochs", "epsilon", "separation"),
    [
        (0.5, 64, 1, 4.000, 0.0664),
        (0.6, 64, 10, 3.415, 0.1406),
        (0.8, 512, 20, 5.586, 0.2748),
        (2, 1024, 100, 4.168, 0.2553),
    ],
)
def test_sampled_steps_have_their_known_epsilon_and_separation(sigma, batch, epochs, epsilon, separation):
    steps = round(32_561 / batch * epochs)
    curve = account((SampledGaussian(sigma, batch / 32_561, steps),))
    assert curve.epsilon(1e-5) == pytest.approx(epsilon, rel=3e-3)
    assert curve.separation() == pytest.approx(separation, abs=3e-4)


def test_ten_thousand_steps_at_the_calibrated_noise_cost_epsilon_one():
    assert account((SampledGaussian(3.8132, 0.01, 10_000),)).epsilon(1e-5) == pytest.approx(1.0, abs=2e-4)


@given(st.floats(0.5, 30), st.integers(1, 50), st.floats(1e-12, 1e-3))
def test_gaussians_compose_to_one_gaussian(noise, count, delta):
    curve = account((Gaussian(noise, count),))
    assert delta_of_mu(math.sqrt(count) / noise, curve.epsilon(delta)) <= delta * (1 + 1e-6)


def test_the_discrete_gaussian_costs_as_much_as_the_continuous_one_when_wide():
    discrete, continuous = (account((kind(9.5, 15),)) for kind in (DiscreteGaussian, Gaussian))
    assert discrete.epsilon(1e-9) == pytest.approx(continuous.epsilon(1e-9), rel=1e-3)
    assert discrete.epsilon(1e-9) >= continuous.epsilon(1e-9) * 0.9999


def test_laplace_costs_its_epsilon_and_no_delta():
    assert account((Laplace(2.0, 3),)).epsilon(1e-12) == pytest.approx(1.5, abs=1e-3)


MIXED = (DiscreteGaussian(20.0, 15), Selection(0.05, 30), Pure(0.0, 1e-10))


@pytest.mark.parametrize(
    "events",
    [
        MIXED,
        (Gaussian(3.0), Laplace(5.0)),
        (SampledGaussian(1.0, 0.01, 200), Gaussian(4.0)),
        (Selection(0.3),),
    ],
)
def test_the_curve_never_exceeds_the_renyi_bound_and_stays_a_curve(events):
    curve = account(events)
    extra = sum(event.delta for event in events if isinstance(event, Pure))
    for delta in (1e-4, 1e-6, 1e-8):
        assert curve.epsilon(delta) <= renyi_epsilon(divergences(events), delta - extra) * (1 + 1e-3)
    deltas = [curve.delta(epsilon) for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0)]
    assert deltas == sorted(deltas, reverse=True)
    rates = [curve.tradeoff(fpr) for fpr in (0.0, 1e-3, 1e-2, 0.1, 0.5, 0.9, 1.0)]
    assert rates == sorted(rates) and all(
        t >= f for t, f in zip(rates, (0, 1e-3, 1e-2, 0.1, 0.5, 0.9, 1), strict=True)
    )
    assert (
        curve.advantage()
        >= max(t - f for t, f in zip(rates, (0, 1e-3, 1e-2, 0.1, 0.5, 0.9, 1), strict=True)) - 1e-9
    )


def test_a_gaussian_tradeoff_computed_numerically_agrees_with_the_formula():
    numeric = accounting._Loss(accounting._composed((Gaussian(2.0),)))
    exact = account((Gaussian(2.0),))
    for fpr in (1e-3, 1e-2, 0.1, 0.5):
        assert numeric.tradeoff(fpr) == pytest.approx(exact.tradeoff(fpr), rel=2e-3)
    assert numeric.mu() == pytest.approx(0.5, rel=5e-3)


def test_an_open_read_outweighs_everything():
    curve = account((Gaussian(100.0), Open()))
    assert math.isinf(curve.epsilon(1e-5)) and math.isinf(curve.mu())
    assert curve.delta(50.0) == curve.tradeoff(0.0) == 1.0
    assert curve.separation() == pytest.approx(math.sqrt(0.5))


def test_nothing_read_is_nothing_revealed():
    curve = account(())
    assert curve.epsilon(0.0) == curve.delta(0.0) == curve.mu() == curve.separation() == 0.0
    assert curve.tradeoff(0.01) == pytest.approx(0.01)


def test_when_the_loss_distribution_fails_the_looser_bound_is_used(monkeypatch):
    events = (SampledGaussian(1.0, 0.013, 321),)

    def broken(_events):
        raise OverflowError

    monkeypatch.setattr(accounting, "_composed", broken)
    account.cache_clear()
    curve = account(events)
    account.cache_clear()
    assert curve.epsilon(1e-6) == pytest.approx(renyi_epsilon(divergences(events), 1e-6))


def test_zcdp_is_priced_through_renyi_divergences():
    assert account((Concentrated(0.05),)).epsilon(1e-9) == pytest.approx(1.882, abs=5e-3)


def test_a_filter_alone_is_priced_as_gaussian_noise_of_its_mu():
    filtered, gaussian = account((GaussianDP(0.5),)), account((Gaussian(2.0),))
    assert filtered.epsilon(1e-6) == gaussian.epsilon(1e-6) and filtered.mu() == 0.5
    assert account((GaussianDP(0.3), GaussianDP(0.4))).epsilon(1e-6) == pytest.approx(filtered.epsilon(1e-6))


def test_no_delta_of_a_filter_is_nought():
    assert account((GaussianDP(0.01),)).delta(50.0) > 0
    assert account((GaussianDP(0.01), DiscreteGaussian(500.0))).delta(50.0) > 0


def test_a_filter_beside_counts_costs_what_the_distribution_of_both_does():
    counts, chance = DiscreteGaussian(20.0, 30), Pure(0.0, 1e-10)
    curve = account((GaussianDP(0.15), counts, chance))
    exact = account((Gaussian(1 / 0.15), counts, chance))
    for delta in (1e-9, 1e-6):
        assert exact.epsilon(delta) <= curve.epsilon(delta) * (1 + 1e-4)
        assert curve.epsilon(delta) == pytest.approx(exact.epsilon(delta), rel=2e-3)
    assert math.isinf(curve.epsilon(5e-11)) and curve.delta(40.0) >= 1e-10
    assert curve.mu() == pytest.approx(math.sqrt(0.15**2 + 30 / 400), rel=1e-2)


def test_a_filter_beside_sampled_steps_is_composed_as_gaussian_noise():
    steps = SampledGaussian(1.0, 0.01, 500)
    both, exact = account((GaussianDP(0.5), steps)), account((Gaussian(2.0), steps))
    assert both.epsilon(1e-6) == pytest.approx(exact.epsilon(1e-6), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
def test_mu_of_a_pure_guarantee_is_not_below_the_truth_between_the_points_it_looks_at(epsilon):
    corner = 1 / (1 + math.exp(epsilon))  # the trade-off curve of epsilon-DP has one corner, and mu is there
    truth = 2 * -ndtri(corner)
    assert truth <= account((Pure(epsilon),)).mu() <= truth + 1e-4


@settings(max_examples=10)
@given(st.floats(0.1, 5), st.floats(1e-6, 1 - 1e-6))
def test_no_point_of_the_curve_lies_above_its_mu(noise, fpr):
    curve = account((Laplace(noise),))
    assert curve.tradeoff(fpr) <= ndtr(curve.mu() + ndtri(fpr)) * (1 + 1e-12)


def test_a_small_delta_set_aside_does_not_blur_the_tradeoff():
    curve = account((DiscreteGaussian(60.0), Pure(0.0, 1e-10)))
    epsilon = curve.epsilon(1e-9)
    assert 0.01 < curve.tradeoff(0.01) <= math.exp(epsilon) * 0.01 * 1.01 + 1e-9


def test_disjoint_runs_cost_the_largest_and_what_comes_beside_them_is_added():
    first, second, beside = Gaussian(3.0), SampledGaussian(1.0, 0.05, 50), Gaussian(5.0)
    whole = account((beside, Parallel(((first,), (second,)))))
    runs = [account((beside, first)), account((beside, second))]
    assert whole.epsilon(1e-6) == max(run.epsilon(1e-6) for run in runs)
    assert whole.delta(0.5) == max(run.delta(0.5) for run in runs)
    assert whole.tradeoff(0.01) == max(run.tradeoff(0.01) for run in runs)
    assert account((Parallel(((first,), (Open(),))),)).epsilon(1e-6) == math.inf
    assert divergences([Parallel(((first,), (beside,)))]) == pytest.approx(divergences([first]))
