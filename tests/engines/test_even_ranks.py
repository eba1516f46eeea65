"""Even ranks: order stays, margins become normal."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import kstest

from understudy.engines.even_ranks import even_ranks, even_within


def skewed(rows=4_000):
    rng = np.random.default_rng(0)
    common = rng.standard_normal(rows)
    return np.stack([np.exp(common), common + rng.standard_normal(rows)], axis=1).astype(np.float32)


def test_order_within_each_column_stays():
    numbers = skewed()
    found = even_ranks(numbers, np.random.default_rng(1))
    assert np.array_equal(found.argsort(axis=0), numbers.argsort(axis=0))


def test_every_column_is_closer_to_normal_than_a_sample_would_be():
    found = even_ranks(skewed(), np.random.default_rng(1))
    # Each n-th of the law holds one number, so the distance is at most 1 / n.
    assert all(kstest(column, "norm").statistic <= 1 / 4_000 + 1e-6 for column in found.T)


def test_nothing_and_one_row_are_fine():
    assert even_ranks(np.empty((0, 2), np.float32), np.random.default_rng(0)).shape == (0, 2)
    assert np.isfinite(even_ranks(np.zeros((1, 2), np.float32), np.random.default_rng(0))).all()


def test_within_groups_ranks_stay_and_each_group_has_its_own_law():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 3, 4_000)
    numbers = (rng.exponential(size=4_000) + 5 * groups).astype(np.float32)
    laws = {0: lambda ranks: ndtri(ranks) / 4, 1: lambda ranks: np.where(ranks < 0.9, 0.0, ranks)}
    found = even_within(numbers, groups, laws, rng)
    normal, tied, left = (found[groups == group] for group in range(3))
    assert np.array_equal(numbers[groups == 0].argsort(), normal.argsort())
    assert abs(normal.mean()) < 0.01 and abs(normal.std() - 0.25) < 0.01
    assert abs((tied == 0).mean() - 0.9) < 1e-3 and tied.max() > 0.99
    assert np.array_equal(left, numbers[groups == 2])
