"""Ranks inside of bins follow those of other columns, as far as bins say that they go together."""

from itertools import pairwise

import numpy as np
import pytest

from understudy.engines.marginals import local_ranks as module
from understudy.engines.marginals.local_ranks import local_ranks

ROWS = 4_000


def pair(correlation, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=ROWS)
    return first, correlation * first + np.sqrt(1 - correlation**2) * rng.normal(size=ROWS)


def binned(values, bins=8):
    return np.searchsorted(np.quantile(values, np.arange(1, bins) / bins), values).astype(np.int32)


def inside(codes, scores):
    """Return the correlation of ranks, each less the mean of its own bin."""
    both = zip(codes, scores, strict=True)
    return np.corrcoef([each - (np.bincount(code, each) / np.bincount(code))[code] for code, each in both])[
        0, 1
    ]


@pytest.mark.parametrize("correlation", [0.98, 0.9, -0.9])
def test_ranks_in_bins_go_together_as_they_did_before_they_were_binned(correlation):
    values = pair(correlation)
    codes = [binned(each) for each in values]
    truth = inside(codes, values)
    assert inside(codes, local_ranks(codes, np.random.default_rng(1))) == pytest.approx(truth, abs=0.12)


@pytest.mark.parametrize("cuts", [[0.95], [0.7, 0.95], [0.5, 0.8, 0.9, 0.95, 0.99]], ids=len)
def test_bins_that_tell_little_make_no_more_of_it_than_there_was(cuts):
    values = pair(0.5)
    codes = [np.searchsorted(np.quantile(each, cuts), each).astype(np.int32) for each in values]
    truth = inside(codes, values)
    assert inside(codes, local_ranks(codes, np.random.default_rng(1))) < truth + 0.1


def test_ranks_of_columns_that_have_nothing_in_common_stay_so():
    codes = [binned(each) for each in pair(0.0)]
    assert abs(inside(codes, local_ranks(codes, np.random.default_rng(1)))) < 0.06


def test_scores_lie_in_the_order_of_their_bins():
    codes = [binned(each) for each in pair(0.9)]
    for code, each in zip(codes, local_ranks(codes, np.random.default_rng(1)), strict=True):
        ends = [(each[code == place].min(), each[code == place].max()) for place in range(8)]
        assert all(before[1] <= after[0] for before, after in pairwise(ends))


def test_a_row_without_a_value_says_nothing_and_is_told_by_the_others():
    first, second = pair(0.95)
    codes = [binned(first), binned(second)]
    codes[1][::2] = -1
    scores = local_ranks(codes, np.random.default_rng(1))
    assert np.corrcoef(scores[1][::2], second[::2])[0, 1] > 0.8


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_few_rows_one_bin_and_no_value_at_all_are_scored_too(rows):
    codes = [np.zeros(rows, np.int32), np.arange(rows, dtype=np.int32), np.full(rows, -1, np.int32)]
    assert np.isfinite(local_ranks(codes, np.random.default_rng(1))).all()


def test_rows_in_blocks_are_scored_like_rows_together(monkeypatch):
    codes = [binned(each) for each in pair(0.95)]
    monkeypatch.setattr(module, "BLOCK", 1_000)
    scores = local_ranks(codes, np.random.default_rng(1))
    assert scores.shape == (2, ROWS) and inside(codes, scores) > 0.3
