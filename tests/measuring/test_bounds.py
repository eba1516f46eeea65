import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import beta

from understudy.errors import ParameterError
from understudy.measuring.bounds import Bounds, bounds_of, bounds_of_several
from understudy.privacy import Certificate, Entry
from understudy.privacy.events import Gaussian

N = 20_000


def shifted(mu, seed=0, n=N):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), mu + rng.normal(size=n)


def randomised_response(epsilon, seed=0, n=N):
    rng, right = np.random.default_rng(seed), 1 / (1 + math.exp(-epsilon))
    return (rng.random(n) > right).astype(float), (rng.random(n) < right).astype(float)


@pytest.mark.parametrize(("mu", "off"), [(0.2, 0.14), (1.0, 0.15), (3.0, 0.5)])
def test_two_gaussians_are_found_to_be_nearly_as_far_apart_as_they_are_and_no_farther(mu, off):
    found = bounds_of(*shifted(mu), delta=0.0)
    assert mu - off < found.mu < mu


def test_the_direction_of_a_statistic_does_not_matter():
    without, having = shifted(1.0)
    assert bounds_of(-without, -having, delta=0.0).mu == pytest.approx(0.95, abs=0.1)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_randomised_response_is_found_to_be_nearly_as_private_as_it_is_and_no_more(epsilon):
    found = bounds_of(*randomised_response(epsilon), delta=0.0)
    assert epsilon - 0.3 < found.epsilon < epsilon


def test_a_delta_explains_a_part_of_what_is_seen():
    without, having = np.zeros(N), (np.arange(N) % 100 < 2).astype(float)
    assert bounds_of(without, having, delta=0.0).epsilon > 1
    assert bounds_of(without, having, delta=0.05).epsilon == 0


def test_a_row_that_is_found_in_every_run_bounds_epsilon_as_the_exact_interval_says():
    found = bounds_of(np.zeros(2_000), np.ones(2_000), delta=0.0)
    never = beta.ppf(1 - 0.0005, 1, 1_000)
    assert found.epsilon == pytest.approx(math.log((1 - never) / never))


def test_equal_tables_are_hardly_ever_told_apart():
    found = [bounds_of(*shifted(0.0, seed, 400), delta=0.0, confidence=0.9) for seed in range(200)]
    assert np.mean([each.mu > 0 for each in found]) <= 0.1
    assert np.mean([each.epsilon > 0 for each in found]) <= 0.1


def test_a_bound_above_the_truth_is_as_rare_as_stated():
    over = [bounds_of(*shifted(0.5, seed, 400), delta=0.0, confidence=0.9).mu > 0.5 for seed in range(200)]
    assert np.mean(over) <= 0.1


def test_several_statistics_find_what_the_best_finds_at_a_price():
    (plain, moved), (noise, other) = shifted(1.0), shifted(0.0, seed=5)
    alone = bounds_of(plain, moved, delta=0.0)
    several = bounds_of_several({"a": noise, "b": plain}, {"a": other, "b": moved}, delta=0.0)
    assert 0.8 < several.mu < alone.mu
    assert several.epsilon <= alone.epsilon


def test_infinite_values_are_the_strongest_evidence():
    without, having = shifted(0.0)
    having[:2_000] = np.inf
    assert bounds_of(without, having, delta=0.0).epsilon > 2


def test_a_certificate_leaves_room_for_what_it_states():
    certificate = Certificate((Entry("noisy sums", "measure", Gaussian(2.0)),))  # mu is a half
    found = bounds_of(*shifted(0.5), delta=1e-6)
    assert found.allowed(certificate) == pytest.approx(0.5, abs=0.01)
    assert found.within(certificate)
    assert not bounds_of(*shifted(1.0), delta=1e-6).within(certificate)
    assert not Bounds(99.0, 0.0, 0.3, 1e-6).within(certificate)


def test_no_false_alarm_at_all_or_nothing_but_such_bounds_no_mu():
    certificate = Certificate((Entry("noisy sums", "measure", Gaussian(2.0)),))
    assert Bounds(0.0, 0.0, 0.0, 1e-6).allowed(certificate) == math.inf
    assert Bounds(0.0, 0.0, 1.0, 1e-6).allowed(certificate) == math.inf


@pytest.mark.parametrize("broken", [np.zeros(3), np.array([0.0, 1.0, np.nan, 2.0])])
def test_too_few_runs_and_no_numbers_are_refused(broken):
    with pytest.raises(ParameterError, match="bounds_of"):
        bounds_of(broken, np.zeros(8), delta=0.0)


def test_groups_that_do_not_overlap_prove_all_that_so_many_runs_can():
    # The threshold is in the middle of the gap, not at its edge: all 100 held runs are on their side.
    without, having = np.random.default_rng(0).random((2, 200))
    found = bounds_of(without, having + 5, delta=0.0)
    assert found.mu == pytest.approx(2 * ndtri(beta.ppf(0.0005, 100, 1)))


@pytest.mark.parametrize("having", [np.full(8, np.inf), np.tile([-np.inf, np.inf], 4), np.zeros(8)])
def test_thresholds_between_equal_and_infinite_values_are_numbers(having):
    assert bounds_of(np.zeros(8), having, delta=0.0).mu >= 0
