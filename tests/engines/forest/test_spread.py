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
    assert np.allclose(ONE.density(leaf, places), law().pdf(places))
    assert np.allclose(ONE.between(leaf, places, places + 0.1), law().cdf(places + 0.1) - law().cdf(places))
    assert ONE.density(leaf[:1], np.array([0.95])).tolist() == [0.0]


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
