import numpy as np
import pyarrow as pa
import pytest

from understudy.measuring import booster
from understudy.measuring.telling import Told, alike, folds_of, said_of_size, tell_apart
from understudy.table.evidence import Evidence


def coded(train, synthetic):
    evidence = Evidence(train=pa.table(train), synthetic=pa.table(synthetic))
    return evidence.coded("train"), evidence.coded("synthetic")


def ages(rows, seed, **odd):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows).astype(float)
    return {"age": age, "pay": np.round(rng.gamma(2, 900, rows) + 10 * age), **odd}


def area(tables, seed=0, **settings):
    told = tell_apart(*tables, np.random.default_rng(seed), **{"rounds": 30, **settings})
    return told.area[0]


def test_a_copy_is_told_by_chance_and_not_always_wrong():
    real = ages(400, 0)
    order = np.random.default_rng(1).permutation(400)
    assert area(coded(real, {name: cells[order] for name, cells in real.items()})) == 0.5


def test_a_copy_of_a_coarse_table_is_told_by_chance_too():
    levels = {"s": np.random.default_rng(0).choice(["a", "b", "c"], 600)}
    assert area(coded(levels, levels)) == pytest.approx(0.5, abs=0.06)


def test_fresh_samples_are_told_by_chance_in_the_mean_whether_coarse_or_fine():
    def mean(make):
        return np.mean([area(coded(make(200, s), make(200, s + 500)), rounds=10) for s in range(12)])

    def coarse(rows, seed):
        return {"s": np.random.default_rng(seed).choice(list("abcdef"), rows)}

    assert mean(ages) == pytest.approx(0.5, abs=0.03) == mean(coarse)


def test_samples_smaller_than_the_number_of_steps_are_told_by_chance_too():
    areas = [area(coded(ages(150, s), ages(150, s + 500)), rounds=50) for s in range(16)]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.015)


def test_number_formatting_is_not_seen():
    real, fresh = ages(500, 0), ages(500, 1)
    noise = np.random.default_rng(2).uniform(-0.49, 0.49, 500)
    formatted = {name: cells + noise * (name == "age") for name, cells in fresh.items()}
    formatted["age"] = np.clip(formatted["age"], 18, 79)
    assert abs(area(coded(real, formatted)) - 0.5) < 0.07
    integers = {name: cells.astype(np.int64) for name, cells in fresh.items()}
    assert area(coded(real, integers)) == area(coded(real, fresh))


def test_values_beyond_all_real_ones_missing_cells_and_new_levels_are_seen():
    real = ages(300, 0, s=["a", "b", None] * 100)
    for name, cells in {"age": 900.0, "pay": -1e300, "s": "new"}.items():
        odd = {**ages(300, 1, s=["a", "b", None] * 100), name: np.full(300, cells)}
        assert area(coded(real, odd)) > 0.95
    assert area(coded(real, {**ages(300, 1, s=["a"] * 300)})) > 0.75


def test_equal_rows_are_held_out_together_unless_there_are_many():
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(100.0), 3)[:, None]
    folds = folds_of(rows, 5, rng)
    assert all(len(set(folds[rows[:, 0] == value])) == 1 for value in range(100))
    assert np.bincount(folds).tolist() == [60] * 5
    many = folds_of(np.zeros((50, 1)), 5, rng)
    assert np.bincount(many).tolist() == [10] * 5


def test_both_tables_give_as_many_rows_in_whatever_order_they_stood():
    tables = coded(ages(50, 0), ages(80, 1))
    turned = tuple(table.take(np.arange(len(table))[::-1]) for table in tables)
    one, other = (alike(pair, 30, np.random.default_rng(0)) for pair in (tables, turned))
    assert [len(table) for table in one] == [30, 30]
    assert all((a["pay"] == b["pay"]).all() for a, b in zip(one, other, strict=True))
    assert said_of_size(tables, 30) == ("30 rows were drawn of each of 50 and 80",)
    assert said_of_size((one[0], one[1]), 30) == ()


def test_the_probabilities_come_from_models_that_never_saw_the_row():
    # Pure noise with more columns than rows: a model that saw a row would know it.
    rng = np.random.default_rng(0)
    real, synthetic = ({f"c{j}": rng.random(60) for j in range(80)} for _ in range(2))
    assert area(coded(real, synthetic)) < 0.7


def test_the_same_is_done_without_xgboost(monkeypatch):
    monkeypatch.setattr(booster, "_has_xgboost", lambda: False)
    assert area(coded(ages(200, 0), ages(200, 1))) == pytest.approx(0.5, abs=0.1)
    assert area(coded(ages(200, 0), {**ages(200, 1), "age": np.full(200, 30.0)})) > 0.9


def test_gaps_are_how_far_probabilities_are_from_one_half():
    told = Told(np.array([0.4, 0.1]), np.array([0.9, 0.6]), np.array([0, 1]), np.array([0, 1]))
    assert told.gaps == pytest.approx([0.1, 0.4, 0.4, 0.1])


def test_rows_are_compared_within_their_fold_only():
    told = Told(np.array([0.4, 0.1, 0.9]), np.array([0.6, 0.3]), np.array([0, 1, 2]), np.array([0, 1]))
    assert told.area[0] == 1.0
