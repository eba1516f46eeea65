"""Wasserstein fidelity: worked answers, groups, scales, missing cells, intervals, and exact solving."""

import itertools
import math
import time

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import InputError
from understudy.metrics.wasserstein import GROUPS, Wasserstein
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence
from understudy.table.read import read


def judge(real, synthetic, *, holdout=None, **settings):
    real, synthetic = (data if isinstance(data, pa.Table) else pa.table(data) for data in (real, synthetic))
    return Wasserstein(**{"nulls": 1, **settings})(Evidence(train=real, synthetic=synthetic, holdout=holdout))


def mixed(rows, seed, *, shift=0.0, missing=0.0):
    """Three quantities and two categories that go together."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 12, rows)
    pay = np.exp(rng.normal(0.02 * age, 0.5)) + shift
    group = np.where(age + rng.normal(0, 8, rows) > 45, "old", np.where(age > 30, "middle", "young"))
    hours = np.where(rng.random(rows) < missing, np.nan, rng.normal(38, 5, rows))
    sex = rng.choice(["f", "m"], rows)
    columns = {"age": age, "pay": pay, "hours": pa.array(hours, from_pandas=True), "group": group, "sex": sex}
    return pa.table(columns)


def test_a_category_of_two_and_two_against_one_and_three_is_a_quarter_apart():
    assert judge({"c": ["a", "a", "b", "b"]}, {"c": ["a", "b", "b", "b"]}).value == 0.25


def test_the_numbers_0_and_10_against_0_and_5_are_a_quarter_apart():
    for scale in ("real", "joint"):
        assert judge({"x": [0.0, 10.0]}, {"x": [0.0, 5.0]}, scale=scale).value == 0.25


def test_crossed_pairs_of_a_category_and_a_number_are_one_apart():
    result = judge({"c": ["a", "b"], "x": [0.0, 1.0]}, {"c": ["a", "b"], "x": [1.0, 0.0]})
    assert result.parts["category_quantity"] == pytest.approx(1.0)
    assert result.parts["category"] == 0.0 and result.parts["quantity"] == 0.0


def test_crossed_pairs_of_numbers_are_one_apart():
    result = judge({"x": [0.0, 1.0], "y": [0.0, 1.0]}, {"x": [0.0, 1.0], "y": [1.0, 0.0]})
    assert result.parts["quantity_quantity"] == pytest.approx(1.0)


def test_two_other_levels_are_one_apart_in_total_variation_and_two_by_equation_4():
    real, other = {"c": ["a"], "d": ["x"]}, {"c": ["b"], "d": ["y"]}
    assert judge(real, other).parts["category_category"] == 1.0
    assert judge(real, other, levels="additive").parts["category_category"] == pytest.approx(2.0)
    assert judge(real, other, levels="additive", method="exact").parts["category_category"] == 2.0


def test_one_far_value_cannot_shrink_every_distance_as_the_joint_range_lets_it():
    real, other = {"x": [0.0, 1.0]}, {"x": [1.0, 100.0]}
    assert judge(real, other, scale="joint").value == pytest.approx(0.5)
    assert judge(real, other).value == pytest.approx(50.0)


def test_the_value_is_the_mean_of_all_marginals_and_the_mean_of_groups_stands_beside_it():
    result = judge(mixed(300, 0), mixed(300, 1, shift=1.0))
    sizes = dict(zip(GROUPS, (2, 3, 3, 6, 1), strict=True))
    means = [result.parts[group] for group in GROUPS]
    assert result.value == pytest.approx(np.average(means, weights=list(sizes.values())))
    assert result.parts["mean_of_groups"] == pytest.approx(np.mean(means))
    assert result.parts["coverage"] == 1.0


def test_groups_that_a_table_does_not_have_are_undefined_and_counted_as_such():
    result = judge({"x": [0.0, 1.0, 2.0], "y": [0.5, 0.1, 0.9]}, {"x": [0.0, 1.0, 1.0], "y": [0.5, 0.1, 0.2]})
    undefined = {group for group in GROUPS if math.isnan(result.parts[group])}
    assert undefined == {"category", "category_quantity", "category_category"}
    assert result.parts["coverage"] == 0.4 and not math.isnan(result.value)


def test_a_copy_is_at_distance_zero_and_a_fresh_sample_near_the_null():
    real = mixed(800, 0, missing=0.1)
    assert judge(real, real).value == 0.0
    fresh = judge(real, mixed(800, 1, missing=0.1), nulls=3)
    assert fresh.low <= fresh.value <= fresh.high
    assert 0.5 < fresh.value / fresh.null < 1.6


def test_a_shifted_and_a_constant_table_are_far_beyond_the_null():
    real = mixed(800, 0)
    constant = real.take(pa.array([0] * 800))
    for bad in (mixed(800, 1, shift=3.0), constant):
        result = judge(real, bad)
        assert result.low > 1.5 * result.null


def test_missing_cells_count_as_a_level_and_as_a_place_one_range_off():
    gone = {"x": pa.array([None, None], pa.float64()), "c": pa.array([None, None], pa.string())}
    result = judge({"x": [0.0, 1.0], "c": ["a", "b"]}, gone)
    assert result.parts["quantity"] == pytest.approx(1.0) and result.parts["category"] == 1.0
    assert result.parts["category_quantity"] == pytest.approx(2.0)


def test_a_quantity_missing_more_often_costs_what_is_missing():
    result = judge(mixed(600, 0), mixed(600, 0, missing=0.3))
    share = mixed(600, 0, missing=0.3)["hours"].null_count / 600
    assert result.parts["quantity"] * 3 == pytest.approx(share, abs=0.02)


def test_levels_that_no_real_row_has_are_counted_in_full():
    real = {"c": ["a", "b"] * 50, "x": list(np.linspace(0, 1, 100))}
    assert judge(real, {**real, "c": ["z"] * 100}).parts["category"] == 1.0


def test_the_interval_of_potentials_is_about_that_of_halves():
    real = mixed(1_000, 0)
    for other in (mixed(1_000, 1, shift=1.0), mixed(600, 2, shift=-0.3)):
        quick, slow = (judge(real, other, interval=way, halves=30) for way in ("potentials", "halves"))
        assert quick.value == slow.value
        assert 0.6 < (quick.high - quick.low) / (slow.high - slow.low) < 1.7


def test_the_interval_of_potentials_is_as_wide_as_fresh_tables_scatter():
    for shift in (0.0, 1.0):
        results = [judge(mixed(300, 2 * seed), mixed(300, 2 * seed + 1, shift=shift)) for seed in range(20)]
        scatter = np.std([result.value for result in results], ddof=1)
        reach = np.mean([(result.high - result.value) / 1.96 for result in results])
        assert 0.7 < reach / scatter < 2.5  # a bound: too wide where nothing differs, right where much does


def test_more_pairs_than_wanted_are_drawn_by_group_and_a_note_says_so():
    real, other = mixed(200, 0), mixed(200, 1, shift=1.0)
    result = judge(real, other, pairs=4)
    assert any("of 15 marginals were drawn" in note for note in result.notes)
    assert result.parts["coverage"] == 1.0
    assert result.value == pytest.approx(judge(real, other).value, rel=0.5)


def test_bins_are_near_the_exact_distance_of_every_group():
    real, other = mixed(700, 0), mixed(700, 1, shift=0.5)
    near, exact = judge(real, other), judge(real, other, method="exact")
    assert near.value == pytest.approx(exact.value, abs=5e-4)
    for group in GROUPS:
        assert near.parts[group] == pytest.approx(exact.parts[group], abs=1e-3)
    assert exact.parts["solver_gap"] == 0.0 < near.parts["solver_gap"] < 2e-4


def test_exact_draws_equally_many_rows_of_both_tables_and_says_so():
    result = judge(mixed(300, 0), mixed(200, 1), method="exact", exact_rows=100)
    assert result.n == 200 and any("100 rows of each" in note for note in result.notes)


def test_it_can_be_asked_against_the_holdout_and_needs_one_then():
    real, other = mixed(300, 0), mixed(300, 1)
    assert judge(real, other, holdout=other.slice(0, 299), against="holdout").value < 0.01
    with pytest.raises(InputError, match="holdout"):
        judge(real, other, against="holdout")


def adult(datasets, rows):
    """Two disjoint parts of Adult's training rows, in one code."""
    table = read(datasets / "adult.csv.gz").to_arrow().slice(0, 32_561)
    order = np.random.default_rng(0).permutation(32_561)
    first, second = table.take(order[:rows]), table.take(order[-rows:])
    evidence = Evidence(train=first, synthetic=second)
    return evidence.coded("train"), evidence.coded("synthetic")


