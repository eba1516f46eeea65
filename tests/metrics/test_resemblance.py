import numpy as np
import pyarrow as pa
import pytest

from known_tables import constant, drawn, shifted, shuffled_apart, told_otherwise
from understudy.errors import ParameterError
from understudy.metrics.resemblance import Resemblance
from understudy.table.evidence import Evidence

PARTS = ("column", "correlation", "statistical", "js", "ks")
REAL = drawn(1_500, 0, holes=0.05)


def judge(synthetic, real=REAL, seed=0, **settings):
    return Resemblance(**{"halves": 6, "nulls": 2, **settings})(
        Evidence(train=real, synthetic=synthetic), seed=seed
    )


def one_column(real, synthetic, **settings):
    return judge(pa.table({"x": synthetic}), pa.table({"x": real}), **settings).parts


def test_a_copy_is_perfect_in_every_part():
    found = judge(REAL)
    assert found.value == pytest.approx(1)
    assert all(found.parts[name] == pytest.approx(1) for name in PARTS)
    assert found.parts["coverage"] == 1


def test_known_tables_are_ranked_copy_fresh_shifted_constant():
    fresh, moved, still = judge(drawn(1_500, 1, holes=0.05)), judge(shifted(REAL)), judge(constant(REAL))
    assert fresh.value == pytest.approx(fresh.null, abs=0.03)
    assert fresh.low <= fresh.value <= fresh.high <= 1
    assert moved.high < fresh.low and still.high < moved.low
    assert still.parts["column"] == still.parts["correlation"] == still.parts["statistical"] == 0


def test_lost_associations_are_seen_by_the_correlation_part_alone():
    found = judge(shuffled_apart(REAL, 1))
    assert all(found.parts[name] == pytest.approx(1) for name in ("column", "statistical", "js", "ks"))
    assert found.parts["correlation"] < 0.8


def test_ks_similarity_of_1_2_3_4_and_3_4_5_6_is_a_half():
    parts = one_column([1.25, 2.25, 3.25, 4.25], [3.25, 4.25, 5.25, 6.25])
    assert parts["ks"] == 0.5


def test_js_similarity_of_even_and_uneven_halves_is_1_less_0_220896():
    parts = one_column(list("aabb"), list("abbb"))
    assert parts["js"] == pytest.approx(1 - 0.220896, abs=1e-6)


def test_ks_similarity_of_levels_does_not_see_their_order():
    first = one_column(["a"] * 4 + ["b"] * 2 + ["c"] * 2, ["a"] * 2 + ["b"] * 2 + ["c"] * 4)
    second = one_column(["b"] * 4 + ["a"] * 2 + ["c"] * 2, ["b"] * 2 + ["a"] * 2 + ["c"] * 4)
    assert first["ks"] == second["ks"] == 0.75


def test_js_distance_of_disjoint_columns_is_not_shrunk_by_added_ones():
    assert one_column(list("aabb"), list("ccdd"))["js"] == pytest.approx(0)


@pytest.mark.parametrize("categories", ["coupled", "cosine"])
def test_swapped_frequencies_are_seen(categories):
    parts = one_column(["a"] * 7 + ["b"] * 3, ["a"] * 3 + ["b"] * 7, categories=categories)
    assert parts["column"] == pytest.approx(0.2174 if categories == "coupled" else 0.42 / 0.58, abs=1e-4)
    assert parts["ks"] == pytest.approx(0.6)


def test_sorted_values_of_a_quantity_see_its_shape_and_not_its_place():
    real = np.random.default_rng(0).normal(size=400)
    assert one_column(real, real[::-1] * 3 + 50)["column"] == pytest.approx(1)
    assert one_column(real, np.exp(2 * real))["column"] < 0.8


def test_statistics_of_pooled_columns_of_different_scales_are_near_1_for_anything():
    rng = np.random.default_rng(0)
    real = pa.table({f"x{k}": 1_000.0**k * rng.normal(1, 0.1, 200) for k in range(6)})
    other = pa.table({f"x{k}": 1_000.0**k * rng.exponential(size=200) for k in range(6)})
    assert judge(other, real, statistics="pooled").parts["statistical"] > 0.95
    assert judge(other, real).parts["statistical"] < 0.7


def test_a_part_that_is_undefined_is_not_a_number_and_coverage_says_so():
    found = judge(pa.table({"x": list("aabb")}), pa.table({"x": list("abab")}))
    assert np.isnan(found.parts["correlation"]) and np.isnan(found.parts["statistical"])
    assert found.parts["coverage"] == pytest.approx(0.6)
    assert found.value == pytest.approx(1)


def test_a_column_that_is_constant_in_both_tables_is_not_covered_and_in_one_is_unlike():
    real = pa.table({"x": [1.5, 2.5, 3.5, 4.5], "c": list("kkkk")})
    both = judge(real, real)
    assert both.parts["coverage"] < 1 and both.parts["column"] == pytest.approx(1)
    still = pa.table({"x": [2.5, 2.5, 2.5, 2.5], "c": list("kkkk")})
    assert judge(still, real).parts["column"] == judge(still, real).parts["statistical"] == 0


def test_cells_that_went_missing_are_seen():
    holes = one_column([1.5, 2.5, 3.5, 4.5], [1.5, 2.5, None, None])
    assert holes["ks"] == 0.5 and holes["js"] < 0.7


@pytest.mark.parametrize("settings", [{}, {"categories": "cosine"}])
def test_the_order_of_rows_and_columns_units_and_names_of_levels_do_not_matter(settings):
    synthetic = drawn(700, 3, holes=0.1)
    one = judge(synthetic, **settings)
    other = judge(told_otherwise(synthetic, 4), told_otherwise(REAL, 5), **settings)
    assert other.value == pytest.approx(one.value, abs=1e-9)
    assert other.parts == pytest.approx(one.parts, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2])
def test_tables_of_one_or_two_rows_have_a_score(rows):
    found = judge(drawn(rows, 1), drawn(2, 0))
    assert 0 <= found.value <= 1


def test_more_rows_than_wanted_are_drawn_and_a_note_says_so():
    found = judge(REAL, rows=500)
    assert found.n == 1_000
    assert "500 of 1,500 train rows were drawn" in found.notes


def test_an_unknown_reading_is_refused():
    with pytest.raises(ParameterError, match="statistics must be one of"):
        Resemblance(statistics="both")
