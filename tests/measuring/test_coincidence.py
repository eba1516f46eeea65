"""Coincidences: what chance explains among many rows, told from few."""

import numpy as np
import pytest

from understudy.measuring.coincidence import coincidence


def keys(*values):
    return np.array(values, dtype=np.uint64)


def test_shares_of_as_many_rows_are_those_of_draws():
    rng = np.random.default_rng(0)
    train, holdout = rng.integers(40, size=60).astype(np.uint64), rng.integers(40, size=20).astype(np.uint64)
    synthetic = rng.integers(50, size=500).astype(np.uint64)
    drawn = [np.isin(synthetic, rng.choice(train, 20, replace=False)).mean() for _ in range(4_000)]
    found = coincidence(train, holdout, synthetic)
    assert found.among_as_many == pytest.approx(np.mean(drawn), abs=0.005)
    assert found.among_holdout == np.isin(synthetic, holdout).mean()
    assert found.among_all == np.isin(synthetic, train).mean()


def test_the_null_is_what_as_many_fresh_rows_as_there_are_training_rows_would_meet():
    rng = np.random.default_rng(1)
    told, true = [], []
    for _ in range(200):
        train, holdout, fresh = (rng.integers(3_000, size=n).astype(np.uint64) for n in (1_000, 250, 1_000))
        synthetic = rng.integers(3_000, size=800).astype(np.uint64)
        told.append(coincidence(train, holdout, synthetic).null)
        true.append(np.isin(synthetic, fresh).mean())
    assert np.mean(told) == pytest.approx(np.mean(true), abs=0.01)


def test_copies_among_rows_that_coincide_are_the_difference():
    common = np.arange(25)
    train = np.concatenate([np.repeat(common, 100), np.arange(1_000, 1_500)]).astype(np.uint64)
    holdout = np.concatenate([np.repeat(common, 20), np.arange(2_000, 2_100)]).astype(np.uint64)
    synthetic = np.concatenate([np.repeat(common, 36), np.arange(1_000, 1_100)]).astype(np.uint64)
    found = coincidence(train, holdout, synthetic)
    assert found.among_all == 1.0
    assert found.null == pytest.approx(0.9, abs=1e-6)
    assert found.interval[0] > found.null


def test_of_a_handful_of_holdout_rows_nothing_can_be_told():
    train, holdout = np.arange(3_000, dtype=np.uint64), np.arange(9_000, 9_005, dtype=np.uint64)
    synthetic = np.concatenate([np.arange(200), np.arange(20_000, 22_800)]).astype(np.uint64)
    found = coincidence(train, holdout, synthetic)
    assert found.interval[0] == 0.0
    assert found.interval[1] < 0.1


def test_a_table_smaller_than_the_holdout_is_compared_with_as_many_of_it():
    found = coincidence(keys(1, 2), keys(3, 3, 4, 5), keys(1, 3, 4, 9))
    assert found.among_all == found.among_as_many == 0.25
    assert found.among_holdout == pytest.approx((5 / 6 + 1 / 2) / 4)
