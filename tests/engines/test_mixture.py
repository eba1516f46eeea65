import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from understudy.engines.mixture import Mixture, fit_mixture

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=80)


def planted(rng, rows):
    which = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    return rng.normal(np.array([0.2, 0.5, 0.8])[which], np.array([0.02, 0.05, 0.01])[which])


@pytest.mark.parametrize("rows", [500, 5_000, 200_000])
@pytest.mark.parametrize("seed", range(3))
def test_three_planted_components_are_found_among_ten(rows, seed):
    rng = np.random.default_rng(seed)
    mixture = fit_mixture(planted(rng, rows), 10, rng)
    slack = 8 / rows**0.5
    assert len(mixture.weights) == 3
    assert np.allclose(mixture.weights, [0.5, 0.3, 0.2], atol=slack)
    assert np.allclose(mixture.means, [0.2, 0.5, 0.8], atol=0.1 * slack)
    assert np.allclose(mixture.deviations, [0.02, 0.05, 0.01], rtol=2 * slack)


def test_a_single_normal_needs_a_single_component():
    rng = np.random.default_rng(0)
    mixture = fit_mixture(rng.normal(0.5, 0.1, 20_000), 10, rng)
    assert len(mixture.weights) == 1
    assert abs(mixture.means[0] - 0.5) < 0.003
    assert abs(mixture.deviations[0] - 0.1) < 0.003


def test_the_summary_costs_no_precision():
    # Mean and variance of one component are those of the values, to the last digits.
    values = np.random.default_rng(0).beta(2, 5, 30_000)
    mixture = fit_mixture(values, 1, np.random.default_rng(0))
    assert abs(mixture.means[0] - values.mean()) < 1e-12
    assert abs(mixture.deviations[0] / values.std() - 1) < 1e-3


def test_a_tie_becomes_a_narrow_component_of_its_own():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(10_000) < 0.6, 0.0, rng.beta(2, 5, 10_000))
    mixture = fit_mixture(values, 10, rng)
    assert abs(mixture.weights[0] - 0.6) < 0.02
    assert mixture.means[0] < 1e-3
    assert mixture.deviations[0] < 1e-3


def test_a_lone_outlier_does_not_swallow_the_rest_nor_become_a_spike():
    rng = np.random.default_rng(0)
    values = np.append(rng.normal(0.001, 0.0001, 10_000), 1.0)
    mixture = fit_mixture(values, 10, rng)
    narrow = mixture.deviations[mixture.weights > 0.01]
    assert narrow.max() < 0.001
    lone = mixture.deviations[mixture.means > 0.5]
    assert (lone > 1e-4).all()


@settings(max_examples=60)
@given(VALUES, st.integers(1, 12))
def test_any_values_give_a_proper_mixture(values, components):
    array = np.array(values)
    mixture = fit_mixture(array, components, np.random.default_rng(0))
    assert 1 <= len(mixture.weights) <= components
    assert abs(mixture.weights.sum() - 1) < 1e-9
    assert (mixture.weights > 0).all()
    assert (mixture.deviations > 0).all()
    assert (np.diff(mixture.means) >= 0).all()
    assert ((mixture.means >= -1e-9) & (mixture.means <= 1 + 1e-9)).all()
    assert ((mixture.likeliest(array) >= 0) & (mixture.likeliest(array) < len(mixture.weights))).all()


def test_components_are_drawn_with_their_probability():
    mixture = Mixture(np.array([0.25, 0.75]), np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    drawn = mixture.drawn(np.full(100_000, 0.5), np.random.default_rng(0))
    assert abs(drawn.mean() - 0.75) < 0.01
    assert mixture.likeliest(np.array([-5.0, 0.5, 5.0])).tolist() == [0, 1, 1]


def test_no_values_have_no_components():
    mixture = Mixture(np.ones(1), np.zeros(1), np.ones(1))
    assert mixture.likeliest(np.empty(0)).shape == (0,)
    assert mixture.drawn(np.empty(0), np.random.default_rng(0)).shape == (0,)


def test_the_same_rng_gives_the_same_mixture():
    values = planted(np.random.default_rng(0), 1_000)
    one, other = (fit_mixture(values, 5, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one.means, other.means)
