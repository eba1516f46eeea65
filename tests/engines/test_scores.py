"""Score covariances: right for complete rows, and over the rows where both columns are there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

import understudy.engines.scores as scores
from understudy.engines.copula import TERMS, conditional_means, latent_correlation
from understudy.engines.margin import fit_margins
from understudy.engines.scores import score_moments
from understudy.missing import MISSING_STEP


def moments(columns, levels=None, flags=()):
    return score_moments(fit_margins(columns, levels or {}, 1_000), columns, list(flags))


def latent(rho, rows, seed):
    return np.random.default_rng(seed).multivariate_normal([0, 0], [[1, rho], [rho, 1]], rows).T


def test_two_continuous_columns_have_the_covariance_of_their_normal_scores():
    x, y = latent(0.6, 3_000, 1)
    covariance, coefficients = moments({"x": x, "y": y})
    direct = np.cov([ndtri(rankdata(v) / 3_000 - 0.5 / 3_000) for v in (x, y)])[0, 1]
    assert covariance[0, 1] == pytest.approx(direct, abs=0.005)
    assert coefficients.shape == (2, TERMS)
    assert np.array_equal(covariance, covariance.T)


def test_missing_entries_are_left_out_pair_by_pair():
    x, y = latent(0.5, 4_000, 2)
    there = np.random.default_rng(3).random(4_000) > 0.4
    steps = np.where(there, np.rint(y * 1_000).astype(np.int64), MISSING_STEP)
    covariance, coefficients = moments({"x": x, "y": steps})
    # By hand, over the rows where both are there: the scores of y among those, of x among all.
    ranks = (rankdata(x) - 1) / 4_000
    score_x = conditional_means(ranks, ranks + 1 / 4_000)[there]
    _, inverse, counts = np.unique(steps[there], return_inverse=True, return_counts=True)
    upper = np.minimum(np.cumsum(counts) / counts.sum(), 1)
    score_y = conditional_means(np.concatenate([[0], upper[:-1]]), upper)[inverse]
    by_hand = np.mean(score_x * score_y) - score_x.mean() * score_y.mean()
    # Pulled towards nought by its standard error, which is about 1 / sqrt(2400) here.
    assert covariance[0, 1] == pytest.approx(by_hand, rel=3e-3)
    assert covariance[0, 1] < by_hand
    assert latent_correlation(covariance, coefficients)[0, 1] == pytest.approx(0.5, abs=5 / np.sqrt(2_400))


def test_blocks_do_not_change_the_sums(monkeypatch):
    x, y = latent(0.3, 1_000, 4)
    whole, _ = moments({"x": x, "y": y})
    monkeypatch.setattr(scores, "BLOCK", 77)
    blocks, _ = moments({"x": x, "y": y})
    assert blocks == pytest.approx(whole, abs=1e-12)


def test_a_flag_says_how_being_there_goes_with_the_other_columns():
    x, y = latent(0.7, 20_000, 5)
    holes = np.where(x < 0.5, y, np.nan)  # missing exactly where x is high: "is there" falls with x
    covariance, coefficients = moments({"x": x, "y": holes}, flags=["y"])
    correlation = latent_correlation(covariance, coefficients)
    assert covariance.shape == (3, 3)
    assert correlation[0, 2] < -0.95
    assert correlation[1, 2] == pytest.approx(0, abs=1e-6)  # y and "y is there" never vary together


def test_levels_count_their_missing_entries_as_a_level():
    codes = np.array([0, 1, -1, 1] * 50, dtype=np.int32)
    other = np.array([0.0, 1.0, 2.0, 1.0] * 50)
    covariance, coefficients = moments({"a": codes, "b": other}, {"a": 2})
    assert latent_correlation(covariance, coefficients)[0, 1] > 0.9


def test_columns_that_never_vary_or_are_never_there_claim_no_correlation():
    columns = {
        "x": np.arange(100.0),
        "one": np.zeros(100, dtype=np.int32),
        "same": np.full(100, 7),
        "gone": np.full(100, np.nan),
    }
    covariance, coefficients = moments(columns, {"one": 1})
    assert np.array_equal(latent_correlation(covariance, coefficients), np.eye(4))


def test_two_rare_levels_that_never_meet_are_not_taken_for_opposites():
    rows = 5_000
    first, second = (np.zeros(rows, dtype=np.int32) for _ in range(2))
    first[:8], second[-8:] = 1, 1
    covariance, coefficients = moments({"a": first, "b": second}, {"a": 2, "b": 2})
    assert abs(latent_correlation(covariance, coefficients)[0, 1]) < 0.05
