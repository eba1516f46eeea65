"""What the few get, beside what the many get."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import HARD, SAME, answer, constant, independent, judge, people, shifted
from understudy.errors import ParameterError
from understudy.metrics.subgroups import Subgroups

QUICK = Subgroups(rounds=10, draws=20, least=20)


def spoilt_for(table, sex):
    """Return rows in which the answer of one group is turned round."""
    turned = {"yes": "no", "no": "yes"}
    cells = [
        turned[rich] if who == sex else rich
        for rich, who in zip(table.column("rich").to_pylist(), table.column("sex").to_pylist(), strict=True)
    ]
    return table.set_column(4, "rich", pa.array(cells))


def test_a_copy_loses_nothing_in_any_group():
    found = judge(QUICK, people(400, 1))
    assert found.value == 0.0
    assert found.parts["gap"] == found.parts["gap_real"]
    assert found.parts["sex=0 fidelity"] == found.parts["sex=1 fidelity"] == 1.0


def test_a_fresh_sample_loses_about_as_little_as_the_null():
    found = judge(QUICK, people(400, 3))
    assert abs(found.value - found.null) < 0.12
    assert found.low <= found.value <= found.high


def test_a_table_that_is_wrong_about_one_group_alone_is_found_out():
    train, holdout = people(900, 1), people(600, 2)
    found = judge(QUICK, spoilt_for(people(900, 3), "F"), train=train, holdout=holdout)
    assert found.parts["sex=0 grade"] < 0.4 < 0.8 < found.parts["sex=0 grade_real"]
    assert found.parts["sex=1 grade"] > 0.8
    assert found.parts["gap"] > found.parts["gap_real"] + 0.3
    assert found.value == pytest.approx(found.parts["sex=0 grade_real"] - found.parts["sex=0 grade"])
    assert found.low > found.null


@pytest.mark.parametrize("spoil", [shifted, independent, constant])
def test_spoilt_tables_lose_more_than_the_null(spoil):
    found = judge(QUICK, spoil(people(400, 3)))
    assert found.low > found.null


def test_shares_are_those_of_both_tables():
    few = people(400, 3).filter(pa.array(np.asarray(people(400, 3).column("sex")) == "M"))
    found = judge(QUICK, few)
    share = np.mean(np.asarray(people(400, 1).column("sex")) == "F")
    assert found.parts["sex=0 share"] == pytest.approx(share)
    assert found.parts["sex=0 share_synthetic"] == 0.0
    assert math.isnan(found.parts["sex=0 fidelity"])


def test_groups_are_codes_and_never_cell_values():
    found = judge(Subgroups(rounds=2, draws=10, by="job", least=5), people(400, 3))
    text = json.dumps(found.to_dict())
    assert {"job=0 grade", "job=1 grade", "job=2 grade"} <= set(found.parts)
    assert not any(name in text for name in ("clerk", "farmer", "nurse"))


def test_the_column_with_the_fewest_levels_is_taken_and_it_is_said():
    found = judge(QUICK, people(400, 3))
    assert "groups: by 'sex', the column of the smallest number of levels" in found.notes
    assert found.parts["groups"] == 2
    named = judge(Subgroups(rounds=10, draws=20, least=20, by="sex"), people(400, 3))
    assert named.value == found.value
    assert not any("smallest number" in note for note in named.notes)


@pytest.mark.parametrize("name", ["rich", "age", "no such column"])
def test_groups_by_the_target_a_quantity_or_nothing_are_refused(name):
    with pytest.raises(
        ParameterError, match=r"^subgroups: by must be a column of levels and not the target; got"
    ):
        judge(Subgroups(by=name), people(400, 3))


def test_small_groups_are_undefined_and_counted():
    found = judge(Subgroups(rounds=2, draws=10, least=120), people(400, 3))
    assert found.parts["coverage"] == 0.5
    none = judge(Subgroups(rounds=2, draws=10, least=1_000), people(400, 3))
    assert math.isnan(none.value)
    assert "no group of 'sex' has 1,000 test rows to grade" in none.notes[0]


def test_only_the_largest_groups_are_looked_at_and_the_others_counted_aloud():
    found = judge(Subgroups(rounds=2, draws=10, least=5, by="job", most=2), people(400, 3))
    assert found.parts["groups"] == 2
    assert "1 smaller groups were not looked at" in found.notes


def test_a_quantity_is_graded_by_d2():
    by_sex = replace(QUICK, by="sex")
    found = judge(by_sex, people(400, 3), target="pay")
    assert 0 <= found.parts["sex=0 grade"] <= 1
    assert found.parts["sex=0 grade_real"] > 0.3
    assert judge(by_sex, independent(people(400, 3)), target="pay").value > found.value + 0.2


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_orders_units_and_names_do_not_matter(change):
    tables = people(300, 1), people(300, 3), people(300, 2)
    train, synthetic, holdout = map(change, tables)
    plain = judge(QUICK, tables[1], train=tables[0], holdout=tables[2])
    other = judge(QUICK, synthetic, train=train, holdout=holdout)
    assert other.value == pytest.approx(plain.value, abs=0.02)
    assert other.parts["gap_real"] == pytest.approx(plain.parts["gap_real"], abs=0.02)


def test_a_table_without_levels_but_the_target_has_no_groups_and_it_is_said():
    found = answer(QUICK, "numbers alone")
    assert math.isnan(found.value)
    assert "no column of 2 or more levels but the target" in found.notes[0]


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_get_an_answer_or_a_reason(name):
    answer(Subgroups(rounds=2, draws=10, least=2), name)
