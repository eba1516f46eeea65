"""One sampled step, against the library's own distribution of it."""

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from understudy.privacy.sampled_loss import sampled_gaussian

SETTINGS = [(0.1, 0.5), (0.3, 0.02), (0.75, 0.9), (1.0, 1e-5), (2.9, 0.001), (13.0, 0.999), (200.0, 0.3)]


@pytest.mark.parametrize(("noise", "rate"), SETTINGS)
@pytest.mark.parametrize("interval", [1e-3, 1e-2])
def test_the_distribution_is_the_librarys(noise, rate, interval):
    ours = sampled_gaussian(noise, rate, interval)
    theirs = pld.from_gaussian_mechanism(noise, sampling_prob=rate, value_discretization_interval=interval)
    epsilons = np.linspace(-2, 30, 200)
    np.testing.assert_allclose(
        ours.get_delta_for_epsilon(epsilons), theirs.get_delta_for_epsilon(epsilons), rtol=1e-9, atol=1e-13
    )


@pytest.mark.parametrize(("noise", "rate", "steps"), [(0.6, 0.02, 300), (1.1, 0.2, 100), (7.0, 0.05, 10_000)])
def test_many_steps_cost_what_the_library_says(noise, rate, steps):
    # Both round deltas by 1e-16; divided by the gap of the grid, and over many steps, that is what is left.
    grid = {"value_discretization_interval": 1e-3}
    ours = sampled_gaussian(noise, rate, 1e-3).self_compose(steps)
    theirs = pld.from_gaussian_mechanism(noise, sampling_prob=rate, **grid).self_compose(steps)
    for delta in (1e-3, 1e-6, 1e-9):
        assert ours.get_epsilon_for_delta(delta) == pytest.approx(
            theirs.get_epsilon_for_delta(delta), rel=1e-5
        )


@pytest.mark.parametrize("interval", [1e-3, 1e-2, 1e-1])
def test_a_coarser_grid_is_never_cheaper(interval):
    fine = sampled_gaussian(0.9, 0.05, 1e-4).self_compose(100)
    coarse = sampled_gaussian(0.9, 0.05, interval).self_compose(100)
    for delta in (1e-3, 1e-5, 1e-8):
        assert coarse.get_epsilon_for_delta(delta) >= fine.get_epsilon_for_delta(delta) - 1e-9


def test_small_noise_overflows_nowhere():
    found = sampled_gaussian(0.02, 0.5, 0.1)
    assert found.get_delta_for_epsilon(0.0) == pytest.approx(0.5, abs=1e-6)
