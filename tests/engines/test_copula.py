"""The copula's mathematics against known answers and against scipy's bivariate normal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import multivariate_normal, norm

from understudy.engines.copula import (
    PAIRS,
    TERMS,
    conditional_means,
    hermite_coefficients,
    latent_correlation,
    nearest_correlation,
)


def binned(upper):
    """The intervals, scores and coefficients of a column with these cumulative shares."""
    upper = np.asarray(upper, dtype=float)
    lower = np.concatenate([[0.0], upper[:-1]])
    scores = conditional_means(lower, upper)
    return lower, upper, scores, hermite_coefficients(lower, upper, scores)


def expected_covariance(one, other, rho):
    """E[s_x s_y] from the exact probabilities of the cells of a bivariate normal."""
    both = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    cuts_x, cuts_y = (np.clip(norm.ppf(np.append(0, b[1])), -9, 9) for b in (one, other))
    table = np.array([[both.cdf([x, y]) for y in cuts_y] for x in cuts_x])
    cells = np.diff(np.diff(table, axis=0), axis=1)
    return float(one[2] @ cells @ other[2])


def recovered(one, other, covariance):
    matrix = np.array([[1.0, covariance], [covariance, 1.0]])
    return latent_correlation(matrix, np.stack([one[3], other[3]]))[0, 1]


def continuous(n=4000):
    return binned(np.arange(1, n + 1) / n)


@pytest.mark.parametrize("rho", [-0.8, -0.5, -0.1, 0.0, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("shares", [([0.5, 1], [0.5, 1]), ([0.2, 1], [0.7, 1]), ([0.3, 1], [0.4, 1])])
def test_the_tetrachoric_correlation_of_a_two_by_two_table_is_recovered(rho, shares):
    one, other = binned(shares[0]), binned(shares[1])
    assert recovered(one, other, expected_covariance(one, other, rho)) == pytest.approx(rho, abs=0.004)


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.3, 0.9])
def test_the_polychoric_correlation_of_levels_is_recovered(rho):
    one, other = binned([0.1, 0.4, 0.8, 1]), binned([0.3, 0.6, 1])
    assert recovered(one, other, expected_covariance(one, other, rho)) == pytest.approx(rho, abs=0.004)


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.6])
def test_the_polyserial_correlation_of_a_continuous_and_a_binary_column_is_recovered(rho):
    one, other = continuous(), binned([0.3, 1])
    # Z_x given Z_y is normal, so E[s_x s_y] = rho E[Z_y s_y] = rho Var(s_y) where s_x = Z_x.
    mass = other[1] - other[0]
    assert recovered(one, other, rho * float(mass @ other[2] ** 2)) == pytest.approx(rho, abs=0.005)


@pytest.mark.parametrize("rho", [-0.95, 0.0, 0.5, 0.95])
def test_two_continuous_columns_keep_their_normal_scores_correlation(rho):
    one, other = continuous(), continuous()
    assert recovered(one, other, rho) == pytest.approx(rho, abs=0.005)


def test_a_covariance_that_no_correlation_reaches_gives_the_nearest_end():
    one = binned([0.5, 1])
    assert recovered(one, one, 5.0) == pytest.approx(0.999)
    assert recovered(one, one, -5.0) == pytest.approx(-0.999)


def test_a_column_that_never_varies_is_correlated_with_nothing():
    one, never = binned([0.5, 1]), binned([1.0])
    coefficients = np.stack([one[3], never[3], one[3]])
    covariance = np.array([[0.6, 0, 0.3], [0, 0, 0], [0.3, 0, 0.6]])
    found = latent_correlation(covariance, coefficients)
    assert found[1].tolist() == [0, 1, 0]
    assert found[0, 2] > 0.4


def test_the_conditional_mean_of_half_a_normal_is_the_root_of_two_over_pi():
    means = conditional_means(np.array([0.0, 0.5]), np.array([0.5, 1.0]))
    assert means == pytest.approx([-np.sqrt(2 / np.pi), np.sqrt(2 / np.pi)])


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=12))
def test_scores_have_mean_zero_and_their_variance_is_the_first_coefficient(masses):
    mass = np.array(masses) / sum(masses)
    lower, upper, scores, coefficients = binned(np.minimum(np.cumsum(mass), 1.0))
    assert float((upper - lower) @ scores) == pytest.approx(0, abs=1e-9)
    assert coefficients[0] == pytest.approx(float((upper - lower) @ scores**2), abs=1e-9)
    assert (coefficients**2).sum() <= float((upper - lower) @ scores**2) + 1e-9  # Bessel


def random_correlation(rng, size, floor):
    factor = rng.standard_normal((size, size + 2))
    matrix = factor @ factor.T
    scale = 1 / np.sqrt(np.diag(matrix))
    matrix = matrix * scale[:, None] * scale
    return (1 - floor) * matrix + floor * np.eye(size)


@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_a_positive_definite_matrix_is_left_as_it_is(size):
    matrix = random_correlation(np.random.default_rng(size), size, 0.01)
    assert nearest_correlation(matrix) == pytest.approx(matrix, abs=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_any_symmetric_matrix_becomes_a_correlation_with_a_cholesky_factor(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 25))
    noise = rng.uniform(-1, 1, (size, size))
    matrix = np.clip((noise + noise.T) / 2 * 1.5, -1, 1)
    np.fill_diagonal(matrix, 1.0)
    found = nearest_correlation(matrix)
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 1).all()
    assert np.abs(found).max() <= 1
    assert np.linalg.eigvalsh(found)[0] > 1e-6
    np.linalg.cholesky(found)


def test_highams_example_goes_to_its_nearest_correlation():
    # Higham (2002), section 4: the nearest correlation matrix of [[1,1,0],[1,1,1],[0,1,1]].
    found = nearest_correlation(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]), floor=1e-8, rounds=500)
    assert found[0, 1] == pytest.approx(0.7607, abs=1e-3)
    assert found[0, 2] == pytest.approx(0.1573, abs=1e-3)


def test_more_pairs_than_are_solved_at_a_time_are_all_solved():
    rng = np.random.default_rng(1)
    size = 120
    assert size * (size - 1) // 2 > PAIRS
    rho = random_correlation(rng, size, 0.5)
    coefficients = np.stack([continuous(500)[3]] * size)
    covariance = (rho[:, :, None] ** np.arange(1, TERMS + 1) * coefficients[0] ** 2).sum(axis=2)
    found = latent_correlation(covariance, coefficients)
    assert found == pytest.approx(rho, abs=1e-6)
    assert np.array_equal(found, found.T)


def test_a_wide_matrix_is_mended_with_two_decompositions_at_most(monkeypatch):
    rng = np.random.default_rng(2)
    noise = rng.uniform(-0.3, 0.3, (800, 800))
    matrix = (noise + noise.T) / 2
    np.fill_diagonal(matrix, 1.0)
    calls = []
    whole = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda m: calls.append(len(m)) or whole(m))
    found = nearest_correlation(matrix)
    assert calls.count(800) <= 2
    np.linalg.cholesky(found)
    assert (np.diag(found) == 1).all()
    assert np.corrcoef(found.ravel(), matrix.ravel())[0, 1] > 0.8


def test_a_wide_positive_definite_matrix_is_left_as_it_is_without_any_decomposition(monkeypatch):
    matrix = random_correlation(np.random.default_rng(3), 600, 0.01)
    monkeypatch.setattr(np.linalg, "eigh", lambda _: pytest.fail("not needed"))
    assert nearest_correlation(matrix) == pytest.approx(matrix, abs=1e-12)
