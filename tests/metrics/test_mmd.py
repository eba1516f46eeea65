import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.metrics.mmd import MMD, discrepancies
from understudy.table.evidence import Evidence
from understudy.table.schema import Column, Schema


def table(rows, seed, shift=0.0, scale=1.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows) + shift
    level = np.where(x + rng.standard_normal(rows) > shift, "a", "b")
    return pa.table({"x": x * scale, "y": rng.exponential(size=rows) * 1_000, "s": level})


def judge(synthetic, train=None, **settings):
    return MMD(**{"halves": 8, "nulls": 3, **settings})(
        Evidence(train=table(400, 0) if train is None else train, synthetic=synthetic)
    )


def test_the_points_0_and_1_under_gamma_1_are_2_minus_2_over_e_apart_biased():
    unbiased, biased = discrepancies(np.array([[0.0]]), np.array([[1.0]]), 1.0)
    assert biased == pytest.approx(1.264241, abs=1e-6) and np.isnan(unbiased)


def test_both_statistics_are_those_of_the_definition_also_across_blocks():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((1_100, 3)), rng.standard_normal((7, 3)) + 0.3

    def kernel(a, b):
        return np.exp(-0.4 * ((a[:, None] - b[None]) ** 2).sum(axis=2))

    def off(k):
        return (k.sum() - np.trace(k)) / (len(k) * (len(k) - 1))

    unbiased, biased = discrepancies(x, y, 0.4)
    assert unbiased == pytest.approx(off(kernel(x, x)) + off(kernel(y, y)) - 2 * kernel(x, y).mean())
    assert biased == pytest.approx(kernel(x, x).mean() + kernel(y, y).mean() - 2 * kernel(x, y).mean())


def test_a_copy_has_no_biased_discrepancy_and_less_than_no_unbiased_one():
    result = judge(table(400, 0))
    assert result.parts["biased"] == pytest.approx(0, abs=1e-12)
    assert -0.01 < result.value < 0


def test_the_unbiased_statistic_of_fresh_samples_is_0_in_the_mean():
    values = [
        MMD(gamma=0.3).score(*(evidence.coded(role) for role in ("train", "synthetic")), None).value
        for evidence in (Evidence(train=table(60, s), synthetic=table(60, s + 1_000)) for s in range(60))
    ]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(60)


def test_a_shifted_and_a_constant_table_are_seen_beyond_the_interval():
    constant = pa.table({"x": [9.0] * 300, "y": [0.0] * 300, "s": ["a"] * 300})
    for bad in (table(400, 1, shift=1.0), constant):
        result = judge(bad)
        assert result.low > max(result.null, judge(table(400, 1)).high)


def test_the_scale_of_a_column_does_not_decide():
    # Unscaled columns with a fixed gamma give 1/n + 1/m whatever the tables hold: 0.005 here.
    in_units = [judge(table(400, 1, 1.0, scale), table(400, 0, 0.0, scale)).value for scale in (1e-6, 1, 1e9)]
    assert in_units == pytest.approx([in_units[1]] * 3, rel=1e-6) and in_units[1] > 0.05


def test_gamma_is_1_over_the_median_squared_distance_of_real_rows():
    train = pa.table({"x": [0.0, 0.5, 1.0, 1.5] * 30})
    found = judge(table(200, 1).select(["x"]), train).parts["gamma"]
    x = np.tile([0.0, 0.5, 1.0, 1.5], 30)
    squares = ((x[:, None] - x[None]) ** 2 / x.var())[np.triu_indices(120, 1)]
    assert found == pytest.approx(1 / np.median(squares))
    assert judge(table(200, 1).select(["x"]), train, gamma=2.5).parts["gamma"] == 2.5


def test_real_rows_that_are_all_alike_need_no_median():
    result = judge(pa.table({"x": [1.0, 2.0] * 50}), pa.table({"x": [1.0] * 100}))
    assert np.isfinite(result.value) and result.value > 0.1


def test_more_rows_than_set_are_drawn_and_it_is_said():
    result = judge(table(400, 1), rows=100)
    assert "100 of 400 train rows were drawn" in result.notes and result.n == 200


def test_a_single_row_has_the_biased_statistic_alone_and_a_note_says_why():
    # A column of one value would be taken for a constant level; the schema says that it is a number.
    number = Schema(columns=(Column(name="x", kind="numerical", type="double"),))
    zero, one = pa.table({"x": [0.0]}), pa.table({"x": [1.0]})
    result = MMD(gamma=1.0)(Evidence(train=zero, synthetic=one, schema=number))
    assert result.parts["biased"] == pytest.approx(1.264241, abs=1e-6)
    assert np.isnan(result.value) and "undefined: a table has fewer than 2 rows" in result.notes
    assert np.isnan(judge(table(1, 0)).value) and judge(table(1, 0)).parts["biased"] > 0


@pytest.mark.parametrize("rows", [2, 3])
def test_of_two_or_three_rows_the_value_is_defined(rows):
    result = judge(table(rows, 0), table(rows, 1))
    assert np.isfinite(result.value) and result.parts["biased"] > 0


def test_a_gamma_below_0_is_refused():
    with pytest.raises(ParameterError, match="gamma must be"):
        MMD(gamma=-1.0)
