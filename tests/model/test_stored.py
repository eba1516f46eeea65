"""Stored rows are dealt like cards: every one once before any comes twice."""

import time

import numpy as np
import pytest

from understudy.engines.condition import Between
from understudy.errors import NothingMatches
from understudy.model.stored import StoredRows

ROWS = StoredRows({"n": np.arange(10, dtype=np.int64), "x": np.arange(10) / 10})


def draw(rows, conditions=None, seed=0, stored=ROWS):
    return stored.draw(rows, np.random.default_rng(seed), conditions or {})


def test_every_row_comes_once_before_any_comes_twice():
    found = draw(25)["n"]
    for start in (0, 10):
        assert sorted(found[start : start + 10]) == list(range(10))
    assert len(set(found[20:])) == 5


def test_cells_of_one_row_stay_together():
    found = draw(30)
    assert np.array_equal(found["n"] / 10, found["x"])


def test_the_order_is_random_and_each_deal_is_shuffled_anew():
    found = draw(40)["n"].reshape(4, 10)
    assert len({tuple(deal) for deal in found}) == 4


def test_every_row_is_equally_likely_to_come_first():
    first = np.bincount([draw(1, seed=seed)["n"][0] for seed in range(2_000)], minlength=10)
    assert ((first - 200) ** 2 / 200).sum() < 43.2  # chi-square with 9 degrees of freedom, level 2e-6


def test_only_matching_rows_are_dealt():
    found = draw(7, {"n": Between(3, 5)})["n"]
    assert sorted(found[:3]) == [3, 4, 5]
    assert set(found) == {3, 4, 5}


def test_no_matching_row_is_an_error():
    with pytest.raises(NothingMatches, match="none of the stored rows"):
        draw(1, {"n": Between(50, 60)})


def test_a_million_rows_from_a_single_one_take_no_loop():
    began = time.monotonic()
    assert len(draw(1_000_000, {"n": Between(3, 3)})["n"]) == 1_000_000
    assert time.monotonic() - began < 5


def test_no_columns_are_no_columns():
    assert draw(5, stored=StoredRows({})) == {}


def test_state_and_back_is_the_same():
    tensors, facts = ROWS.state()
    again = StoredRows.restore(tensors, facts)
    assert list(again.columns) == ["n", "x"]
    assert all(np.array_equal(again.columns[name], ROWS.columns[name]) for name in ROWS.columns)
