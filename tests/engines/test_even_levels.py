"""Levels as common as they should be, by keeping some of the rows drawn."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.engines.even_levels import even_levels, more


def drawn(rows: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return two columns that lean on each other, each a little off, and the shares they should have."""
    rng = np.random.default_rng(0)
    first = rng.choice(3, rows, p=[0.52, 0.29, 0.19])
    second = np.where(rng.random(rows) < 0.8, first % 2, rng.integers(0, 2, rows))
    shares = [np.array([0.5, 0.3, 0.2]), np.array([0.66, 0.34])]
    return np.stack([first, second], axis=1), shares


def off(codes: np.ndarray, shares: list[np.ndarray]) -> float:
    """Return how far the shares are off, the farthest column's."""
    pairs = zip(codes.T, shares, strict=True)
    found = (np.bincount(column, minlength=len(share)) / len(codes) - share for column, share in pairs)
    return max(float(np.abs(each).sum() / 2) for each in found)


def test_every_column_comes_nearer_to_its_shares():
    codes, shares = drawn(more(20_000))
    kept = codes[even_levels(codes, shares, 20_000, np.random.default_rng(1))]
    assert off(codes[:20_000], shares) > 0.015
    assert off(kept, shares) < 0.004


def test_as_many_rows_are_kept_as_were_asked_for_and_none_twice():
    codes, shares = drawn(1_100)
    for seed in range(50):
        kept = even_levels(codes, shares, 1_000, np.random.default_rng(seed))
        assert len(kept) == len(np.unique(kept)) == 1_000
        assert kept[0] >= 0
        assert kept[-1] < 1_100


def test_what_columns_say_of_each_other_stays():
    codes, shares = drawn(more(50_000))
    kept = codes[even_levels(codes, shares, 50_000, np.random.default_rng(2))]
    for level in range(3):
        before, after = (each[each[:, 0] == level, 1].mean() for each in (codes, kept))
        assert after == pytest.approx(before, abs=0.02)


def test_rows_of_a_level_that_should_not_be_there_are_left_out_while_others_are_enough():
    codes = np.repeat([0, 1], [1_050, 50])[:, None]
    kept = even_levels(codes, [np.array([1.0, 0.0])], 1_000, np.random.default_rng(0))
    assert codes[kept].sum() <= 1


def test_a_rare_level_keeps_its_rows_when_pairs_speak_against_most_of_them():
    rng = np.random.default_rng(3)
    rows = 2_000
    rare = (np.arange(more(rows)) % 50 == 0).astype(np.int64)
    others = rng.integers(0, 8, (len(rare), 12))
    # By every pair a rare row has an even number: one of 4,096 that were drawn is like that in all of them.
    by_parts = [np.array([0.98 / 8] * 8 + [0.02 / 4, 0.0] * 4)] * 12
    codes = np.column_stack([8 * rare[:, None] + others, rare])
    kept = even_levels(codes, [*by_parts, np.array([0.98, 0.02])], rows, rng, pairs=12)
    assert rare[kept].mean() == pytest.approx(0.02, abs=0.002)


def test_barred_rows_are_kept_only_where_there_are_no_others():
    codes, rng = np.repeat([0, 1], [1_100, 50])[:, None], np.random.default_rng(4)
    shares = [np.array([0.96, 0.04])]
    few = np.arange(1_150) % 50 == 0
    kept = even_levels(codes, shares, 1_000, rng, barred=few)
    assert len(kept) == 1_000 and not few[kept].any()
    all_of_a_level = codes[:, 0] == 1
    kept = even_levels(codes, shares, 1_000, rng, barred=all_of_a_level)
    assert codes[kept].mean() == pytest.approx(0.04, abs=0.005)
    lacking = even_levels(codes, [np.array([0.9, 0.1])], 1_000, rng, barred=few)  # 50 rows are all there are
    assert len(lacking) == 1_000 and not few[lacking].any()
    most = np.arange(1_150) < 1_000
    kept = even_levels(codes, shares, 1_000, rng, barred=most)
    assert len(kept) == 1_000 and (~most[kept]).sum() > 145


def test_a_level_that_was_never_drawn_and_one_that_is_all_there_is_change_nothing():
    codes = np.zeros((1_100, 2), np.int64)
    shares = [np.array([0.5, 0.5]), np.array([0.0, 1.0])]
    assert len(even_levels(codes, shares, 1_000, np.random.default_rng(0))) == 1_000


def test_a_table_without_levels_keeps_any_rows():
    kept = even_levels(np.zeros((1_100, 0), np.int64), [], 1_000, np.random.default_rng(0))
    assert len(np.unique(kept)) == 1_000
