"""Estimates are the textbook's; where there are none, it is said and nothing else is spoilt."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, special, stats

from understudy.engines.glm import independent, least_squares, logistic
from understudy.errors import ParameterError


def table(rows=500, columns=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(rows, columns))


def test_one_regressor_is_estimated_as_by_scipy():
    rng, x = table(60, 1)
    y = 2 * x[:, 0] + rng.normal(size=60)
    found, known = least_squares(x, y), stats.linregress(x[:, 0], y)
    assert found.coefficients[0] == pytest.approx(known.slope)
    assert found.errors[0] == pytest.approx(known.stderr)
    reach = stats.t.ppf(0.975, 58) * known.stderr
    assert (found.low[0], found.high[0]) == pytest.approx((known.slope - reach, known.slope + reach))


def test_several_regressors_are_estimated_as_by_the_normal_equations():
    rng, x = table()
    y = x @ [1.0, -2.0, 0.0] + 3 + rng.normal(size=500)
    whole = np.column_stack([np.ones(500), x])
    inverse = np.linalg.inv(whole.T @ whole)
    slopes = inverse @ whole.T @ y
    variance = np.sum((y - whole @ slopes) ** 2) / 496
    found = least_squares(x, y)
    np.testing.assert_allclose(found.coefficients, slopes[1:])
    np.testing.assert_allclose(found.errors, np.sqrt(variance * np.diag(inverse))[1:])


def test_a_logistic_model_is_where_the_likelihood_is_largest_with_the_curvature_as_its_errors():
    rng, x = table(400, 2)
    y = (rng.random(400) < special.expit(x @ [1.0, -0.5] - 0.3)).astype(float)
    whole = np.column_stack([np.ones(400), x])
    least = optimize.minimize(
        lambda b: np.sum(np.logaddexp(0, np.where(y > 0, -1, 1) * (whole @ b))), np.zeros(3), tol=1e-10
    ).x
    chance = special.expit(whole @ least)
    errors = np.sqrt(np.diag(np.linalg.inv(whole.T @ (whole * (chance * (1 - chance))[:, None]))))
    found = logistic(x, y)
    np.testing.assert_allclose(found.coefficients, least[1:], atol=1e-5)
    np.testing.assert_allclose(found.errors, errors[1:], rtol=1e-4)


def test_a_single_mark_is_the_log_odds_ratio_of_its_two_by_two_table():
    x, y = np.repeat([0.0, 1.0], [30, 40])[:, None], np.repeat([0.0, 1.0, 0.0, 1.0], [20, 10, 10, 30])
    found = logistic(x, y)
    assert found.coefficients[0] == pytest.approx(math.log(30 * 20 / (10 * 10)), abs=1e-6)
    assert found.errors[0] == pytest.approx(math.sqrt(1 / 20 + 1 / 10 + 1 / 10 + 1 / 30), abs=1e-6)


@pytest.mark.parametrize("fit", [least_squares, logistic])
def test_an_interval_covers_the_truth_about_as_often_as_it_says(fit):
    hits = []
    for seed in range(100):
        rng, x = table(200, 2, seed)
        mean = x @ [0.8, 0.0] + 0.2
        noisy = mean + rng.normal(size=200)
        found = fit(
            x, noisy if fit is least_squares else (rng.random(200) < special.expit(mean)).astype(float)
        )
        hits.append([found.low[0] <= 0.8 <= found.high[0], found.low[1] <= 0.0 <= found.high[1]])
    assert 0.9 < np.mean(hits) < 0.985


@pytest.mark.parametrize("fit", [least_squares, logistic])
def test_a_twin_of_an_earlier_column_has_no_estimate_and_does_not_change_the_others(fit):
    rng, x = table()
    y = (x[:, 0] + rng.normal(size=500) > 0).astype(float)
    twins = np.column_stack([x, 3 * x[:, 0] - 2 * x[:, 1] + 5])
    plain, found = fit(x, y), fit(twins, y)
    np.testing.assert_allclose(found.coefficients[:3], plain.coefficients)
    np.testing.assert_allclose(found.errors[:3], plain.errors)
    assert found.known.tolist() == [True, True, True, False]


def test_a_full_set_of_marks_loses_its_last_one():
    assert independent(np.eye(3)[np.arange(30) % 3]).tolist() == [True, True, False]


@pytest.mark.parametrize("value", [0.0, 0.1, 7.0, 1e9 / 3, -1e-12])
def test_a_constant_is_the_intercepts_twin(value):
    varied = np.random.default_rng(0).normal(size=1_000)
    assert independent(np.column_stack([np.full(1_000, value), varied])).tolist() == [False, True]


def test_a_column_far_from_zero_is_kept_for_what_varies_in_it():
    assert independent(1e6 + np.random.default_rng(0).normal(size=(50, 2))).all()


def test_columns_that_are_mostly_explained_can_be_left_out_by_asking():
    rng, x = table(2_000, 1)
    near = x[:, 0] + 0.05 * rng.normal(size=2_000)
    both = np.column_stack([x, near])
    assert independent(both).tolist() == [True, True]
    assert independent(both, 0.01).tolist() == [True, False]


def test_a_column_that_tells_the_classes_apart_has_no_estimate():
    x = np.linspace(-1, 1, 50)[:, None]
    assert not logistic(x, (x[:, 0] > 0).astype(float)).known.any()


def test_a_level_with_one_class_only_has_no_estimate_and_leaves_the_others_theirs():
    rng, x = table(2_000, 1)
    rare = (np.arange(2_000) < 15).astype(float)
    y = (rng.random(2_000) < special.expit(x[:, 0])).astype(float)
    y[:15] = 0.0
    found = logistic(np.column_stack([x, rare]), y)
    alone = logistic(x[15:], y[15:])
    assert found.known.tolist() == [True, False]
    assert found.coefficients[0] == pytest.approx(alone.coefficients[0], abs=1e-3)
    assert found.errors[0] == pytest.approx(alone.errors[0], rel=1e-3)


@pytest.mark.parametrize("fit", [least_squares, logistic])
def test_fewer_rows_than_coefficients_give_no_estimate(fit):
    _, x = table(4, 3)
    assert not fit(x, np.array([0.0, 1.0, 0.0, 1.0])).known.any()


def test_one_class_gives_no_estimate():
    assert not logistic(table()[1], np.ones(500)).known.any()


@pytest.mark.parametrize("fit", [least_squares, logistic])
def test_a_model_of_the_intercept_alone_has_no_coefficients(fit):
    assert len(fit(np.empty((10, 0)), np.arange(10) % 2 * 1.0).coefficients) == 0


@pytest.mark.parametrize("fit", [least_squares, logistic])
def test_what_is_not_finite_or_not_of_one_length_is_refused(fit):
    with pytest.raises(ParameterError, match="must be finite"):
        fit(np.array([[1.0], [np.nan]]), np.array([0.0, 1.0]))
    with pytest.raises(ParameterError, match="the same number of rows"):
        fit(np.ones((3, 1)), np.ones(2))


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(3, 40))
def test_any_small_table_is_estimated_or_not_but_never_breaks(seed, columns, rows):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, size=(rows, columns)).astype(float)
    for fit, y in ((logistic, rng.integers(0, 2, rows) * 1.0), (least_squares, rng.normal(size=rows))):
        found = fit(x, y)
        assert np.array_equal(np.isnan(found.coefficients), np.isnan(found.errors))
        assert (found.errors[found.known] >= 0).all()


def test_the_order_of_rows_does_not_matter():
    rng, x = table()
    y = (x[:, 0] + rng.normal(size=500) > 0).astype(float)
    order = rng.permutation(500)
    one, other = logistic(x, y), logistic(x[order], y[order])
    np.testing.assert_allclose(one.coefficients, other.coefficients, rtol=1e-7)
