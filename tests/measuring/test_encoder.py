import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.measuring.encoder import Encoder, scaler
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

SCALINGS = ("range", "standard", "normal")
HUGE = np.finfo(np.float64).max / 4  # what an infinite cell is coded as


def of(values, **meaning):
    values = np.array(values, dtype=np.float64)
    known = values[~np.isnan(values)]
    ends = {"low": known.min(), "high": known.max()} if len(known) else {}
    column = CodedColumn(
        "x", quantity=True, **{"has_missing": bool(np.isnan(values).any()), **ends, **meaning}
    )
    return CodedTable((column,), {"x": values})


def levels(codes, **meaning):
    return CodedTable((CodedColumn("s", **meaning),), {"s": np.array(codes, dtype=np.int32)})


def test_the_range_is_that_of_the_domain_and_values_beyond_go_on():
    train = of([0, 10])
    assert Encoder.fit(train, "range").matrix(of([-10, 5, 30])).ravel().tolist() == [-1, 0.5, 3]


def test_a_standard_column_has_mean_0_and_deviation_1_on_the_rows_it_was_fitted_on():
    train = of(np.random.default_rng(0).exponential(size=500) * 1e6 + 3)
    matrix = Encoder.fit(train).matrix(train)
    assert matrix.mean() == pytest.approx(0, abs=1e-9) and matrix.std() == pytest.approx(1)


def test_a_normal_column_has_normal_quantiles_and_ends_where_the_training_values_end():
    train = of(np.random.default_rng(0).exponential(size=5_000))
    encoder = Encoder.fit(train, "normal")
    matrix = encoder.matrix(train)
    assert np.quantile(matrix, [0.025, 0.5, 0.975]) == pytest.approx([-1.96, 0, 1.96], abs=0.05)
    assert encoder.matrix(of([-5, 1e9])).ravel() == pytest.approx([matrix.min(), matrix.max()])


def test_a_frequent_value_is_at_the_middle_of_its_quantiles():
    assert Encoder.fit(of([0] * 500 + [1] * 500), "normal").matrix(of([0.5])).item() == pytest.approx(
        0, abs=1e-9
    )
    low = Encoder.fit(of([0] * 900 + list(range(1, 101))), "normal").matrix(of([0])).item()
    assert -2.7 < low < -1.8  # halfway between the lowest score and that of the 90 % quantile


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_constant_column_tells_below_equal_and_above_in_any_unit(scaling):
    for unit in (1e-6, 0.1, 1e6):
        found = Encoder.fit(of([unit] * 9), scaling).matrix(of([0.9 * unit, unit, 1.5 * unit])).ravel()
        assert found == pytest.approx(found[2] * np.array([-1, 0, 1]), abs=1e-9) and found[2] > 0
        assert scaling == "normal" or found.tolist() == [-1, 0, 1]


def test_a_sum_of_equal_floats_is_not_taken_for_a_deviation():
    train = of([0.1] * 1_001)
    assert train["x"].std() > 0  # what misled
    assert np.abs(Encoder.fit(train).matrix(of([0.1, 0.2]))).max() == 1


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_column_that_no_training_row_has_says_only_whether_it_is_missing(scaling):
    encoder = Encoder.fit(of([np.nan, np.nan]), scaling)
    assert encoder.labels == ("x", "x missing")
    assert encoder.matrix(of([np.nan, 5e9], has_missing=True)).tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_missing_quantity_is_the_training_median_with_a_mark(scaling):
    train = of([1, 2, 9, np.nan])
    encoder = Encoder.fit(train, scaling)
    matrix = encoder.matrix(train)
    assert matrix[:, 1].tolist() == [0, 0, 0, 1]
    assert matrix[3, 0] == matrix[1, 0]


@pytest.mark.parametrize("scaling", SCALINGS)
@given(
    st.lists(
        st.one_of(st.floats(-HUGE, HUGE), st.sampled_from([-HUGE, HUGE, 5e-324])), min_size=1, max_size=20
    )
)
def test_no_value_is_too_large_or_too_small(scaling, values):
    encoder = Encoder.fit(of(values), scaling)
    for table in (of(values), of([-HUGE, 0, HUGE])):
        matrix = encoder.matrix(table)
        assert np.isfinite(matrix).all() and np.abs(matrix).max() <= 1e6


@pytest.mark.parametrize("scaling", SCALINGS)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_a_scaling_never_turns_the_order_around(scaling, values):
    found = Encoder.fit(of(values), scaling).matrix(of(np.sort([*values, -2e6, 0, 2e6]))).ravel()
    assert (np.diff(found) >= -1e-12).all()


@pytest.mark.parametrize("scaling", SCALINGS)
def test_no_scaling_depends_on_the_unit(scaling):
    rng = np.random.default_rng(0)
    real, other = rng.gamma(2.0, size=400), rng.gamma(3.0, size=100)
    plain = Encoder.fit(of(real), scaling).matrix(of(other))
    moved = Encoder.fit(of(real * 0.4536 + 32), scaling).matrix(of(other * 0.4536 + 32))
    assert np.allclose(plain, moved, atol=1e-9)


def test_known_levels_are_one_hot():
    train = levels([0, 1, 2, 1], levels=3, known=3)
    encoder = Encoder.fit(train)
    assert encoder.labels == ("s=0", "s=1", "s=2")
    assert encoder.matrix(train).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_missing_and_unseen_levels_are_as_far_from_known_ones_as_these_from_each_other():
    table = levels([0, 1, -1, 2, 3], levels=4, known=2, has_missing=True)
    encoder = Encoder.fit(table)
    assert encoder.labels == ("s=0", "s=1", "s missing", "s unseen")
    matrix = encoder.matrix(table)
    ways = ((matrix[:4, None] - matrix[None, :4]) ** 2).sum(axis=2)
    assert (ways == 2 * (1 - np.eye(4))).all()
    assert (
        matrix[3] == matrix[4]
    ).all()  # two unseen levels are one here; the mixed distance tells them apart


def test_a_column_without_a_known_level_is_encoded_too():
    table = levels([-1, -1], has_missing=True)
    assert Encoder.fit(table).matrix(table).tolist() == [[1], [1]]


def test_columns_that_are_left_out_leave_no_trace():
    evidence = Evidence(
        train=pa.table({"x": [1.5, 2.5, 3.5], "s": ["a", "b", "a"]}),
        synthetic=pa.table({"x": [9.0], "s": ["c"]}),
    )
    encoder = Encoder.fit(evidence.coded("train"), leave_out={"s"})
    assert encoder.labels == ("x",)
    assert Encoder.fit(evidence.coded("train")).labels == ("x", "s=0", "s=1", "s unseen")


def test_what_is_fitted_comes_from_the_rows_given_and_not_from_those_encoded():
    train, outlier = of([0.0, 1.0, 2.0]), of([0.0, 1.0, 2.0, 1e5])
    for scaling in SCALINGS:
        encoder = Encoder.fit(train, scaling)
        assert (encoder.matrix(outlier)[:3] == encoder.matrix(train)).all()


def test_a_table_without_rows_or_columns_has_an_empty_matrix():
    assert Encoder.fit(of([0.0, 1.0])).matrix(of([])).shape == (0, 1)
    assert Encoder.fit(of([0.0, 1.0]), leave_out={"x"}).matrix(of([0.0, 1.0])).shape == (2, 0)


def test_a_scaler_can_be_had_alone():
    column = CodedColumn("x", quantity=True, low=0, high=4)
    assert scaler(np.array([0.0, 4.0]), column, "range")(np.array([1.0])).item() == 0.25
