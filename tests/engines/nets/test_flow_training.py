"""Trained flows: near the truth where it is known, the same for the same seed, finite everywhere."""

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.special import logsumexp

from understudy.engines.nets.flow_training import FlowTraining, fit_flow
from understudy.errors import ParameterError

SHORT = FlowTraining(steps=300)
TINY = FlowTraining(steps=20, every=5)
CENTRES = np.array([[-3.0, 0.0], [0.0, 2.0], [3.0, -1.0]])


def seeded(seed=0):
    return np.random.default_rng(seed)


def bumps(rows, rng):
    return CENTRES[rng.integers(0, 3, rows)] + 0.6 * rng.normal(size=(rows, 2))


def log_bumps(points):
    each = [stats.norm.logpdf(points, centre, 0.6).sum(axis=1) for centre in CENTRES]
    return logsumexp(each, axis=0) - np.log(3)


def arcs(angles, upper):
    high = np.stack([np.cos(angles), np.sin(angles)], 1)
    low = np.stack([1 - np.cos(angles), 0.5 - np.sin(angles)], 1)
    return np.where(upper[:, None], high, low)


def moons(rows, rng):
    return arcs(np.pi * rng.random(rows), rng.random(rows) < 0.5) + 0.1 * rng.normal(size=(rows, 2))


def log_moons(points):
    angles = np.tile((np.arange(1_000) + 0.5) / 1_000 * np.pi, 2)
    centres = arcs(angles, np.repeat([True, False], 1_000))
    squares = ((points[:, None] - centres) ** 2).sum(axis=2)
    return logsumexp(-squares / 0.02, axis=1) - np.log(2_000 * 2 * np.pi * 0.01)


@pytest.mark.parametrize(
    ("draw", "truth", "gap"), [(bumps, log_bumps, 0.15), (moons, log_moons, 0.25)], ids=["bumps", "moons"]
)
def test_the_mean_logarithm_is_near_that_of_the_truth(draw, truth, gap):
    rng = seeded()
    learned, asked = draw(2_000, rng), draw(500, rng)
    found = fit_flow(learned, SHORT, seeded(1)).log_density(asked)
    one = stats.multivariate_normal(learned.mean(axis=0), np.cov(learned.T)).logpdf(asked)
    assert -0.02 < (truth(asked) - found).mean() < gap
    assert (truth(asked) - one).mean() > 2 * gap


def test_one_coordinate_may_have_two_bumps():
    rng = seeded()
    points = np.concatenate([rng.normal(-4, 1, 500), rng.normal(2, 0.5, 500)])[:, None]
    found = fit_flow(points, SHORT, seeded(1)).log_density(points)
    logs = [stats.norm.logpdf(points[:, 0], -4, 1), stats.norm.logpdf(points[:, 0], 2, 0.5)]
    assert (logsumexp(logs, axis=0) - np.log(2) - found).mean() < 0.1


def test_units_move_the_density_and_nothing_else():
    points = bumps(200, seeded())
    plain = fit_flow(points, TINY, seeded(1)).log_density(points)
    other = fit_flow(1_024 * points + 8, TINY, seeded(1)).log_density(1_024 * points + 8)
    assert np.allclose(other, plain - 2 * np.log(1_024), atol=1e-6)


def test_the_density_of_a_trained_flow_sums_to_one():
    density = fit_flow(bumps(200, seeded()), TINY, seeded(1))
    side = np.linspace(-12, 12, 161)
    grid = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
    assert np.exp(density.log_density(grid)).sum() * 0.15**2 == pytest.approx(1, abs=1e-3)


def test_the_same_seed_gives_the_same_bytes_whatever_was_drawn_or_threaded_before():
    points = bumps(200, seeded())
    first = fit_flow(points, TINY, seeded(1)).log_density(points)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.rand(7)
    second = fit_flow(points, TINY, seeded(1)).log_density(points)
    torch.set_num_threads(before)
    other = fit_flow(points, TINY, seeded(2)).log_density(points)
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != other.tobytes()


def test_training_ends_where_points_kept_aside_get_no_likelier():
    few = seeded().normal(size=(40, 4))
    fresh = seeded(5).normal(size=(500, 4))
    stopped = fit_flow(few, FlowTraining(steps=100, every=5, patience=2), seeded(1))
    endless = fit_flow(few, FlowTraining(steps=100, every=5, patience=2, fewest=1_000), seeded(1))
    assert endless.log_density(few).mean() > stopped.log_density(few).mean() + 0.5
    assert stopped.log_density(fresh).mean() > endless.log_density(fresh).mean() + 0.5


@pytest.mark.parametrize(
    "points",
    [np.zeros((1, 2)), np.ones((30, 3)), np.eye(3)[[0, 1, 2] * 20], np.array([[1e300, 0.0], [0.0, -1e300]])],
    ids=["one", "constant", "repeated", "huge"],
)
def test_whatever_the_points_are_logarithms_are_finite(points):
    density = fit_flow(points, TINY, seeded(1))
    far = np.full((2, points.shape[1]), 1e308) * [[1.0], [-1.0]]
    assert np.isfinite(density.log_density(np.concatenate([points, far]))).all()


def test_without_coordinates_every_density_is_one():
    assert fit_flow(np.zeros((5, 0)), TINY, seeded()).log_density(np.zeros((3, 0))).tolist() == [0.0] * 3


def test_no_queries_have_no_answers():
    assert fit_flow(np.zeros((5, 2)), TINY, seeded()).log_density(np.zeros((0, 2))).shape == (0,)


def test_queries_of_other_columns_and_no_points_are_refused():
    with pytest.raises(ParameterError, match="different columns"):
        fit_flow(np.zeros((5, 2)), TINY, seeded()).log_density(np.zeros((3, 1)))
    with pytest.raises(ParameterError, match="at least one point"):
        fit_flow(np.zeros((0, 2)), TINY, seeded())
