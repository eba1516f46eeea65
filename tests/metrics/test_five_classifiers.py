"""Five accuracies, and beside them what the larger class alone would reach."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from measuring.people import HARD, SAME, answer, constant, independent, judge, people, shifted
from understudy.metrics.five_classifiers import FiveClassifiers
from understudy.table.evidence import Evidence

QUICK = FiveClassifiers(draws=20)
FIVE = ("forest", "tree", "logistic", "adaboost", "mlp")


@pytest.fixture(scope="module")
def fresh():
    return judge(QUICK, people(400, 3))


def test_the_value_is_the_mean_of_five_accuracies(fresh):
    assert fresh.value == pytest.approx(np.mean([fresh.parts[name] for name in FIVE]))
    assert fresh.null == fresh.parts["real"]
    assert fresh.null == pytest.approx(np.mean([fresh.parts[f"{name} real"] for name in FIVE]))


def test_a_fresh_table_reaches_what_real_rows_reach(fresh):
    assert abs(fresh.value - fresh.null) < 0.06
    assert fresh.low < fresh.value < fresh.high
    assert fresh.n == 300


def test_a_copy_of_the_training_rows_reaches_exactly_what_they_reach():
    copy = judge(QUICK, people(400, 1))
    assert copy.value == copy.null


def test_a_turned_answer_is_nearly_always_wrong():
    assert judge(QUICK, shifted(people(200, 3))).value < 0.2


def test_a_constant_table_reaches_the_share_of_its_class_and_is_no_better_than_guessing():
    table = constant(people(200, 3))
    found = judge(QUICK, table)
    said = table.column("rich")[0].as_py()
    share = np.mean([cell == said for cell in people(300, 2).column("rich").to_pylist()])
    assert found.value == pytest.approx(share)
    assert any(note.startswith("no better than always guessing") for note in found.notes)


def test_the_majority_is_that_of_the_real_training_rows(fresh):
    cells = people(400, 1).column("rich").to_pylist()
    most = max(set(cells), key=cells.count)
    share = np.mean([cell == most for cell in people(300, 2).column("rich").to_pylist()])
    assert fresh.parts["majority"] == pytest.approx(share)
    assert fresh.parts["above_majority"] == pytest.approx(fresh.value - share)
    assert any(note.startswith("better than always guessing") for note in fresh.notes)


def test_a_quantity_has_no_accuracy_and_it_is_said():
    found = judge(QUICK, people(100, 3), target="pay")
    assert math.isnan(found.value)
    assert "is a quantity" in found.notes[0]


SMALL = people(120, 1), people(100, 3), people(100, 2)


@pytest.fixture(scope="module")
def plain():
    return judge(QUICK, SMALL[1], train=SMALL[0], holdout=SMALL[2])


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_orders_units_and_names_do_not_matter(change, plain):
    train, synthetic, holdout = map(change, SMALL)
    other = judge(QUICK, synthetic, train=train, holdout=holdout)
    assert other.value == pytest.approx(plain.value, abs=1e-9)


def test_a_table_of_one_column_is_guessed_by_its_most_frequent_class():
    table = pa.table({"y": ["a", "a", "a", "b"] * 20})
    found = QUICK(Evidence(train=table, synthetic=table.slice(0, 40), holdout=table.slice(0, 20)))
    assert found.value == found.parts["majority"] == 0.75


def test_adaboost_guesses_where_no_stump_makes_more_than_guessing():
    table = pa.table(
        {"a": ["u", "u", "v", "v"] * 20, "b": ["s", "t", "s", "t"] * 20, "y": ["n", "p", "p", "n"] * 20}
    )
    found = QUICK(Evidence(train=table, synthetic=table.slice(0, 60), holdout=table.slice(0, 40)))
    assert found.parts["adaboost"] == 0.5
    assert found.parts["tree"] == 1.0


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_get_an_answer_or_a_reason(name):
    answer(FiveClassifiers(draws=10), name)


@pytest.mark.slow
def test_0_76_on_adult_is_the_majority_class(datasets):
    rows = us.read(datasets / "adult.csv.gz").to_arrow()
    evidence = Evidence(
        train=rows.slice(0, 32_561),
        synthetic=independent(rows.slice(0, 32_561)),
        holdout=rows.slice(32_561),
        target="income",
    )
    found = FiveClassifiers(rows=2_000)(evidence)
    assert found.parts["majority"] == pytest.approx(0.76, abs=0.03)  # of 2,000 drawn test rows
    assert found.value < found.parts["majority"] + 0.01
    assert found.null > 0.8
