import numpy as np
import pyarrow as pa
import pytest

from understudy.metrics.missingness import Missingness
from understudy.table.evidence import Evidence


def judge(real, synthetic, **settings):
    return Missingness(**settings)(Evidence(train=pa.table(real), synthetic=pa.table(synthetic)))


def holes(rows, seed, rate, together):
    """Two columns that are missing at a rate, together or apart."""
    rng = np.random.default_rng(seed)
    first = rng.random(rows) < rate
    second = first if together else rng.random(rows) < rate
    return {name: pa.array(rng.normal(size=rows), mask=mask) for name, mask in (("a", first), ("b", second))}


def test_a_copy_scores_zero():
    real = holes(200, 0, 0.3, together=True)
    assert judge(real, real).value == 0


def test_a_column_that_lost_a_quarter_of_its_cells_is_a_quarter_away():
    result = judge({"a": [1.5, 2.5, 3.5, 4.5]}, {"a": [1.5, None, 3.5, 4.5]})
    assert result.value == 0.25
    assert result.parts == {"columns": 0.25, "worst_column": 0.25}


def test_cells_that_go_missing_apart_and_not_together_are_seen_with_equal_rates():
    result = judge(holes(2_000, 0, 0.5, together=True), holes(2_000, 1, 0.5, together=False))
    assert result.parts["columns"] < 0.05
    assert result.parts["pairs"] == pytest.approx(0.25, abs=0.04)


def test_levels_go_missing_as_numbers_do():
    result = judge({"s": ["a", "b", None, "a"]}, {"s": ["a", None, None, None]})
    assert result.value == 0.5


def test_a_column_that_is_missing_everywhere_is_as_far_as_can_be():
    real, gone = {"a": [1.5, 2.5], "b": [0.5, 0.25]}, {"a": [None, None], "b": [None, None]}
    assert judge(real, gone).value == 1.0


def test_what_public_scores_drop_first_is_seen_here():
    # Column shapes of SDMetrics drop missing cells before they compare, so that holes are never scored.
    real = {"a": [float(n) for n in range(100)]}
    punched = {"a": [float(n) if n % 2 else None for n in range(100)]}
    result = judge(real, punched)
    assert result.value == 0.5 and result.low > result.null == 0


def test_two_real_tables_differ_by_chance_and_the_null_says_how_much():
    result = judge(holes(500, 0, 0.3, together=False), holes(500, 1, 0.3, together=False))
    assert 0 < result.null < 0.06
    assert result.low <= result.null * 3


def test_tables_of_different_sizes_are_compared_by_rates():
    assert judge({"a": [1.5, None] * 50}, {"a": [1.5, None] * 3}).value == 0
