import numpy as np
import pyarrow as pa
import pytest

from understudy.metrics.alpha_precision import AlphaPrecision
from understudy.table.evidence import Evidence


def normal(rows, seed, shift=0.0, scale=1.0):
    cells = np.random.default_rng(seed).standard_normal((rows, 4)) * scale + shift
    return pa.table({name: cells[:, place] for place, name in enumerate("abcd")})


def judge(synthetic, train=None):
    train = normal(2_000, 0) if train is None else train
    return AlphaPrecision(halves=8, nulls=3)(Evidence(train=train, synthetic=synthetic))


def test_an_exact_copy_scores_1():
    assert judge(normal(2_000, 0)).value == pytest.approx(1, abs=1e-12)


def test_a_copy_scores_1_whatever_ties_its_rows_have():
    coarse = pa.table({"s": ["a", "b"] * 100, "t": ["x"] * 150 + ["y"] * 50})
    assert judge(coarse, coarse).value == pytest.approx(1, abs=1e-12)


def test_a_fresh_normal_sample_scores_as_in_the_literature_and_as_its_null():
    result = judge(normal(2_000, 1))
    assert result.value == pytest.approx(0.97, abs=0.03) and result.better == "higher"
    assert abs(result.value - result.null) < 0.03


def test_half_copies_score_high():
    half = pa.concat_tables([normal(2_000, 0).slice(0, 1_000), normal(1_000, 1)])
    assert judge(half).value > 0.95


def test_rows_too_far_out_and_rows_too_near_the_middle_both_score_low():
    for scale in (2.0, 0.3):
        result = judge(normal(2_000, 1, scale=scale))
        assert result.high < 0.8 < result.null


def test_a_constant_table_of_the_most_typical_row_scores_low():
    assert judge(normal(500, 1, scale=0.0)).value < 0.1


def test_the_sizes_need_not_be_equal():
    assert judge(normal(150, 1)).value > 0.85


def test_how_many_rows_lie_within_the_half_is_a_part():
    assert judge(normal(2_000, 0)).parts["within_half"] == pytest.approx(0.5, abs=0.001)