@pytest.mark.slow
def test_all_120_marginals_of_3000_adults_are_near_pots_exact_solution_a_hundred_times_sooner(datasets):
    ot = pytest.importorskip("ot", reason="POT is the oracle here: pip install 'understudy[evaluate]'")
    real, other = adult(datasets, 3_000)
    start = time.process_time()
    score = Wasserstein().score(real, other, np.random.default_rng(0))
    ours = time.process_time() - start
    assert ours < 10
    exact, solving = [], 0.0
    for pair in itertools.islice(_solved_pairs(real, other), 0, None, 6):
        start = time.process_time()
        exact.append((pair, float(ot.emd2([], [], _cost(real, other, pair)))))
        solving += (time.process_time() - start) * 6
    assert solving / ours > 100
    for pair, value in exact:
        alone = [CodedTable(pair, {c.name: table[c.name] for c in pair}) for table in (real, other)]
        group = "quantity_quantity" if all(c.quantity for c in pair) else "category_quantity"
        found = Wasserstein().score(alone[0], alone[1], np.random.default_rng(0)).parts[group]
        assert found == pytest.approx(value, abs=5e-4)
    assert score.parts["coverage"] == 1.0


def _solved_pairs(table, _other):
    return (pair for pair in table.pairs() if any(column.quantity for column in pair))


def _cost(real, other, pair):
    cost = np.zeros((len(real), len(other)))
    for column in pair:
        one, two = real[column.name], other[column.name]
        cost += np.abs(one[:, None] - two) / column.span if column.quantity else one[:, None] != two
    return cost


@pytest.mark.slow
def test_all_rows_of_adult_are_used_at_about_the_cost_of_3000(datasets):
    seconds = []
    for rows in (3_000, 16_000):
        real, other = adult(datasets, rows)
        start = time.process_time()
        Wasserstein().score(real, other, np.random.default_rng(0))
        seconds.append(time.process_time() - start)
    assert seconds[1] < 3 * seconds[0] + 1


def test_a_single_row_has_a_value_and_no_interval():
    result = judge({"x": [1.0, 2.0, 4.0]}, {"x": [2.0]})
    assert not math.isnan(result.value)
    assert math.isnan(result.low) and math.isnan(result.high)
