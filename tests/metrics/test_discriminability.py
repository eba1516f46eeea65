import numpy as np
import pyarrow as pa
import pytest

from understudy.metrics.discriminability import Discriminability, readings
from understudy.table.evidence import Evidence


def table(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows) + shift
    return pa.table({"x": x, "y": x + rng.standard_normal(rows), "s": rng.choice(["a", "b", "c"], rows)})


def judge(synthetic, train=None, **settings):
    train = table(500, 0) if train is None else train
    return Discriminability(rounds=30)(Evidence(train=train, synthetic=synthetic, **settings))


def test_probabilities_of_9_6_4_and_1_tenths_give_75_as_printed_and_50_rescaled():
    score = readings(np.abs(np.array([0.9, 0.6, 0.4, 0.1]) - 0.5))
    assert score.parts["mean_absolute_error"] == pytest.approx(0.25)
    assert score.parts["as_printed"] == pytest.approx(0.75)
    assert score.value == pytest.approx(0.5)


def test_as_printed_the_score_cannot_fall_below_one_half_and_rescaled_it_reaches_0():
    far = judge(table(500, 1, shift=50))
    assert far.parts["as_printed"] == pytest.approx(0.5, abs=0.02)
    assert far.value == pytest.approx(0, abs=0.04) and far.high < far.null


def test_a_fresh_sample_scores_as_the_null_which_is_below_1():
    result = judge(table(500, 1), holdout=table(500, 2))
    assert result.value == pytest.approx(result.null, abs=0.06)
    assert result.null < 0.95 and result.better == "higher"
    assert not any("the null compares" in note for note in result.notes)


def test_a_copy_scores_no_worse_than_a_fresh_sample():
    assert judge(table(500, 0)).value >= judge(table(500, 1)).value - 0.02


def test_a_shifted_and_a_constant_table_score_worse_beyond_the_interval():
    constant = pa.table({"x": [0.0] * 200, "y": [0.0] * 200, "s": ["a"] * 200})
    for bad in (table(500, 1, shift=1.0), constant):
        assert judge(bad).high < judge(bad).null - 0.05


def test_without_a_holdout_halves_are_judged_so_that_a_fresh_sample_still_scores_as_the_null():
    results = [judge(table(400, seed + 50), table(400, seed)) for seed in range(6)]
    assert all("200 rows were drawn of each of 400 and 400" in result.notes for result in results)
    gaps = [result.value - result.null for result in results]
    assert np.mean(gaps) == pytest.approx(0, abs=0.04)


def test_the_null_is_the_mean_of_several_splits_and_their_deviation_widens_the_interval(monkeypatch):
    scores = iter([0.5, 0.6, 0.7, 0.8, 0.9])
    monkeypatch.setattr(Discriminability, "_of_split", lambda *_: next(scores))
    result = judge(table(500, 1))
    assert result.null == pytest.approx(0.7)
    assert result.high - result.low > 2 * 1.96 * np.std([0.5, 0.6, 0.7, 0.8, 0.9], ddof=1) * 0.99


def test_intervals_of_fresh_samples_hold_the_null():
    results = [judge(table(400, seed + 70), table(400, seed + 20)) for seed in range(8)]
    assert sum(result.low <= result.null <= result.high for result in results) >= 7


def test_a_handful_of_rows_is_undefined_with_a_reason():
    result = judge(table(9, 1))
    assert np.isnan(result.value) and "fewer than 10 rows" in result.notes[0]
    assert np.isnan(judge(table(5, 1), table(5, 0)).null)
