"""Truncated normal laws, beside scipy's, which works them out one by one."""

import numpy as np
import pytest
from scipy.stats import kstest, truncnorm

from understudy.engines.forest.spread import Spread

ONE = Spread(np.array([0.2, 0.0]), np.array([0.3, 0.01]), np.array([-0.5, -1.0]), np.array([0.9, 1.0]))
LEAF = np.zeros(20_000, dtype=np.int64)


def law(low=-0.5, high=0.9):
    return truncnorm((low - 0.2) / 0.3, (high - 0.2) / 0.3, loc=0.2, scale=0.3)


@pytest.mark.parametrize(("low", "high"), [(-0.5, 0.9), (0.7, 0.9), (-0.5, -0.3)])
def test_draws_follow_the_cut_law(low, high):
    drawn = ONE.narrowed(low, high).draw(LEAF, np.random.default_rng(0))
    assert drawn.min() >= low and drawn.max() <= high
    assert kstest(drawn, law(low, high).cdf).pvalue > 1e-6


def test_densities_and_probabilities_are_those_of_the_cut_law():
    places = np.linspace(-0.5, 0.9, 50)
    leaf = np.zeros(50, dtype=np.int64)
    assert np.allclose(ONE.log_density(leaf, places), law().logpdf(places))
    assert np.allclose(ONE.between(leaf, places, places + 0.1), law().cdf(places + 0.1) - law().cdf(places))
    assert ONE.log_density(leaf[:1], np.array([0.95])).tolist() == [-np.inf]


def test_a_range_far_in_a_tail_keeps_its_weight_and_its_draws():
    tail = ONE.narrowed(0.2, 0.25)  # twenty deviations above the mean of the second leaf
    assert 0 < tail.mass()[1] < 1e-80
    drawn = tail.draw(np.ones(100, dtype=np.int64), np.random.default_rng(0))
    assert 0.2 <= drawn.min() < drawn.max() < 0.21


def test_a_range_outside_of_the_box_has_no_weight():
    assert ONE.narrowed(0.95, 1.0).mass()[0] == 0


def test_mean_and_deviation_are_those_of_the_rows():
    leaf, places = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.2, 0.4, -0.3, -0.5])
    spread = Spread.fit(leaf, places, np.full(3, -1.0), np.full(3, 1.0))
    assert np.allclose(spread.mean, [places[:3].mean(), places[3:].mean(), 0.0])
    assert np.allclose(spread.deviation[:2], [places[:3].std(ddof=1), places[3:].std(ddof=1)])


def test_a_value_without_any_other_is_spread_over_its_box():
    spread = Spread.fit(np.array([0]), np.array([0.5]), np.array([0.0]), np.array([0.8]))
    assert spread.draw(LEAF, np.random.default_rng(0)).std() > 0.1


def test_matched_laws_have_the_moments_of_the_rows_after_they_are_cut():
    rng = np.random.default_rng(0)
    leaf = np.repeat(np.arange(200), 12)
    places = rng.uniform(-1, 1, 200)[leaf] * 0.6 + 0.25 * rng.uniform(-1, 1, len(leaf))
    raw = Spread.fit(leaf, places, np.full(200, -1.0), np.full(200, 1.0))
    mean, variance = raw.matched().moments()
    assert np.abs(mean - raw.mean).max() < 1e-3
    assert np.abs(np.sqrt(variance) / raw.deviation - 1).max() < 1e-2


def test_moments_are_those_of_the_cut_law():
    mean, variance = ONE.moments()
    assert np.allclose([mean[0], variance[0]], law().stats("mv"))


def test_rows_wider_apart_than_even_ones_get_an_almost_even_law():
    places = np.array([-1.0, 1.0, -1.0, 1.0])
    raw = Spread.fit(np.zeros(4, dtype=np.int64), places, np.array([-1.0]), np.array([1.0]))
    mean, variance = raw.matched().moments()
    assert abs(mean[0]) < 0.01
    assert abs(np.sqrt(3 * variance[0]) - 1) < 0.05


def test_matched_laws_are_finite_in_boxes_of_no_width_and_at_their_ends():
    leaf, places = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0.3, 0.3, 0.9999, 1.0, -1.0, -1.0, -0.99])
    raw = Spread.fit(leaf, places, np.array([0.3, -1.0, -1.0]), np.array([0.3, 1.0, 1.0]))
    law = raw.matched()
    drawn = law.draw(np.repeat([0, 1, 2], 50), np.random.default_rng(0))
    assert np.isfinite(drawn).all()
    assert drawn[50:100].min() > 0.9 and drawn[100:].max() < -0.9
