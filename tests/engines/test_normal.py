import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from understudy.engines.normal import Normal, longest, normal_of, products, unfolded, width

ROWS = arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.floats(-1, 1))


@given(ROWS)
def test_no_row_of_the_box_makes_a_vector_longer_than_the_stated_one(rows):
    vectors = products(rows)
    assert vectors.shape == (len(rows), width(rows.shape[1]))
    assert np.sqrt((vectors**2).sum(axis=1)).max() <= longest(rows.shape[1]) * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 2, 6, 20])
def test_a_corner_of_the_box_attains_the_longest_vector(d):
    corner = np.where(np.arange(d) % 2, 1.0, -1.0)[None, :]
    assert np.sqrt((products(corner) ** 2).sum()) == pytest.approx(np.sqrt(2 * d**2 + 1))


@given(ROWS)
def test_the_sums_give_back_the_moments(rows):
    first, second, count = unfolded(products(rows).sum(axis=0), rows.shape[1])
    assert count == len(rows)
    np.testing.assert_allclose(first, rows.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(second, rows.T @ rows, atol=1e-12)


def test_exact_sums_give_the_exact_law():
    rows = np.random.default_rng(0).uniform(-1, 1, (500, 4))
    law = normal_of(rows.sum(axis=0), rows.T @ rows, np.full((4, 4), 500.0))
    np.testing.assert_allclose(law.mean, rows.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(law.covariance, np.cov(rows.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(law.root @ law.root, law.covariance, atol=1e-12)


def test_rows_that_miss_a_quantity_do_not_pull_it_to_the_middle():
    rng = np.random.default_rng(1)
    rows, there = rng.normal(0.4, 0.1, (200_000, 2)), rng.random((200_000, 2)) < 0.5
    held = np.where(there, rows, 0.0)
    law = normal_of(held.sum(axis=0), held.T @ held, there.astype(float).T @ there)
    np.testing.assert_allclose(law.mean, rows.mean(axis=0), atol=2e-3)
    np.testing.assert_allclose(law.covariance, np.cov(rows.T, bias=True), atol=2e-3)


def test_a_covariance_that_noise_has_broken_is_repaired():
    noise = np.array([[9.0, 0.0], [0.0, -3.0]])
    law = normal_of(np.array([0.0, 5.0]), noise, np.full((2, 2), 2.0))
    assert np.linalg.eigvalsh(law.covariance).min() >= -1e-12
    assert np.diag(law.covariance).max() <= 1.0
    assert np.abs(law.mean).max() <= 1.0


def test_draws_are_clipped_to_the_box_and_have_the_moments():
    law = Normal(np.array([0.2, -0.3]), np.array([[0.02, 0.01], [0.01, 0.03]]))
    drawn = law.draw(np.random.default_rng(2).standard_normal((400_000, 2)))
    assert np.abs(drawn).max() <= 1
    np.testing.assert_allclose(drawn.mean(axis=0), law.mean, atol=1e-3)
    np.testing.assert_allclose(np.cov(drawn.T), law.covariance, atol=3e-4)
