"""Marginal Wasserstein distance: worked answers, scales, missing cells, verdicts."""

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from understudy.metrics.marginal_wasserstein import MarginalWasserstein
from understudy.table.evidence import Evidence


def judge(real, synthetic, **settings):
    evidence = Evidence(train=pa.table(real), synthetic=pa.table(synthetic))
    return MarginalWasserstein(**{"halves": 6, "nulls": 2, **settings})(evidence)


def table(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return {"x": rng.gamma(2, size=rows) + shift, "c": rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1])}


def test_a_quantity_is_scipys_distance_over_the_training_range():
    real, other = table(300, 0), table(200, 1, shift=0.5)
    wanted = stats.wasserstein_distance(real["x"], other["x"]) / np.ptp(real["x"])
    assert judge(real, other).parts["quantities"] == pytest.approx(wanted, abs=1e-12)


def test_the_joint_range_is_an_option_that_a_far_value_shrinks():
    real, other = {"x": [0.0, 1.0]}, {"x": [1.0, 100.0]}
    assert judge(real, other).value == pytest.approx(50.0)
    assert judge(real, other, scale="joint").value == pytest.approx(0.5)


def test_a_category_of_two_and_two_against_one_and_three_is_a_quarter_apart():
    assert judge({"c": ["a", "a", "b", "b"]}, {"c": ["a", "b", "b", "b"]}).value == 0.25


def test_the_value_is_the_mean_over_columns():
    result = judge(table(300, 0), table(300, 1, shift=1.0))
    assert result.value == pytest.approx((result.parts["quantities"] + result.parts["categories"]) / 2)
    assert result.parts["worst_column"] == max(result.parts["quantities"], result.parts["categories"])


def test_a_copy_is_at_zero_a_fresh_sample_at_the_null_and_shifted_or_constant_tables_far_off():
    real = table(1_000, 0)
    assert judge(real, real).value == 0.0
    fresh = judge(real, table(1_000, 1), nulls=8)
    assert 0.3 < fresh.value / fresh.null < 3
    constant = {name: [values[0]] * 1_000 for name, values in real.items()}
    for bad in (table(1_000, 1, shift=2.0), constant):
        result = judge(real, bad)
        assert result.low > 2 * result.null


def test_a_missing_cell_is_a_level_and_one_range_from_every_value():
    gone = {"x": pa.array([None, None], pa.float64()), "c": pa.array([None, None], pa.string())}
    assert judge({"x": [0.0, 1.0], "c": ["a", "b"]}, gone).value == pytest.approx(1.0)


def test_a_column_whose_real_values_are_all_equal_counts_others_as_one_off_in_any_unit():
    for unit in (1.0, 1e9):
        result = judge(
            {"x": [unit] * 4, "y": [0.0, 1.0, 2.0, 3.0]},
            {"x": [unit] * 2 + [unit * 3] * 2, "y": [0.0, 1.0, 2.0, 3.0]},
        )
        assert result.parts["worst_column"] == pytest.approx(0.5)


def test_a_table_without_quantities_has_no_part_for_them():
    result = judge({"c": ["a", "b"]}, {"c": ["a", "a"]})
    assert math.isnan(result.parts["quantities"]) and result.parts["coverage"] == 0.5
    assert result.value == 0.5
