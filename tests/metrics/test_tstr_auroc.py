"""The area that synthetic rows teach, with the area that real rows teach beside it."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import HARD, SAME, answer, constant, independent, judge, people, shifted
from understudy.errors import ParameterError
from understudy.metrics.tstr_auroc import TstrAuroc
from understudy.table.evidence import Evidence

QUICK = TstrAuroc(rounds=20, draws=20)


def test_real_rows_in_the_place_of_synthetic_ones_score_what_real_rows_score():
    copy = judge(QUICK, people(400, 1))
    assert copy.value == copy.null
    fresh = judge(QUICK, people(400, 3))
    assert fresh.low <= fresh.null <= fresh.high
    assert fresh.parts["real"] == fresh.null > 0.9


def test_a_turned_answer_scores_below_half_and_a_constant_one_exactly_half():
    assert judge(QUICK, shifted(people(400, 3))).high < 0.2
    flat = judge(QUICK, constant(people(400, 3)))
    assert flat.value == 0.5
    assert flat.low <= 0.5 <= flat.high


def test_columns_with_nothing_between_them_teach_nothing():
    found = judge(QUICK, independent(people(400, 3)))
    assert found.value < found.null - 0.2
    assert found.parts["loss"] == pytest.approx(found.null - found.value)


def test_the_interval_of_two_classes_is_delongs_and_narrows_with_the_test_rows():
    small, large = (judge(QUICK, people(400, 3), holdout=people(rows, 2)) for rows in (100, 1_600))
    assert (large.high - large.low) < 0.5 * (small.high - small.low)
    assert (small.n, large.n) == (100, 1_600)


def test_more_than_two_classes_are_each_set_against_all_others():
    found = judge(QUICK, people(400, 3), target="job")
    assert found.parts["classes"] == 3
    assert found.low < found.value < found.high
    assert 0.7 < found.value < 1
    assert found.null > 0.7


def test_classes_that_the_test_rows_lack_lower_the_coverage():
    holdout = people(300, 2).set_column(1, "job", pa.array(["clerk", "nurse"] * 150))
    found = judge(QUICK, people(400, 3), target="job", holdout=holdout)
    assert found.parts["classes"] == 2
    assert found.parts["coverage"] == pytest.approx(2 / 3)


def test_a_class_that_the_synthetic_table_lacks_is_never_expected():
    job = np.asarray(people(400, 3).column("job"))
    found = judge(QUICK, people(400, 3).filter(pa.array(job != "nurse")), target="job")
    assert found.value < found.null


def test_classes_that_no_real_row_has_do_not_disturb_the_order_of_those_that_are():
    odd = [
        "maybe" if place % 2 else cell for place, cell in enumerate(people(800, 3).column("rich").to_pylist())
    ]
    found = judge(QUICK, people(800, 3).set_column(4, "rich", pa.array(odd)))
    assert found.value > 0.85


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_orders_units_and_names_do_not_matter(change):
    tables = people(200, 1), people(150, 3), people(150, 2)
    plain = judge(QUICK, tables[1], train=tables[0], holdout=tables[2])
    train, synthetic, holdout = map(change, tables)
    other = judge(QUICK, synthetic, train=train, holdout=holdout)
    assert other.value == pytest.approx(plain.value, abs=0.01)
    assert other.null == pytest.approx(plain.null, abs=0.01)


def test_a_quantity_has_no_area_and_it_is_said():
    found = judge(QUICK, people(400, 3), target="pay")
    assert math.isnan(found.value)
    assert "undefined: the target 'pay' is a quantity" in found.notes[0]


def test_one_class_in_the_test_rows_has_no_area_and_it_is_said():
    holdout = people(300, 2).set_column(4, "rich", pa.array(["yes"] * 300))
    found = judge(QUICK, people(400, 3), holdout=holdout)
    assert math.isnan(found.value)
    assert "all test rows have the same 'rich'" in found.notes[0]


def test_the_notes_name_the_booster_and_say_that_the_holdout_is_used_twice():
    notes = judge(QUICK, people(400, 3)).notes
    assert any("20 rounds" in note for note in notes)
    assert any("non-members" in note for note in notes)


def test_without_a_holdout_nothing_is_said_of_its_second_use():
    train, synthetic = people(300, 1), people(300, 3)
    notes = QUICK(Evidence(train=train, synthetic=synthetic, target="rich")).notes
    assert any("no holdout" in note for note in notes)
    assert not any("non-members" in note for note in notes)


def test_the_target_can_be_named_and_must_be_a_column():
    assert judge(TstrAuroc(rounds=5, target="sex"), people(400, 3)).parts["classes"] == 2
    with pytest.raises(ParameterError, match="target must be a column"):
        judge(TstrAuroc(target="rch"), people(400, 3))


def test_larger_tables_are_drawn_from_and_the_null_is_of_the_same_size():
    found = judge(TstrAuroc(rounds=5, rows=100), people(400, 3))
    assert found.n == 100
    assert "100 of 400 synthetic rows were drawn" in found.notes


def test_the_same_seed_gives_the_same_answer():
    assert judge(QUICK, people(99, 3), seed=4).to_dict() | {"seconds": 0} == judge(
        QUICK, people(99, 3), seed=4
    ).to_dict() | {"seconds": 0}


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_get_an_answer_or_a_reason(name):
    answer(TstrAuroc(rounds=2, draws=10), name)
