"""Three tables without a row too many in a wrong place."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import SAME, people
from understudy.measuring.trio import NO_HOLDOUT, Trio
from understudy.table.evidence import Evidence


def trio(train=None, synthetic=None, holdout=None, seed=0):
    evidence = Evidence(
        train=people(100, 1) if train is None else train,
        synthetic=people(80, 2) if synthetic is None else synthetic,
        holdout=holdout,
        target="rich",
    )
    return Trio.of(evidence, np.random.default_rng(seed))


def test_the_holdout_is_what_is_tried_on():
    found = trio(holdout=people(60, 3))
    assert (len(found.train), len(found.test), len(found.synthetic)) == (100, 60, 80)
    assert set(found.test["age"]) == set(np.asarray(people(60, 3).column("age")))
    assert found.notes == ()


def test_without_a_holdout_a_quarter_is_kept_apart_and_it_is_said():
    found = trio()
    assert (len(found.train), len(found.test)) == (75, 25)
    assert not set(found.train["age"]) & set(found.test["age"])
    assert found.notes == (NO_HOLDOUT,)


@pytest.mark.parametrize("change", [SAME["rows"], SAME["columns"], SAME["names"]])
def test_what_is_drawn_does_not_hang_on_the_order_of_rows_columns_or_names(change):
    plain = trio().draw(30, np.random.default_rng(1))
    other = trio(change(people(100, 1)), change(people(80, 2))).draw(30, np.random.default_rng(1))
    for one, two in (
        (plain.train, other.train),
        (plain.test, other.test),
        (plain.synthetic, other.synthetic),
    ):
        assert all(np.array_equal(one[name], two[name], equal_nan=name == "pay") for name in one.arrays)


def test_rows_that_are_drawn_are_counted_aloud():
    found = trio(holdout=people(60, 3)).draw(70, np.random.default_rng(0))
    assert (len(found.train), len(found.test), len(found.synthetic)) == (70, 60, 70)
    assert found.notes == ("70 of 100 train rows were drawn", "70 of 80 synthetic rows were drawn")


def test_a_copy_is_still_one_after_the_draw():
    found = trio(synthetic=people(100, 1), holdout=people(60, 3)).draw(30, np.random.default_rng(0))
    assert np.array_equal(found.train["age"], found.synthetic["age"])


def test_rows_with_a_missing_cell_are_left_out_of_every_table():
    found = trio(holdout=people(60, 3)).known("pay")
    for table in (found.train, found.test, found.synthetic):
        assert not np.isnan(table["pay"]).any()
    assert len(found.train) == 100 - people(100, 1).column("pay").null_count - _nan(people(100, 1))


def test_the_null_has_no_row_on_both_sides_and_is_no_larger_than_what_is_judged():
    found = trio(synthetic=people(20, 2), holdout=people(60, 3))
    null = found.of_real(np.random.default_rng(0))
    assert not set(null.train["age"]) & set(null.synthetic["age"])
    assert (len(null.train), len(null.synthetic)) == (50, 20)
    assert null.notes == ("the null compares 50 with 20 real rows",)
    assert null.test is found.test


def test_two_rows_can_still_be_halved():
    table = pa.table({"x": [1.5, 2.5], "y": ["a", "b"]})
    found = Trio.of(Evidence(train=table, synthetic=table), np.random.default_rng(0))
    assert (len(found.train), len(found.test)) == (2, 0)
    assert len(found.of_real(np.random.default_rng(0)).train) == 1


def _nan(table):
    return int(np.isnan(np.asarray(table.column("pay"))).sum())
