"""Unordered levels along the axis that explains the other columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import understudy.engines.ordering as ordering
from understudy.engines.ordering import MOST_LEVELS, coarse, correspondence_order
from understudy.missing import MISSING_STEP


def test_levels_that_follow_a_hidden_order_are_put_into_it():
    rng = np.random.default_rng(3)
    hidden = np.array([4, 0, 3, 1, 2])  # where each level truly stands
    codes = rng.integers(0, 5, 5_000)
    other = coarse(hidden[codes] + rng.normal(0, 0.7, 5_000))
    order = correspondence_order(codes, 5, [other])
    places = hidden[order].tolist()
    assert places in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])


@given(st.integers(1, 12), st.data())
def test_the_order_is_a_permutation_of_the_levels_whatever_the_data(levels, data):
    rows = data.draw(st.integers(1, 40))
    codes = data.draw(hnp.arrays(np.int64, rows, elements=st.integers(0, levels - 1)))
    others = [data.draw(hnp.arrays(np.int64, rows, elements=st.integers(0, 4))) for _ in range(2)]
    assert sorted(correspondence_order(codes, levels, others).tolist()) == list(range(levels))


def test_without_other_columns_or_with_two_levels_there_is_nothing_to_order():
    assert correspondence_order(np.array([0, 1, 2, 2]), 3, []).tolist() == [0, 1, 2]
    assert correspondence_order(np.array([0, 1]), 2, [np.array([1, 0])]).tolist() == [0, 1]


def test_a_level_of_one_row_stays_in_the_middle_of_well_placed_ones():
    rng = np.random.default_rng(4)
    codes = np.append(rng.integers(0, 4, 4_000), 4)
    other = coarse(np.append(codes[:-1] + rng.normal(0, 0.3, 4_000), 9.0))
    order = correspondence_order(codes, 5, [other]).tolist()
    assert order.index(4) in (1, 2, 3)


def test_more_levels_than_can_be_placed_are_all_still_there():
    rng = np.random.default_rng(5)
    levels = MOST_LEVELS + 200
    codes = rng.integers(0, levels, 5_000)
    order = correspondence_order(codes, levels, [rng.integers(0, 4, 5_000)])
    assert sorted(order.tolist()) == list(range(levels))


def test_the_order_does_not_depend_on_chance():
    rng = np.random.default_rng(6)
    codes, other = rng.integers(0, 9, 500), rng.integers(0, 5, 500)
    assert np.array_equal(correspondence_order(codes, 9, [other]), correspondence_order(codes, 9, [other]))


@pytest.mark.parametrize("column", [
    np.arange(-1, 39, dtype=np.int32), np.arange(40), np.linspace(-1, 1, 40), np.full(40, np.nan),
    np.where(np.arange(40) % 3 == 0, MISSING_STEP, np.arange(40)), np.full(40, 7),
    np.full(40, -1, dtype=np.int32),
])  # fmt: skip
def test_any_column_becomes_at_most_sixteen_codes(column):
    codes = coarse(column)
    assert codes.dtype == np.int64
    assert 0 <= codes.min() <= codes.max() <= 15


def test_missing_entries_have_a_code_of_their_own():
    steps = np.where(np.arange(50) % 2 == 0, MISSING_STEP, np.arange(50))
    floats = np.where(np.arange(50) % 2 == 0, np.nan, np.arange(50.0))
    for column in (steps, floats):
        codes = coarse(column)
        assert set(codes[::2].tolist()) == {0}
        assert 0 not in codes[1::2]


def planted(levels, rows, others, rng):
    """Codes whose levels follow a hidden order that every other column follows too, with noise."""
    hidden = rng.permutation(levels)
    codes = rng.integers(0, levels, rows)
    columns = [coarse(hidden[codes] / levels + rng.normal(0, 0.3, rows)) for _ in range(others)]
    return hidden, codes, columns


def test_a_thousand_levels_against_many_columns_are_put_into_their_hidden_order():
    hidden, codes, others = planted(1_000, 20_000, 40, np.random.default_rng(7))
    places = hidden[correspondence_order(codes, 1_000, others)]
    assert abs(np.corrcoef(places, np.arange(1_000))[0, 1]) > 0.95


def test_the_rarest_of_too_many_levels_stay_in_the_middle():
    rng = np.random.default_rng(8)
    hidden, codes, others = planted(10, 20_000, 3, rng)
    rare = np.arange(10, MOST_LEVELS + 500)
    codes = np.concatenate([codes, rare])
    others = [np.concatenate([other, rng.integers(1, 8, len(rare))]) for other in others]
    order = correspondence_order(codes, len(rare) + 10, others)
    where = np.argsort(order)
    outer = {int(hidden[level]) for level in order[[0, -1]] if level < 10}
    assert outer == {0, 9}
    unplaced = where[MOST_LEVELS:]  # of equally rare levels the first are placed
    assert np.array_equal(np.diff(unplaced), np.ones(len(unplaced) - 1))


def test_the_iteration_ends_as_soon_as_nothing_moves(monkeypatch):
    _, codes, others = planted(6, 3_000, 2, np.random.default_rng(9))
    wanted = correspondence_order(codes, 6, others)
    monkeypatch.setattr(ordering, "ROUNDS", 10**9)  # would not end in an hour
    assert np.array_equal(correspondence_order(codes, 6, others), wanted)
