import numpy as np
import pyarrow as pa
import pytest
from scipy import optimize, special

from understudy.metrics.pmse import PMSE, pmse
from understudy.table.evidence import Evidence


def table(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows) + shift
    return pa.table({"x": x, "y": x + rng.standard_normal(rows), "s": rng.choice(["a", "b", "c"], rows)})


def judge(synthetic, train=None, **settings):
    train = table(500, 0) if train is None else train
    return PMSE(**{"halves": 8, "nulls": 10, **settings})(Evidence(train=train, synthetic=synthetic))


def test_probabilities_of_9_6_4_and_1_tenths_have_a_mean_squared_error_of_0_085():
    assert pmse(np.array([0.9, 0.6, 0.4, 0.1]), 0.5) == pytest.approx(0.085)


def test_perfect_separation_of_equal_halves_gives_a_quarter():
    result = judge(table(500, 1, shift=50))
    assert result.value == pytest.approx(0.25, abs=1e-3)


def test_the_propensities_are_those_of_the_most_likely_logistic_regression():
    synthetic = table(300, 1, shift=0.4)
    evidence = Evidence(train=table(500, 0).select(["x", "y"]), synthetic=synthetic.select(["x", "y"]))
    sides = [np.column_stack([evidence.coded(role)[n] for n in "xy"]) for role in ("train", "synthetic")]
    design = np.column_stack([np.ones(800), np.concatenate(sides)])
    labels = np.repeat([0, 1], [500, 300])

    def unlikely(weights):
        return np.sum(np.logaddexp(0, design @ weights) - labels * (design @ weights))

    best = optimize.minimize(unlikely, np.zeros(3), tol=1e-10).x
    expected = np.mean((special.expit(design @ best) - 300 / 800) ** 2)
    assert PMSE(halves=4, nulls=1)(evidence).value == pytest.approx(expected, rel=1e-4)


def test_a_copy_cannot_be_told_at_all():
    result = judge(table(500, 0))
    assert result.value == pytest.approx(0, abs=1e-9) and result.parts["ratio"] == pytest.approx(0, abs=1e-4)


def test_a_fresh_sample_has_the_mean_and_deviation_that_are_expected_of_it():
    found = []
    for seed in range(100):
        evidence = Evidence(train=table(400, 2 * seed), synthetic=table(200, 2 * seed + 1))
        found.append(PMSE().score(evidence.coded("train"), evidence.coded("synthetic"), None).parts)
    assert {part["parameters"] for part in found} == {5.0}  # x, y, two of three levels, the intercept
    assert np.mean([part["ratio_fresh"] for part in found]) == pytest.approx(1, abs=0.2)
    assert np.mean([part["z_fresh"] for part in found]) == pytest.approx(0, abs=0.3)
    assert np.std([part["z_fresh"] for part in found]) == pytest.approx(1, abs=0.3)


def test_the_expectation_of_snoke_is_k_minus_1_times_the_square_of_1_minus_c_times_c_over_n():
    parts = judge(table(250, 1)).parts
    share = 250 / 750
    assert parts["expected"] == pytest.approx(4 * (1 - share) ** 2 * share / 750)
    assert parts["ratio"] == pytest.approx(parts["ratio_fresh"] / (1 - share))
    assert parts["z"] > parts["z_fresh"]


def test_the_measured_null_is_near_the_expectation_of_a_fresh_sample():
    result = judge(table(500, 1), nulls=40)
    assert result.null == pytest.approx(result.parts["expected_fresh"], rel=0.4)


def test_a_shifted_table_is_many_deviations_away():
    result = judge(table(500, 1, shift=1.0))
    assert result.parts["z"] > 50 and result.low > result.null


def test_a_level_that_only_one_table_has_does_not_stop_the_fit():
    new = table(500, 1).set_column(2, "s", pa.array(["new"] * 250 + ["a"] * 250))
    assert 0.05 < judge(new).value < 0.25


def test_with_as_many_parameters_as_rows_chance_is_unknown_and_it_is_said_by_coverage():
    parts = judge(pa.table({"x": [1.0, 2.0]}), pa.table({"x": [3.0, 4.5]})).parts
    assert parts["coverage"] == 1
    alone = judge(pa.table({"x": [1.0]}), pa.table({"x": [3.0]})).parts
    assert np.isnan(alone["ratio"]) and alone["coverage"] < 1
