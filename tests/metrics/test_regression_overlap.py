"""Intervals of coefficients: a copy overlaps wholly, a fresh sample by 0.71, another law hardly."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import HARD, SAME, answer, constant, independent, judge, people, shifted
from understudy.engines.glm import Estimate
from understudy.metrics import regression_overlap
from understudy.metrics.regression_overlap import RegressionOverlap
from understudy.table.evidence import Evidence

QUICK = RegressionOverlap(halves=4, nulls=2)


def estimate(coefficients, errors, quantile=2.0):
    return Estimate(np.array(coefficients, dtype=float), np.array(errors, dtype=float), quantile)


@pytest.mark.parametrize(
    ("real", "synthetic", "expected"),
    [
        ((0.0, 1.0), (0.0, 1.0), 1.0),
        ((0.0, 1.0), (2.0, 1.0), 0.5),
        ((0.0, 1.0), (0.0, 2.0), 0.75),
        ((0.0, 1.0), (9.0, 1.0), 0.0),
        ((0.0, 0.0), (1.0, 1.0), 0.5),
        ((0.0, 0.0), (0.0, 0.0), 1.0),
        ((0.0, 0.0), (1.0, 0.0), 0.0),
    ],
)
def test_the_overlap_is_the_mean_share_of_each_interval_in_the_other(real, synthetic, expected):
    score = regression_overlap._compared(*(estimate([b], [e]) for b, e in (real, synthetic)))
    assert score.value == pytest.approx(expected)


def test_the_parts_count_meetings_signs_and_distances():
    score = regression_overlap._compared(
        estimate([1, -1, 2, np.nan], [1, 1, 1, 1]), estimate([1, 2, 9, 1], [1] * 4)
    )
    assert score.parts["overlapping"] == pytest.approx(2 / 3)
    assert score.parts["same_sign"] == pytest.approx(2 / 3)
    assert score.parts["standardised_difference"] == pytest.approx((0 + 3 + 7) / 3)
    assert score.parts["worst_difference"] == 7
    assert score.parts["coverage"] == 0.75


def test_a_copy_overlaps_wholly():
    found = judge(QUICK, people(400, 1))
    assert found.value == 1.0
    assert found.parts["overlapping"] == found.parts["same_sign"] == 1.0
    assert found.parts["standardised_difference"] == 0.0


def test_fresh_samples_of_one_law_overlap_by_0_71_on_average():
    values = [
        judge(QUICK, people(400, seed + 100), train=people(400, seed), target="pay").value
        for seed in range(12)
    ]
    assert np.mean(values) == pytest.approx(1 - 2 / math.sqrt(math.pi) / 1.96 / 2, abs=0.06)


def test_a_turned_answer_has_the_signs_of_no_coefficient_that_matters():
    found, fresh = judge(QUICK, shifted(people(400, 3))), judge(QUICK, people(400, 3))
    assert found.value < fresh.value - 0.2
    assert found.parts["same_sign"] < fresh.parts["same_sign"]


def test_columns_with_nothing_between_them_overlap_less_than_the_null():
    found = judge(RegressionOverlap(halves=10, nulls=3), independent(people(400, 3)), target="pay")
    assert found.high < found.null


def test_a_constant_table_has_no_coefficients_so_that_nothing_overlaps():
    found = judge(QUICK, constant(people(400, 3)))
    assert found.value == found.parts["overlapping"] == found.parts["same_sign"] == 0.0
    assert (found.parts["not_estimable"], found.parts["coverage"]) == (1.0, 1.0)


def test_a_real_table_without_estimates_is_undefined_and_it_is_said():
    found = judge(QUICK, people(400, 3), train=constant(people(400, 1)))
    assert math.isnan(found.value)
    assert found.parts["coverage"] == 0.0
    assert "undefined: no coefficient can be estimated in the real table" in found.notes


@pytest.mark.parametrize("target", ["rich", "pay"])
@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_orders_units_and_names_do_not_matter(change, target):
    tables = people(300, 1), people(300, 3)
    plain = judge(QUICK, tables[1], train=tables[0], target=target)
    other = judge(
        QUICK, change(tables[1]), train=change(tables[0]), holdout=change(people(300, 2)), target=target
    )
    assert other.value == pytest.approx(plain.value, abs=1e-5)
    assert other.parts["same_sign"] == plain.parts["same_sign"]


def test_more_than_two_levels_are_the_most_frequent_against_all_others_and_it_is_said():
    found = judge(QUICK, people(400, 3), target="job")
    assert 0 < found.value <= 1
    assert any("most frequent level" in note for note in found.notes)


def test_a_twin_of_a_column_is_left_out_of_both_models():
    def doubled(table):
        return table.append_column("age again", pa.array(np.asarray(table.column("age")) * 2 + 1))

    plain = judge(QUICK, people(400, 3))
    found = judge(
        QUICK, doubled(people(400, 3)), train=doubled(people(400, 1)), holdout=doubled(people(300, 2))
    )
    assert found.value == pytest.approx(plain.value)
    assert found.parts["coefficients"] == plain.parts["coefficients"]


def test_a_level_that_settles_the_answer_is_left_out_of_the_mean_and_counted():
    def settled(table):
        cells = [
            "s" if rich == "yes" and n % 3 else "t" for n, rich in enumerate(table.column("rich").to_pylist())
        ]
        return table.append_column("told", pa.array(cells))

    found = judge(
        QUICK, settled(people(400, 3)), train=settled(people(400, 1)), holdout=settled(people(300, 2))
    )
    assert found.parts["coverage"] < 1
    assert not math.isnan(found.value)


def test_a_larger_synthetic_table_does_not_narrow_its_intervals():
    found = judge(QUICK, people(4_000, 3), target="pay")
    assert found.value > 0.5


def test_the_target_is_the_last_column_unless_named_and_a_note_says_so():
    tables = people(200, 1), people(200, 3)
    found = QUICK(Evidence(train=tables[0], synthetic=tables[1]))
    assert "target: the last column, 'rich'" in found.notes
    named = RegressionOverlap(halves=4, nulls=1, target="rich")(
        Evidence(train=tables[0], synthetic=tables[1])
    )
    assert not any("last column" in note for note in named.notes)
    assert named.value == found.value


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_get_an_answer_or_a_reason(name):
    answer(QUICK, name)
