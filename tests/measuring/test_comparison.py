"""A score of two tables: its interval covers, its null is what real against real gives."""

import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from goodness import ALPHA
from measuring import toys
from understudy.errors import ParameterError
from understudy.rng import stream
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

X = CodedColumn("x", quantity=True, low=0.0, high=1.0)


def tables(train, synthetic, holdout=None):
    """Evidence of one quantity, without the time that it takes to infer a schema."""
    given = {"train": train, "synthetic": synthetic, "holdout": holdout}
    coded = {role: CodedTable((X,), {"x": x}) for role, x in given.items() if x is not None}
    return SimpleNamespace(coded=coded.get, has=coded.__contains__)


def found(measure, evidence, seed=0):
    return measure.find(evidence, stream(seed, "test"))


@pytest.mark.parametrize(("real", "fake"), [(40, 40), (30, 200), (201, 33)])
@pytest.mark.parametrize("law", ["normal", "exponential"])
def test_the_interval_of_half_tables_covers_the_score_of_the_laws(real, fake, law):
    rng, hits, trials = np.random.default_rng(0), 0, 300
    draw = rng.standard_normal if law == "normal" else rng.standard_exponential
    for seed in range(trials):
        case = found(toys.Gap(nulls=1), tables(draw(real) + 0.5, draw(fake)), seed)
        hits += case.low <= 0.5 <= case.high
    # 93 %: at these sizes a skewed mean is not normal yet. One false alarm in a million.
    assert stats.binom.cdf(hits, trials, 0.93) > ALPHA


def test_the_deviation_of_half_tables_is_that_of_the_score():
    rng = np.random.default_rng(1)
    reaches, scores = [], []
    for seed in range(200):
        case = found(
            toys.Gap(nulls=1, halves=30), tables(rng.standard_normal(60), rng.standard_normal(90)), seed
        )
        reaches.append((case.high - case.low) / 2 / stats.t.ppf(0.975, 29))
        scores.append(case.score.value)
    # The deviation of 200 scores has a relative deviation of 5 %: five of them, one false alarm in a million.
    assert np.sqrt(np.mean(np.square(reaches))) == pytest.approx(np.std(scores), rel=0.25)
    assert np.sqrt(np.mean(np.square(reaches))) == pytest.approx(np.sqrt(1 / 60 + 1 / 90), rel=0.05)


@pytest.mark.parametrize("measure", [toys.Distance, toys.SplitDistance])
@pytest.mark.parametrize("sizes", [(50, 50, 100), (40, 160, 200)])
def test_the_null_is_without_bias_what_fresh_real_rows_score(measure, sizes):
    rng, nulls = np.random.default_rng(2), []
    train, fake, held = sizes
    for seed in range(200):
        case = tables(rng.standard_normal(train), rng.standard_normal(fake), rng.standard_normal(held))
        nulls.append(found(measure(halves=4, nulls=5), case, seed).null)
    truth = math.sqrt(2 / math.pi) * math.sqrt(1 / train + 1 / fake)  # the mean of |N(0, 1/n + 1/m)|
    error = np.std(nulls) / math.sqrt(len(nulls))
    # Redrawn rows have the variance n - 1 over n of the law's: a bias of less than 1 % here.
    assert abs(np.mean(nulls) - truth) < 5 * error + 0.01 * truth


def test_a_fresh_table_scores_like_the_null():
    rng = np.random.default_rng(3)
    cases = [found(toys.Distance(), tables(*rng.standard_normal((2, 80))), seed) for seed in range(150)]
    scores, nulls = [c.score.value for c in cases], [c.null for c in cases]
    assert np.mean(scores) == pytest.approx(np.mean(nulls), rel=0.2)


def test_without_enough_rows_a_split_null_is_smaller_and_says_so():
    rng = np.random.default_rng(4)
    case = found(toys.SplitDistance(), tables(*rng.standard_normal((2, 60))))
    assert case.notes == ("the null compares 30 with 30 real rows",)
    held = found(toys.SplitDistance(), tables(*rng.standard_normal((3, 60))))
    assert held.notes == ()


@pytest.mark.parametrize(("train", "fake"), [(2, 2), (2, 500), (3, 1), (500, 1)])
@pytest.mark.parametrize("measure", [toys.Distance, toys.SplitDistance])
def test_the_null_of_tiny_tables_is_defined(measure, train, fake):
    rng = np.random.default_rng(5)
    case = found(measure(), tables(rng.standard_normal(train), rng.standard_normal(fake)))
    assert math.isfinite(case.null)


@pytest.mark.parametrize("measure", [toys.Distance, toys.SplitDistance])
def test_a_single_real_row_has_neither_interval_nor_null(measure):
    case = found(measure(), tables(np.array([1.0]), np.array([1.0, 2.0, 3.0])))
    assert case.score.value == 1.0
    assert all(math.isnan(each) for each in (case.low, case.high, case.null))
    assert case.notes == ("there is no null: it needs 2 real rows",)


def test_of_large_tables_rows_are_drawn_and_a_note_says_so():
    rng = np.random.default_rng(6)
    case = found(toys.Distance(rows=100), tables(rng.standard_normal(250), rng.standard_normal(90)))
    assert case.notes == ("100 of 250 train rows were drawn",)
    assert case.n == 190


def test_the_interval_of_drawn_rows_shows_what_drawing_costs():
    rng = np.random.default_rng(7)
    both = tables(rng.standard_normal(10_000), rng.standard_normal(10_000))
    few, all_ = (found(toys.Gap(rows=rows, halves=100), both) for rows in (400, 100_000))
    assert (few.high - few.low) / (all_.high - all_.low) == pytest.approx(5, rel=0.5)


def test_the_interval_stays_within_the_bounds_of_the_score():
    rng = np.random.default_rng(8)
    assert found(toys.Distance(), tables(*rng.standard_normal((2, 50)))).low >= 0


def test_an_undefined_score_is_nan_all_over():
    case = found(toys.Undefined(), tables(np.arange(5.0), np.arange(5.0)))
    assert all(math.isnan(each) for each in (case.score.value, case.low, case.high, case.null))


def test_the_same_seed_gives_the_same_finding_and_another_seed_another_interval():
    both = tables(*np.random.default_rng(9).standard_normal((2, 50)))
    assert found(toys.Distance(), both) == found(toys.Distance(), both)
    assert found(toys.Distance(), both).low != found(toys.Gap(), both, seed=1).low


def test_no_array_of_the_evidence_can_be_written_into():
    evidence = Evidence(train=pa.table({"x": [1.5, 2.5]}), synthetic=pa.table({"x": [1.5, 3.5]}))
    with pytest.raises(ValueError, match="read-only"):
        evidence.coded("train")["x"][0] = 3


@pytest.mark.parametrize("settings", [{"rows": 99}, {"halves": 3}, {"nulls": 0}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ParameterError, match="must be a whole number from"):
        toys.Distance(**settings)
