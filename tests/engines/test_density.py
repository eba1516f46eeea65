"""Kernel densities: beside scipy's, and where scipy's fail."""

import numpy as np
import pytest
from scipy import stats

from understudy.engines.density import KernelDensity, bandwidth, principal_axes
from understudy.errors import ParameterError

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(50, 3)) @ np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 5.0]])
QUERIES = RNG.normal(size=(7, 3)) * 3


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_a_ruled_density_is_that_of_scipy(rule):
    ours = KernelDensity.ruled(POINTS, rule).log_density(QUERIES)
    assert ours == pytest.approx(stats.gaussian_kde(POINTS.T, rule).logpdf(QUERIES.T))


def test_a_fixed_density_is_a_mean_of_normal_laws():
    ours = KernelDensity.fixed(POINTS, 0.8).log_density(QUERIES)
    each = [stats.multivariate_normal(point, 0.64 * np.eye(3)).pdf(QUERIES) for point in POINTS]
    assert ours == pytest.approx(np.log(np.mean(each, axis=0)))


def test_the_kernel_between_rows_is_the_density_of_one_point():
    density = KernelDensity.ruled(POINTS, "scott")
    alone = KernelDensity(density.points[:1], density.shift, density.scaling)
    found = density.log_kernel(QUERIES, np.tile(POINTS[0], (7, 1)))
    assert found == pytest.approx(alone.log_density(QUERIES))


def test_far_queries_and_many_dimensions_have_logarithms():
    points = RNG.normal(size=(20, 300))
    found = KernelDensity.fixed(points, 0.1).log_density(np.vstack([points[:2], points[:2] + 1e4]))
    assert np.isfinite(found).all()
    assert (found[:2] > found[2:]).all()


def test_equal_rows_have_the_very_same_density():
    queries = np.tile(QUERIES[:1], (5_000, 1))
    assert len(np.unique(KernelDensity.ruled(np.tile(POINTS, (20, 1)), "scott").log_density(queries))) == 1


@pytest.mark.parametrize("points", [np.ones((5, 2)), np.ones((1, 2)), np.array([[0.0, 1.0], [2.0, 1.0]])])
def test_points_that_do_not_vary_still_have_a_density(points):
    found = KernelDensity.ruled(points, "scott").log_density(np.array([[1.0, 1.0], [1.0, 9.0]]))
    assert np.isfinite(found).all()
    assert found[0] > found[1]


def test_without_a_dimension_all_is_equally_likely():
    assert KernelDensity.ruled(np.zeros((4, 0)), "scott").log_density(np.zeros((2, 0))).tolist() == [0.0, 0.0]
    assert principal_axes(np.zeros((4, 0)), 3).shape == (0, 0)
    assert principal_axes(np.zeros((4, 2)), 3).shape == (2, 0)
    assert principal_axes(np.zeros((1, 2)), 3).shape == (2, 0)


def test_axes_that_do_not_vary_are_left_out_and_the_largest_come_first():
    rows = np.column_stack([POINTS[:, :1] * 0.1, POINTS[:, 2:], POINTS[:, 2:] * 2, np.ones((50, 1))])
    axes = principal_axes(rows, 5)
    assert axes.shape == (4, 2)
    spread = np.var(rows @ axes, axis=0)
    assert spread[0] > spread[1] > 0
    assert principal_axes(rows, 1).shape == (4, 1)


def test_queries_of_another_width_are_refused():
    with pytest.raises(ParameterError, match="different columns"):
        KernelDensity.fixed(POINTS, 1.0).log_density(np.zeros((1, 2)))


def test_the_rules_are_those_of_the_books():
    assert bandwidth("scott", 100, 2) == pytest.approx(100 ** (-1 / 6))
    assert bandwidth("silverman", 100, 2) == pytest.approx(100 ** (-1 / 6))
