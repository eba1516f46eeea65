"""Every column is guessed from the others; one that cannot be is told from one that is guessed badly."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import independent, people
from understudy.measuring.column_trials import Settings, column_trials
from understudy.measuring.trio import Trio
from understudy.table.evidence import Evidence

QUICK = Settings(rounds=10, folds=1, levels=50)


def trials(synthetic, settings=QUICK, train=None, holdout=None, seed=0):
    evidence = Evidence(
        train=people(200, 1) if train is None else train,
        synthetic=synthetic,
        holdout=people(150, 2) if holdout is None else holdout,
    )
    rng = np.random.default_rng(seed)
    return {trial.name: trial for trial in column_trials(Trio.of(evidence, rng), settings, rng)}


def grade(trial, learned):
    return trial.grade(learned, np.ones(int(trial.rows.max(initial=0)) + 1))


def replaced(table, name, cells):
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def test_columns_are_guessed_after_real_rows_and_not_after_rows_with_nothing_between_columns():
    found = trials(independent(people(200, 3)))
    assert set(found) == {"age", "job", "pay", "rich", "sex"}
    for name in ("age", "job", "pay", "rich"):
        assert grade(found[name], "real") > grade(found[name], "synthetic") + 0.15
    assert all(0 <= grade(trial, "synthetic") <= 1 for trial in found.values())


@pytest.mark.parametrize("folds", [1, 3])
def test_the_training_rows_themselves_teach_the_same(folds):
    found = trials(people(200, 1), Settings(rounds=5, folds=folds, levels=50))
    for trial in found.values():
        assert len(trial.real) == folds
        assert all(np.array_equal(one, two) for one, two in zip(trial.real, trial.synthetic, strict=True))


def test_each_of_three_models_learns_without_another_third():
    guesses = trials(people(200, 3), Settings(rounds=5, folds=3, levels=50))["pay"].real
    assert not np.array_equal(guesses[0], guesses[1])
    assert not np.array_equal(guesses[1], guesses[2])


def test_a_table_too_small_for_folds_is_learned_as_a_whole():
    found = trials(people(5, 3), Settings(rounds=2, folds=3, levels=50))
    assert len(found["age"].synthetic) == 1


def test_rows_without_the_cell_are_neither_learned_nor_tried():
    found = trials(people(200, 3))["pay"]
    assert len(found.rows) == 150 - int(np.isnan(np.asarray(people(150, 2).column("pay"))).sum())
    assert not np.isnan(found.truth).any()


def test_a_column_that_the_synthetic_table_leaves_empty_is_worth_0_there():
    found = trials(replaced(people(200, 3), "job", pa.nulls(200, pa.string())))["job"]
    assert grade(found, "synthetic") == 0
    assert grade(found, "real") > 0.4


def test_a_column_that_the_real_table_leaves_empty_has_no_grade():
    empty = replaced(people(200, 1), "job", pa.nulls(200, pa.string()))
    found = trials(people(200, 3), train=empty)["job"]
    assert math.isnan(grade(found, "real"))
    assert math.isnan(grade(found, "synthetic"))


def test_one_value_in_all_test_rows_has_no_grade_and_nor_has_it_in_rows_drawn_so():
    found = trials(people(200, 3), holdout=replaced(people(150, 2), "job", ["clerk"] * 150))["job"]
    assert math.isnan(grade(found, "real"))
    mixed = trials(people(200, 3))["job"]
    only = np.zeros(150)
    only[mixed.rows[mixed.truth == 0]] = 1.0
    assert math.isnan(mixed.grade("real", only))


def test_a_column_of_more_levels_than_allowed_is_not_guessed():
    found = trials(people(200, 3), Settings(rounds=2, folds=1, levels=2))
    assert found["job"].too_wide
    assert math.isnan(grade(found["job"], "real"))
    assert not found["sex"].too_wide
    assert not found["age"].too_wide


def test_a_bad_guess_of_a_quantity_is_worth_0_and_not_less():
    turned = replaced(people(200, 3), "pay", -np.asarray(people(200, 3).column("pay")) * 9)
    assert grade(trials(turned)["pay"], "synthetic") == 0


def test_real_models_learn_from_no_more_rows_than_synthetic_ones():
    small = trials(people(12, 3))
    large = trials(people(200, 3))
    assert grade(small["pay"], "real") < grade(large["pay"], "real")


def test_one_model_of_a_fold_is_graded_alone_and_their_mean_is_the_grade():
    found = trials(people(200, 3), Settings(rounds=5, folds=3, levels=50))["job"]
    whole = np.ones(150)
    each = [found.grade("synthetic", whole, fold) for fold in range(3)]
    assert len(set(each)) > 1
    assert found.grade("synthetic", whole) == pytest.approx(np.mean(each))
