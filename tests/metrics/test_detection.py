import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from goodness import ALPHA
from understudy.measuring import booster
from understudy.measuring.verdict import verdict
from understudy.metrics.detection import BELOW, Detection
from understudy.table.evidence import Evidence


def table(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows) + shift
    return pa.table({"x": x, "y": x + rng.standard_normal(rows), "s": rng.choice(["a", "b", "c"], rows)})


def judge(synthetic, train=None, **settings):
    train = table(500, 0) if train is None else train
    return Detection(**{"rounds": 30, **settings})(Evidence(train=train, synthetic=synthetic))


def test_an_exact_copy_gives_one_half_and_not_0():
    result = judge(table(500, 0))
    assert result.value == 0.5 and result.parts["accuracy"] == 0.5


def test_fresh_samples_have_the_null_in_the_mean_and_differ_as_much_as_the_interval_says():
    # Folds taken for independent, the interval was 1.5 deviations to either side, and missed one in eight.
    results = [judge(table(60, seed + 1_000), table(60, seed), rounds=5) for seed in range(30)]
    assert {(result.better, result.null) for result in results} == {("lower", 0.5)}
    assert stats.binom.cdf(sum(result.low < 0.5 < result.high for result in results), 30, 0.95) > ALPHA
    values = [result.value for result in results]
    assert abs(np.mean(values) - 0.5) < 4 * np.std(values) / np.sqrt(30)
    assert np.mean([result.high - result.low for result in results]) / 2 > 1.7 * np.std(values)


def test_rows_that_fill_the_gaps_of_the_real_ones_are_closer_and_not_unlike():
    rng = np.random.default_rng(0)
    level = rng.permutation(np.repeat(np.arange(8), 40))
    filled = pa.table({"level": [str(each) for each in rng.permutation(level)], "x": level * 0.0})
    real = pa.table({"level": [str(each) for each in level], "x": level * 0.0})
    result = judge(filled, real)
    assert result.high < 0.5 and verdict(result) == "better"
    assert BELOW in result.notes


def test_a_shifted_and_a_constant_table_are_found_out():
    constant = pa.table({"x": [0.0] * 200, "y": [0.0] * 200, "s": ["a"] * 200})
    for bad in (table(500, 1, shift=1.0), constant):
        assert judge(bad).low > 0.6


def test_only_the_joint_law_may_differ_and_is_seen():
    rng = np.random.default_rng(1)
    fresh = table(1_500, 1)
    broken = fresh.set_column(1, "y", pa.array(rng.permutation(fresh.column("y").to_numpy())))
    assert judge(broken, table(1_500, 0)).low > 0.6


def test_the_notes_name_the_classifier_and_what_it_cannot_see(monkeypatch):
    notes = judge(table(500, 1), rows=200).notes
    assert notes[0].startswith("classifier: ")
    assert "number formatting is not seen" in notes[1]
    assert "200 rows were drawn of each of 500 and 500" in notes
    monkeypatch.setattr(booster, "_has_xgboost", lambda: False)
    assert "HistGradientBoosting" in judge(table(100, 1)).notes[0]


def test_the_interval_is_narrower_for_more_rows():
    narrow, wide = judge(table(500, 1)), judge(table(500, 1), rows=100)
    assert narrow.high - narrow.low < wide.high - wide.low


def test_a_handful_of_rows_is_undefined_with_a_reason():
    result = judge(table(9, 1))
    assert np.isnan(result.value) and "fewer than 10 rows" in result.notes[0]


def test_the_same_seed_gives_the_same_area_in_any_order_of_rows():
    synthetic = table(300, 1)
    turned = synthetic.take(pa.array(np.random.default_rng(0).permutation(300)))
    assert judge(synthetic).value == judge(turned).value == pytest.approx(0.5, abs=0.1)
