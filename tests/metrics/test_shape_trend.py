import numpy as np
import pyarrow as pa
import pytest

from known_tables import constant, drawn, shifted, shuffled_apart, told_otherwise
from understudy.metrics.shape_trend import ShapeTrend
from understudy.table.evidence import Evidence

REAL = drawn(1_500, 0, holes=0.05)


def judge(synthetic, real=REAL, seed=0, **settings):
    return ShapeTrend(**{"halves": 6, "nulls": 2, **settings})(
        Evidence(train=real, synthetic=synthetic), seed=seed
    )


def line(rho, rows=500):
    """Return two columns whose sample correlation is exactly rho."""
    x, noise = np.random.default_rng(0).normal(size=(2, rows))
    x = (x - x.mean()) / x.std()
    noise -= noise.mean() + x * (noise @ x) / rows
    return pa.table({"x": x, "y": rho * x + (1 - rho**2) ** 0.5 * noise / noise.std()})


def test_a_copy_is_perfect():
    found = judge(REAL)
    assert found.value == 1 and found.parts["worst_pair"] == 1 and found.parts["coverage"] == 1


def test_known_tables_are_ranked_copy_fresh_shifted_constant():
    fresh, moved, still = judge(drawn(1_500, 1, holes=0.05)), judge(shifted(REAL)), judge(constant(REAL))
    assert fresh.value == pytest.approx(fresh.null, abs=0.02)
    assert max(moved.high, still.high) < fresh.low


def test_total_variation_of_a_a_b_b_and_a_b_b_b_scores_0_75():
    assert judge(pa.table({"x": list("abbb")}), pa.table({"x": list("aabb")})).parts["shapes"] == 0.75


def test_correlations_of_0_8_and_minus_0_2_score_a_half():
    assert judge(line(-0.2), line(0.8)).parts["trends_quantities"] == pytest.approx(0.5)


@pytest.mark.parametrize("binning", ["quantile", "width"])
def test_a_column_shifted_by_100_is_not_given_a_perfect_mixed_pair(binning):
    # In SDMetrics' report each table cuts its own bins, and this pair scores 1.0.
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=1_000), np.where(rng.random(1_000) < 0.5, "a", "b")
    real, moved = pa.table({"x": x, "level": level}), pa.table({"x": x + 100, "level": level})
    assert judge(moved, real, binning=binning).parts["trends_mixed"] < 0.15


def test_cells_that_went_missing_are_seen_in_shapes_and_in_trends():
    # SDMetrics drops missing cells before it compares shapes, and these score 1.0.
    x, y = np.random.default_rng(0).normal(size=(2, 2_000))
    real = pa.table({"x": x, "y": x + y})
    holes = pa.table({"x": pa.array(x, mask=np.arange(2_000) % 2 == 0), "y": x + y})
    found = judge(holes, real)
    assert found.parts["worst_column"] == pytest.approx(0.5)
    assert found.parts["trends"] == pytest.approx(0.5, abs=0.02)


def test_a_correlation_that_a_constant_column_cannot_have_is_lost_and_not_left_out():
    x = np.random.default_rng(0).normal(size=200)
    real, still = pa.table({"x": x, "y": x}), pa.table({"x": x, "y": np.full(200, x[0])})
    found = judge(still, real)
    assert found.parts["trends_quantities"] == pytest.approx(0.5) and found.parts["coverage"] == 1


def test_a_pair_that_neither_table_can_correlate_is_not_covered():
    both = pa.table({"x": [1.5, 2.5, 3.5, 0.5], "y": [4.0, 4.0, 4.0, None]})
    found = judge(both, both)
    assert found.value == 1 and found.parts["coverage"] <= 1
    once = judge(pa.table({"x": [1.5, 2.5]}), pa.table({"x": [1.5, 2.5]}))
    assert np.isnan(once.parts["trends"]) and once.parts["coverage"] == 0.5


def test_a_curved_trend_is_seen_by_ranks():
    x = np.random.default_rng(0).normal(size=800)
    real, straight = pa.table({"x": x, "y": np.exp(4 * x)}), pa.table({"x": x, "y": x})
    assert judge(straight, real, coefficient="spearman").parts["trends"] == pytest.approx(1)
    assert judge(straight, real).parts["trends"] < 0.8


def test_lost_associations_are_seen_by_trends_alone():
    found = judge(shuffled_apart(REAL, 1))
    assert found.parts["shapes"] == 1 and found.parts["trends"] < 0.9


def test_the_same_seed_draws_the_same_rows():
    # SDMetrics draws from large tables without a seed.
    one, two, other = (judge(drawn(1_500, 1), rows=400, seed=seed) for seed in (1, 1, 2))
    assert one.value == two.value != other.value


def test_the_index_of_a_frame_does_not_matter():
    frame = REAL.to_pandas()
    moved = frame.set_index(np.arange(len(frame))[::-1] + 7)
    assert judge(frame, frame).value == judge(moved, frame).value == 1


@pytest.mark.parametrize("settings", [{}, {"coefficient": "spearman"}])
def test_the_order_of_rows_and_columns_units_and_names_of_levels_do_not_matter(settings):
    synthetic = drawn(700, 3, holes=0.1)
    one = judge(synthetic, **settings)
    other = judge(told_otherwise(synthetic, 4), told_otherwise(REAL, 5), **settings)
    assert other.parts == pytest.approx(one.parts, abs=1e-9)


def test_levels_that_no_real_row_has_cost_their_share():
    found = judge(pa.table({"x": ["a", "b", "new", "new"]}), pa.table({"x": list("aabb")}))
    assert found.parts["shapes"] == pytest.approx(0.5)


def test_two_columns_of_many_levels_fit_in_memory():
    names = [f"n{k}" for k in range(3_000)]
    table = pa.table({"a": names * 2, "b": names[::-1] * 2})
    assert judge(table, table, halves=4).value == 1
