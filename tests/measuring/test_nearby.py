"""Synthetic rows beside training and holdout rows: as many of both, looked for once, errors by groups."""

import numpy as np
import pytest

from understudy.measuring.nearby import (
    freedom,
    interval_of,
    nearby,
    square_error,
    square_error_of_pairs,
    tables_of,
    undefined,
)
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


def evidence(train=60, holdout=30, synthetic=40):
    return Evidence(train=law(train, 1), holdout=law(holdout, 2), synthetic=law(synthetic, 3))


def test_as_many_training_as_holdout_rows_are_looked_at():
    assert [len(table) for table in tables_of(evidence(), 1_000, seed=0)] == [30, 30, 40]
    assert [len(table) for table in tables_of(evidence(), 20, seed=0)] == [20, 20, 20]


def test_neighbours_are_looked_for_once_and_drawn_by_the_seed():
    shown = evidence()
    first, again, other = (nearby(shown, 1_000, seed) for seed in (0, 0, 1))
    assert first.train.rows is again.train.rows
    assert not np.array_equal(first.train.distances, other.train.distances)
    assert first.train.distances.shape == first.holdout.distances.shape == (40, 2)
    assert first.size == 30


def test_a_table_of_one_row_gives_one_neighbour():
    assert nearby(evidence(train=1), 1_000, seed=0).train.distances.shape == (40, 1)


def test_the_error_of_a_mean_is_the_usual_one_if_every_value_is_its_own_group():
    values = np.random.default_rng(0).random(50)
    assert square_error(values, np.arange(50)) == pytest.approx(values.var(ddof=1) / 50)


def test_values_that_are_told_twice_are_not_worth_more():
    values = np.random.default_rng(0).random(50)
    once, twice = (square_error(np.tile(values, n), np.tile(np.arange(50), n)) for n in (1, 2))
    assert once == pytest.approx(twice)


def test_a_single_group_has_the_variance_of_its_values():
    assert square_error(np.array([0.0, 1.0]), np.array([3, 3])) == 0.25


def test_the_error_of_pairs_is_the_sum_over_all_values_that_share_a_row():
    rng = np.random.default_rng(0)
    values, pairs = rng.random(40), np.stack([rng.choice(30, 2, replace=False) for _ in range(40)])
    off = values - values.mean()
    shared = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    rows = len(np.unique(pairs))
    known = (np.outer(off, off) * shared).sum() / 40**2 * rows / (rows - 1)
    least = square_error(values, pairs[:, 0])
    assert square_error_of_pairs(values, pairs) == pytest.approx(max(known, least))
    assert square_error_of_pairs(off**2, pairs[:, ::-1]) >= square_error(off**2, pairs[:, 1])


def test_values_that_share_no_row_have_the_usual_error():
    values = np.random.default_rng(0).random(50)
    apart = square_error_of_pairs(values, np.arange(100).reshape(50, 2))
    assert apart == pytest.approx(values.var(ddof=1) / 50)


def test_large_groups_leave_fewer_degrees_of_freedom():
    assert freedom(np.arange(20)) == 19
    assert freedom(np.array([*range(10), *[10] * 10])) == pytest.approx(110**2 / (10 + 10**4) - 1)


@pytest.mark.parametrize("sizes", [[1] * 20 + [20] * 2, [1] * 30 + [15] * 3, [1] * 60, [5] * 12])
def test_intervals_cover_where_groups_say_the_same_and_some_are_large(sizes):
    # Of 2,000 seeds; 84 and 85 % of the first two if groups weighed their sizes only.
    rng, groups, covered = np.random.default_rng(0), np.repeat(np.arange(len(sizes)), sizes), 0
    for _ in range(2_000):
        values = 0.5 + 0.05 * rng.standard_normal(len(sizes))[groups]
        low, high = interval_of(values.mean(), square_error(values, groups), len(sizes), freedom(groups))
        covered += low <= 0.5 <= high
    assert covered >= 0.94 * 2_000


def test_one_row_proves_nothing():
    low, high = interval_of(0.69, 0.0, 1)
    assert low < 0.05 and high > 0.95


def test_few_degrees_of_freedom_widen_an_interval():
    known = [interval_of(0.5, 0.01, 20, free) for free in (np.inf, 9, 0.2)]
    assert [round(high - 0.5, 4) for _, high in known] == [0.196, 0.2262, 0.5]


def test_an_interval_holds_its_share_and_is_never_certain_at_the_ends():
    for share in (0.0, 0.2, 1.0):
        low, high = interval_of(share, 1e-4, 20)
        assert 0 <= low <= share <= high <= 1
        assert high - low > 0.02


def test_what_cannot_be_computed_says_why():
    found = undefined("there is nothing")
    assert np.isnan(found.score.value)
    assert "undefined: there is nothing" in found.notes
