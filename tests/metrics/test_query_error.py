import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import InputError
from understudy.metrics.query_error import QueryError, _domains
from understudy.table.evidence import Evidence


def people(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    group = rng.integers(4, size=rows)
    return pa.table(
        {
            "age": rng.normal(40 + 5 * group + 30 * shift, 10),
            "income": rng.lognormal(3 + shift, 1, rows),
            "group": np.array(["a", "b", "c", "d"])[np.minimum(group + int(2 * shift), 3)],
            "flag": np.where(rng.random(rows) < 0.3 + 0.4 * shift, "yes", "no"),
        }
    )


def judge(synthetic, train=None, seed=0, **settings):
    evidence = Evidence(train=people(2_000, 1) if train is None else train, synthetic=synthetic)
    return QueryError(**{"queries": 300, **settings})(evidence, seed=seed)


def test_both_point_queries_of_a_a_b_against_a_b_b_differ_by_a_third():
    found = judge(pa.table({"x": ["a", "b", "b"]}), pa.table({"x": ["a", "a", "b"]}))
    assert found.value == pytest.approx(1 / 3)
    assert np.isnan(found.parts["two_way"]) and found.parts["coverage"] == 0.5
    assert any("queries of 1 columns" in note for note in found.notes)


def test_a_copy_answers_every_query_alike():
    found = judge(people(2_000, 1), halves=4)
    assert found.value == 0
    assert all(found.parts[name] == 0 for name in ("one_way", "two_way", "three_way", "by_frequency"))


def test_fresh_rows_score_like_the_null_and_shifted_rows_far_above():
    fresh = judge(people(2_000, 2))
    shifted = judge(people(2_000, 3, shift=1.0))
    assert fresh.low <= fresh.null <= fresh.high or fresh.value == pytest.approx(fresh.null, rel=0.5)
    assert shifted.value > 5 * shifted.null
    assert shifted.low > shifted.null


def test_a_constant_table_is_worse_than_a_shifted_one():
    constant = people(1, 4).take(pa.array(np.zeros(500, np.int64)))
    assert judge(constant, halves=4).value > judge(people(2_000, 3, shift=0.2), halves=4).value


def test_the_same_seed_asks_the_same_queries():
    one, two, other = (judge(people(500, 2), seed=seed, halves=4) for seed in (5, 5, 6))
    assert one.value == two.value and one.parts == two.parts
    assert one.value != other.value


def test_the_order_of_rows_and_columns_units_and_the_names_of_levels_leave_the_value_as_it_is():
    train, synthetic = people(1_000, 1), people(1_000, 2)
    value = judge(synthetic, train, halves=4).value

    def changed(table, seed):
        rows = pa.array(np.random.default_rng(seed).permutation(len(table)))
        names = {"a": "delta", "b": "beta", "c": "alpha", "d": "gamma"}
        new = table.take(rows)
        new = new.set_column(0, "age", pa.array(new["age"].to_numpy() * 8 - 64))
        new = new.set_column(2, "group", pa.array([names[name] for name in new["group"].to_pylist()]))
        return new.select(["flag", "group", "income", "age"])

    assert judge(changed(synthetic, 8), changed(train, 9), halves=4).value == pytest.approx(value, abs=1e-9)


def ends(ranges):  # of values a hundredth apart: the range is widened by half of that on both sides
    train = pa.table({"x": np.linspace(0.0, 1.0, 101)})
    evidence = Evidence(train=train, synthetic=train)
    domains = _domains(evidence.coded("train"), evidence.coded("synthetic"))
    asked = QueryError(queries=40_000, ranges=ranges)._draw(domains, 1, False, np.random.default_rng(0))
    return asked.low.ravel(), asked.high.ravel()


def test_two_uniforms_are_a_third_of_the_range_wide_and_cover_both_tails_alike():
    low, high = ends("two_uniforms")
    assert (high - low).mean() == pytest.approx(1 / 3, abs=0.01)
    for point in (0.1, 0.9):
        assert ((low <= point) & (point <= high)).mean() == pytest.approx(0.18, abs=0.01)


def test_the_ranges_of_synmeter_are_a_quarter_wide_and_lean_upwards():
    low, high = ends("synmeter")
    assert (high - low).mean() == pytest.approx(1 / 4, abs=0.01)
    assert ((low <= 0.1) & (high >= 0.1)).mean() == pytest.approx(0.095, abs=0.01)
    assert ((low <= 0.9) & (high >= 0.9)).mean() == pytest.approx(0.230, abs=0.01)


def test_what_piles_up_at_the_ends_of_a_quantity_is_seen_under_both_laws():
    rng = np.random.default_rng(0)
    train = pa.table(
        {
            "a": rng.integers(2, size=1_000).astype(float),
            "b": np.where(rng.random(1_000) < 0.6, 0.0, rng.exponential(size=1_000)),
            "c": rng.integers(2, size=1_000).astype(float),
        }
    )
    zeros = pa.table({name: np.zeros(1_000) for name in train.column_names})
    for ranges in ("two_uniforms", "synmeter"):
        found = judge(zeros, train, halves=4, queries=1_000, ranges=ranges)
        assert found.value > 5 * found.null
        assert found.low > found.null
        assert found.parts["one_way"] > 0.05


def test_levels_that_only_the_synthetic_table_has_are_never_asked_for_but_are_missed_by_the_real_ones():
    found = judge(pa.table({"x": ["z", "z"]}), pa.table({"x": ["a", "b"]}), halves=4)
    assert found.value == 0.5


def test_missing_is_a_value_of_a_category_and_lies_in_no_range_of_a_quantity():
    whole = {"x": ["a", "b", "a", "b"], "y": [1.0, 2.0, 3.0, 4.0]}
    holes = {"x": ["a", "b", None, None], "y": [1.0, 2.0, None, None]}
    levels = judge(pa.table({"x": whole["x"]}), pa.table({"x": holes["x"]}), halves=4, queries=3_000)
    assert levels.value == pytest.approx((0.25 + 0.25 + 0.5) / 3, abs=0.01)
    numbers = judge(pa.table({"y": holes["y"]}), pa.table({"y": whole["y"]}), halves=4)
    assert 0 < numbers.value < 0.5


def test_queries_by_frequency_find_what_even_queries_on_rare_levels_hide():
    rng = np.random.default_rng(0)

    def table(often):
        # One level holds nearly all rows; the even queries mostly ask for the other 400.
        return pa.table(
            {"x": [f"l{i}" for i in np.where(rng.random(2_000) < often, 0, rng.integers(400, size=2_000))]}
        )

    found = judge(table(0.3), table(0.9), halves=4)
    assert found.parts["by_frequency"] > 10 * found.value


def test_a_quantity_without_spread_is_asked_as_a_whole():
    same = pa.table({"x": [5.5, 5.5, 5.5], "y": [1.0, 2.0, 3.0]})
    found = judge(pa.table({"x": [5.5, 9.5, 5.5], "y": [1.0, 2.0, 3.0]}), same, halves=4)
    assert found.parts["one_way"] > 0


def test_the_holdout_of_equation_10_can_be_asked_instead_of_the_training_rows():
    train, holdout = people(1_000, 1), people(400, 2)
    evidence = Evidence(train=train, holdout=holdout, synthetic=holdout)
    assert QueryError(against="holdout", halves=4, queries=100)(evidence).value == 0
    assert QueryError(halves=4, queries=100)(evidence).value > 0
    with pytest.raises(InputError, match="holdout"):
        QueryError(against="holdout")(Evidence(train=train, synthetic=holdout))


def test_two_rows_are_enough():
    two = pa.table({"x": ["a", "b"], "y": [1.5, 2.5]})
    assert 0 <= judge(pa.table({"x": ["a", "a"], "y": [1.5, 9.5]}), two, halves=4).value <= 1


@pytest.mark.slow
def test_adult_is_asked_in_a_few_seconds(datasets):
    import understudy as us

    table = us.read(datasets / "adult.csv.gz").to_arrow()
    found = QueryError()(Evidence(train=table.slice(0, 32_561), synthetic=table.slice(16_281, 32_561)))
    assert found.seconds < 60  # about 2 s on an idle machine
