import numpy as np
import pyarrow as pa
import pytest

from known_tables import constant, drawn, shifted, shuffled_apart, told_otherwise
from understudy.metrics.column_row import ColumnRow
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

REAL = drawn(1_500, 0, holes=0.05)


def judge(synthetic, real=REAL, **settings):
    return ColumnRow(**{"halves": 6, "nulls": 2, **settings})(Evidence(train=real, synthetic=synthetic))


def correlated(rho, seed=0, rows=500):
    """Return two columns whose sample correlation is exactly rho."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    x = (x - x.mean()) / x.std()
    noise -= noise.mean() + x * (noise @ x) / rows
    noise /= noise.std()
    return pa.table({"x": x, "y": rho * x + (1 - rho**2) ** 0.5 * noise})


def test_a_copy_is_perfect():
    found = judge(REAL)
    assert found.value == pytest.approx(1) and found.parts["coverage"] == 1


def test_known_tables_have_their_verdicts():
    fresh, moved, still = judge(drawn(1_500, 1, holes=0.05)), judge(shifted(REAL)), judge(constant(REAL))
    assert fresh.value == pytest.approx(fresh.null, abs=0.02)
    assert max(moved.high, still.high) < fresh.low


def test_correlations_of_0_8_and_minus_0_3_score_minus_0_1_as_printed_and_0_45_rescaled():
    found = judge(correlated(-0.3, 1), correlated(0.8))
    assert found.parts["rows"] == found.parts["rows_printed"] == pytest.approx(-0.1)
    assert found.parts["rows_rescaled"] == pytest.approx(0.45)
    other = judge(correlated(-0.3, 1), correlated(0.8), form="rescaled")
    assert other.parts["rows"] == pytest.approx(0.45)
    assert other.value == pytest.approx((other.parts["columns"] + 0.45) / 2)


def test_columns_are_measured_by_the_range_of_the_real_rows():
    far = judge(pa.table({"x": [100.0, 50.0]}), pa.table({"x": [0.0, 1.0, 0.5]}))
    assert far.value == 0
    half = judge(pa.table({"x": [0.0, 5.0, 2.5]}), pa.table({"x": [0.0, 10.0, 2.5]}))
    assert half.value == pytest.approx(1 - 5 / 30)


def test_columns_of_levels_count_the_divergence_and_not_its_root():
    found = judge(pa.table({"x": list("abbb")}), pa.table({"x": list("aabb")}))
    assert found.parts["columns"] == pytest.approx(1 - 0.220896**2, abs=1e-6)


def test_pairs_of_levels_and_mixed_pairs_count_the_gap_of_their_associations():
    real = pa.table({"a": list("xxyy"), "b": list("uuvv")})
    levels = judge(pa.table({"a": list("xxyy"), "b": list("uvuv")}), real)
    assert levels.parts["rows"] == pytest.approx(0, abs=1e-9)
    real = pa.table({"a": list("xxyy"), "b": [1.0, 3.0, 5.0, 7.5]})
    mixed = judge(pa.table({"a": list("xyyx"), "b": [1.0, 3.0, 5.0, 7.5]}), real)
    eta = [np.sqrt(4 * (g / 2) ** 2 / v) for g, v in ((4.25, 23.1875), (0.25, 23.1875))]
    assert mixed.parts["rows"] == pytest.approx(1 - (eta[0] - eta[1]), abs=1e-6)


def test_lost_associations_are_seen_by_rows_alone():
    found = judge(shuffled_apart(REAL, 1))
    assert found.parts["columns"] == pytest.approx(1) and found.parts["rows"] < 0.85


def test_a_constant_column_is_no_perfect_partner():
    # dython gives U = 1 to a constant column, so that two of them look perfectly associated.
    real, still = (
        drawn(300, 0).select(["place", "own"]),
        constant(drawn(300, 0), 300).select(["place", "own"]),
    )
    found = judge(still, real)
    assert found.parts["rows"] < 1 and found.parts["coverage"] == 1
    assert np.isnan(judge(still, still).parts["rows"])


def test_a_constant_quantity_has_the_share_of_equal_values_in_any_unit():
    # A schema may declare a quantity that happens to stand still in the training rows.
    for unit in (1.0, 1e6):
        column = (CodedColumn("x", quantity=True, low=3.5 * unit, high=3.5 * unit),)
        values = (np.full(4, 3.5), np.array([3.5, 3.5, 3.5, 9.5]))
        real, other = (CodedTable(column, {"x": unit * each}) for each in values)
        assert ColumnRow().score(real, other, np.random.default_rng(0)).parts["columns"] == 0.75


def test_cells_that_went_missing_are_seen():
    found = judge(pa.table({"x": [0.5, None, 1.5, None]}), pa.table({"x": [0.5, 0.5, 1.5, 1.5]}))
    assert found.parts["columns"] == pytest.approx(0.5)


def test_the_order_of_rows_and_columns_units_and_names_of_levels_do_not_matter():
    synthetic = drawn(700, 3, holes=0.1)
    one, other = judge(synthetic), judge(told_otherwise(synthetic, 4), told_otherwise(REAL, 5))
    assert other.parts == pytest.approx(one.parts, abs=1e-9)


def test_one_column_and_two_rows_are_enough_and_what_is_undefined_is_said():
    found = judge(pa.table({"x": [1.5, 2.5]}), pa.table({"x": [1.5, 3.5]}))
    assert np.isnan(found.parts["rows"]) and found.parts["coverage"] == 0.5
    assert found.value == found.parts["columns"]


def test_numbers_beyond_all_bounds_score_0_and_nothing_is_warned_of():
    found = judge(pa.table({"x": [np.inf, -np.inf, np.inf]}), pa.table({"x": [0.0, 1e-300, 0.5e-300]}))
    assert found.value == 0
