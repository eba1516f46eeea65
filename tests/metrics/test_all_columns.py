"""Every column as a target: the paper's percentile, and what it hides beside it."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import HARD, SAME, answer, constant, independent, judge, people
from understudy.measuring.column_trials import ColumnTrial
from understudy.metrics import all_columns
from understudy.metrics.all_columns import AllColumns
from understudy.table.evidence import Evidence

QUICK = AllColumns(rounds=5, folds=1, draws=10)


def trial(name, real, synthetic, quantity=True):
    """Return a column whose grades are D2 of guesses for 1, 2, 3, 4."""
    truth = np.array([1.0, 2.0, 3.0, 4.0])
    guesses = [[np.asarray(each, dtype=float)] if each is not None else [] for each in (real, synthetic)]
    return ColumnTrial(name, quantity, False, np.arange(4), truth, *guesses)


def test_d2_is_0_for_one_far_guess_and_0_875_for_a_near_one():
    far, near = [1, 2, 3, 8], [1, 2, 3, 4.5]
    assert all_columns._score([trial("x", near, far)], np.ones(4)).value == 0.0
    assert all_columns._score([trial("x", near, near)], np.ones(4)).parts["real_90"] == 0.875


@pytest.mark.parametrize("synthetic", [[1, 2, 3, 8], [1, 2, 3, 4.5]])
def test_where_real_rows_teach_nothing_the_ratio_is_undefined_and_not_1(synthetic):
    far, right = [1, 2, 3, 8], [1, 2, 3, 4]
    nothing = all_columns._score([trial("x", far, synthetic)], np.ones(4))
    assert math.isnan(nothing.value) and nothing.parts["coverage"] == 0
    half = all_columns._score([trial("x", far, synthetic), trial("y", right, right)], np.ones(4))
    assert (half.value, half.parts["coverage"]) == (1.0, 0.5)
    assert half.parts["real_90"] == 1.0


def test_columns_without_anything_between_them_are_undefined_with_a_reason():
    train = pa.table({"x": [0.0] * 150 + [1.5] * 50, "y": [2.0] * 120 + [2.5] * 80})
    found = QUICK(Evidence(train=independent(train), synthetic=train, holdout=independent(train, 3)))
    assert math.isnan(found.value) and found.parts["coverage"] == 0
    assert "undefined: real rows teach nothing about any column" in found.notes


def test_the_value_is_the_ratio_of_the_90th_percentiles_and_never_above_1():
    right, near, far = [1, 2, 3, 4], [1, 2, 3, 4.5], [1, 2, 3, 8]
    score = all_columns._score([trial("a", right, near), trial("b", near, far)], np.ones(4))
    assert score.parts["real_90"] == pytest.approx(0.9 * 1 + 0.1 * 0.875)
    assert score.parts["synthetic_90"] == pytest.approx(0.9 * 0.875)
    assert score.value == pytest.approx(0.9 * 0.875 / 0.9875)
    assert score.parts["ratio_median"] == pytest.approx(0.4375 / 0.9375)
    better = all_columns._score([trial("a", near, right)], np.ones(4))
    assert (better.value, better.parts["ratio_uncapped"]) == (1.0, pytest.approx(1 / 0.875))


def test_the_columns_that_lose_most_are_named_and_those_that_lose_nothing_are_not():
    right, near, far = [1, 2, 3, 4], [1, 2, 3, 4.5], [1, 2, 3, 8]
    score = all_columns._score(
        [trial("a", right, right), trial("b", near, far), trial("c", right, near)], np.ones(4)
    )
    assert [key for key in score.parts if key.startswith("lost")] == ["lost b", "lost c"]
    assert score.parts["lost b"] == 0.875


def test_an_undefined_column_is_left_out_and_counted():
    score = all_columns._score(
        [trial("a", [1, 2, 3, 4], [1, 2, 3, 4]), trial("b", None, [1, 2, 3, 4])], np.ones(4)
    )
    assert score.parts["coverage"] == 0.5
    assert score.value == 1.0


def test_copies_and_fresh_tables_teach_what_real_rows_teach():
    copy = judge(QUICK, people(400, 1))
    assert copy.value == 1.0
    fresh = judge(QUICK, people(400, 3))
    assert fresh.value > 0.9
    assert fresh.null > 0.85
    assert fresh.low <= fresh.value <= fresh.high <= 1


def test_the_interval_counts_what_other_rows_to_learn_from_would_change():
    tables = people(80, 3), people(80, 1), people(2_000, 2)
    one, three = (
        judge(AllColumns(rounds=5, folds=folds, draws=20), tables[0], train=tables[1], holdout=tables[2])
        for folds in (1, 3)
    )
    assert three.high - three.low > one.high - one.low


def test_the_percentile_hides_what_the_median_shows():
    table = people(400, 3)
    spoilt = table.set_column(2, "pay", table.column("pay").take(np.random.default_rng(0).permutation(400)))
    found = judge(QUICK, spoilt)
    assert found.parts["ratio_mean"] < found.value
    assert any(key == "lost pay" for key in found.parts)


@pytest.mark.parametrize("spoil", [independent, constant])
def test_tables_that_teach_nothing_score_far_below_the_null(spoil):
    found = judge(QUICK, spoil(people(400, 3)))
    assert found.high < found.null
    assert found.value < 0.7


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_orders_units_and_names_do_not_matter(change):
    tables = people(150, 1), people(120, 3), people(120, 2)
    train, synthetic, holdout = map(change, tables)
    plain = judge(QUICK, tables[1], train=tables[0], holdout=tables[2])
    other = judge(QUICK, synthetic, train=train, holdout=holdout)
    assert other.value == pytest.approx(plain.value, abs=0.02)


def test_a_constant_column_is_undefined_and_lowers_the_coverage():
    tables = [
        people(rows, seed).append_column("k", pa.array(["k"] * rows)) for rows, seed in ((150, 1), (150, 3))
    ]
    found = QUICK(Evidence(train=tables[0], synthetic=tables[1]))
    assert found.parts["coverage"] == pytest.approx(5 / 6)


def test_a_column_of_too_many_levels_is_left_out_aloud():
    found = judge(AllColumns(rounds=2, folds=1, draws=10, levels=2), people(150, 3))
    assert found.parts["coverage"] == pytest.approx(4 / 5)
    assert "not predicted, too many levels: 1 columns" in found.notes


def test_what_can_not_be_predicted_at_all_is_undefined_with_a_reason():
    found = answer(QUICK, "everything constant")
    assert math.isnan(found.value)
    assert "no column can be predicted" in found.notes[0]


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_get_an_answer_or_a_reason(name):
    answer(AllColumns(rounds=2, draws=10), name)
