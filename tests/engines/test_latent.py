"""Conditional draws against brute force. Every statistical bound below fails by chance in fewer than one
of 10^6 seeds, and the seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import understudy.engines.latent as latent
from understudy.engines.latent import latent_blocks
from understudy.errors import NothingMatches

FIVE_SIGMA = 5.0
MATRIX = np.array([[1.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 1.0]])


def draw_latent(correlation, allowed, rows, rng, block=65_536):
    return np.concatenate(list(latent_blocks(correlation, allowed, rows, rng, block)))


def held(u, intervals):
    return ((u[:, None] >= intervals[:, 0]) & (u[:, None] < intervals[:, 1])).any(axis=1)


def brute_force(allowed, rows, rng):
    drawn = rng.multivariate_normal(np.zeros(3), MATRIX, rows)
    good = np.ones(rows, dtype=bool)
    for place, intervals in allowed.items():
        good &= held(ndtr(drawn[:, place]), intervals)
    return drawn[good]


def agree(one, other):
    """Means and second moments of two samples differ by less than five standard errors each."""
    for f in (lambda z: z, lambda z: z**2, lambda z: z[:, [0]] * z[:, [1]], lambda z: z[:, [1]] * z[:, [2]]):
        a, b = f(one), f(other)
        error = np.sqrt(a.var(axis=0) / len(a) + b.var(axis=0) / len(b))
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) < FIVE_SIGMA * error + 1e-12).all()


@pytest.mark.parametrize(
    "allowed",
    [
        {0: [[0.0, 0.3]]},
        {1: [[0.1, 0.2], [0.6, 0.9]]},
        {0: [[0.2, 0.9]], 2: [[0.5, 1.0]]},
        {0: [[0.0, 0.4], [0.8, 1.0]], 1: [[0.3, 0.7]], 2: [[0.0, 0.5]]},
        {2: [[0.0, 1.0]]},
        {0: [[0.9, 0.92]], 1: [[0.1, 0.3]], 2: [[0.05, 0.1], [0.3, 0.31], [0.7, 1.0]]},
        {0: [[0.0, 0.5]], 1: [[0.1, 0.2], [0.2, 0.4], [0.8, 0.9]]},
        {0: [[0.4, 0.6]], 1: [[i / 20, (i + 0.7) / 20] for i in range(12)]},
    ],
)
def test_conditional_draws_have_the_moments_of_brute_force_rejection(allowed):
    allowed = {place: np.array(intervals) for place, intervals in allowed.items()}
    drawn = draw_latent(MATRIX, allowed, 20_000, np.random.default_rng(5))
    agree(drawn, brute_force(allowed, 2_000_000, np.random.default_rng(6)))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_conditioned_coordinate_lies_in_its_set(place):
    allowed = {place: np.array([[0.013, 0.0131], [0.5, 0.51]]), (place + 1) % 3: np.array([[0.2, 0.9]])}
    drawn = draw_latent(MATRIX, allowed, 5_000, np.random.default_rng(7))
    for coordinate, intervals in allowed.items():
        slack = intervals + np.array([-1e-12, 1e-12])  # the way to a normal and back rounds
        assert held(ndtr(drawn[:, coordinate]), slack).all()


def test_unconditional_draws_have_the_correlation_asked_for():
    drawn = draw_latent(MATRIX, {}, 50_000, np.random.default_rng(8))
    error = FIVE_SIGMA / np.sqrt(50_000)  # the standard error of a correlation is at most 1 / sqrt(n)
    assert np.abs(np.corrcoef(drawn.T) - MATRIX).max() < error
    assert np.abs(drawn.mean(axis=0)).max() < error


def test_the_same_generator_gives_the_same_draws():
    allowed = {0: np.array([[0.1, 0.2]])}
    one, two = (draw_latent(MATRIX, allowed, 50, np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(one, two)


def test_no_rows_are_no_rows():
    assert draw_latent(MATRIX, {0: np.array([[0.1, 0.2]])}, 0, np.random.default_rng(0)).shape == (0, 3)
    assert draw_latent(MATRIX, {}, 0, np.random.default_rng(0)).shape == (0, 3)


def test_the_ends_of_the_unit_interval_give_finite_draws():
    drawn = draw_latent(
        MATRIX, {0: np.array([[0.0, 1e-15], [1 - 1e-15, 1.0]])}, 2_000, np.random.default_rng(1)
    )
    assert np.isfinite(drawn).all()
    assert (np.abs(drawn[:, 0]) > 7).all()


def test_conditions_that_exclude_each_other_end_in_an_error_instead_of_a_loop(monkeypatch):
    monkeypatch.setattr(latent, "FEWEST_TRIES", 100_000)
    close = np.array([[1.0, 0.9999], [0.9999, 1.0]])
    allowed = {0: np.array([[0.0, 0.1]]), 1: np.array([[0.9, 1.0]])}
    with pytest.raises(NothingMatches, match="0 of 10 rows"):
        draw_latent(close, allowed, 10, np.random.default_rng(2))


def test_blocks_are_one_call_with_one_limit(monkeypatch):
    monkeypatch.setattr(latent, "MOST_TRIES", 20_000)
    monkeypatch.setattr(latent, "TRIES_A_ROW", 0)
    monkeypatch.setattr(latent, "BATCH", 1_000)
    close = np.array([[1.0, 0.99], [0.99, 1.0]])
    allowed = {0: np.array([[0.4, 0.5]]), 1: np.array([[0.6, 0.7]])}
    first = next(latent_blocks(close, allowed, 10, np.random.default_rng(2), 10))
    assert len(first) == 10  # a block alone would have come through
    with pytest.raises(NothingMatches, match=r"[1-9]\d* of 5,000 rows met all conditions in 21,000 tries"):
        next(latent_blocks(close, allowed, 5_000, np.random.default_rng(2), 10))


def test_a_call_ends_in_an_error_when_its_seconds_are_over(monkeypatch):
    monkeypatch.setattr(latent, "MOST_SECONDS", -1.0)
    with pytest.raises(NothingMatches, match=r"0 of 10 rows .* or ask for fewer rows"):
        draw_latent(MATRIX, {0: np.array([[0.1, 0.2]])}, 10, np.random.default_rng(0))


def test_six_narrow_ranges_are_met_in_a_moment(monkeypatch):
    monkeypatch.setattr(latent, "MOST_TRIES", 1_000_000)
    monkeypatch.setattr(latent, "TRIES_A_ROW", 0)
    correlation = np.full((7, 7), 0.5) + 0.5 * np.eye(7)
    allowed = {i: np.array([[0.93, 0.94] if i % 2 else [0.955, 0.965]]) for i in range(6)}
    drawn = draw_latent(correlation, allowed, 70_000, np.random.default_rng(3))
    assert len(drawn) == 70_000
    for place, intervals in allowed.items():
        assert held(ndtr(drawn[:, place]), intervals + np.array([-1e-12, 1e-12])).all()


def test_block_sizes_do_not_show_in_conditions_or_moments():
    allowed = {0: np.array([[0.2, 0.9]]), 2: np.array([[0.5, 1.0]])}
    drawn = draw_latent(MATRIX, allowed, 20_000, np.random.default_rng(5), block=777)
    assert len(drawn) == 20_000
    agree(drawn, brute_force(allowed, 400_000, np.random.default_rng(6)))
