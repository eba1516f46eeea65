"""Training, sampling and evaluation variance, recovered from simulated repeats whose components are known."""

import math

import numpy as np
import pytest
from scipy import stats

from goodness import ALPHA
from understudy.errors import ParameterError
from understudy.measuring.variance import components
from understudy.result import Result


def score(value, deviation=0.0, name="fidelity.toy"):
    reach = 1.959963984540054 * deviation
    return Result(name, value, value - reach, value + reach, 0.0, "lower", saw_real_rows=True)


def simulated(rng, sizes, *, training, sampling, evaluation):
    """Return results of so many tables per fit, around a true score of 1."""
    shared = 1 + evaluation * rng.standard_normal()  # the same real rows judge all of them
    return [
        [score(centre + sampling * draw, evaluation) for draw in rng.standard_normal(size)]
        for size, centre in zip(sizes, shared + training * rng.standard_normal(len(sizes)), strict=True)
    ]


def test_a_case_worked_by_hand():
    # Within: (0.02 + 0.02) / 2 = 0.02; between: 2 * (0.25 + 0.25) = 1; training: (1 - 0.02) / 2 = 0.49.
    found = components([[score(1.0, 0.1), score(1.2, 0.1)], [score(2.0, 0.1), score(2.2, 0.1)]])
    assert found.value == pytest.approx(1.6)
    assert found.training == pytest.approx(0.7)
    assert found.sampling == pytest.approx(math.sqrt(0.02))
    assert found.evaluation == pytest.approx(0.1)
    assert found.total == pytest.approx(math.sqrt(0.49 + 0.02 + 0.01))
    # The mean: variance 0.5 / 2 of two fits with one degree of freedom, and 0.01 of the evaluation.
    freedom = (0.26 / 0.25) ** 2
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, freedom) * math.sqrt(0.26), rel=1e-6)
    assert (found.fits, found.scores, found.notes) == (2, 4, ())


@pytest.mark.parametrize("sizes", [[4] * 6, [2, 3, 7, 4, 5, 3, 6]])
def test_the_components_are_recovered(sizes):
    rng, truth = np.random.default_rng(0), {"training": 0.5, "sampling": 0.3, "evaluation": 0.2}
    found = [components(simulated(rng, sizes, **truth)) for _ in range(600)]
    for part, deviation in truth.items():
        squares = [getattr(each, part) ** 2 for each in found]
        error = np.std(squares) / math.sqrt(len(squares))
        assert abs(np.mean(squares) - deviation**2) < 5 * error + 1e-9, part


@pytest.mark.parametrize(
    "truth",
    [(0.5, 0.3, 0.2), (0.0, 0.3, 0.2), (0.5, 0.0, 0.0), (0.1, 0.5, 0.5)],
    ids=lambda truth: "training {} sampling {} evaluation {}".format(*truth),
)
def test_the_total_interval_covers_the_true_score(truth):
    rng, trials = np.random.default_rng(1), 600
    parts = dict(zip(("training", "sampling", "evaluation"), truth, strict=True))
    found = [components(simulated(rng, [3] * 5, **parts)) for _ in range(trials)]
    hits = sum(each.low <= 1 <= each.high for each in found)
    # 94 %: Satterthwaite's degrees of freedom are an approximation. One false alarm in a million.
    assert stats.binom.cdf(hits, trials, 0.94) > ALPHA


def test_an_interval_without_the_evaluation_would_miss_the_true_score():
    rng = np.random.default_rng(2)
    found = [
        components(simulated(rng, [3] * 20, training=0.1, sampling=0.1, evaluation=0.5)) for _ in range(100)
    ]
    narrow = [abs(each.value - 1) <= 1.96 * each.training / math.sqrt(20) for each in found]
    assert sum(narrow) < 30 and sum(each.low <= 1 <= each.high for each in found) > 85


def test_scores_that_never_differ_have_no_variance():
    found = components([[score(2.0)] * 3] * 4)
    assert (found.low, found.high) == (2.0, 2.0)
    assert found.training == found.sampling == found.evaluation == found.total == 0


def test_of_one_fit_the_training_variance_cannot_be_told():
    found = components([[score(1.0, 0.1), score(1.4, 0.1), score(1.2, 0.1)]])
    assert math.isnan(found.training) and found.sampling == pytest.approx(0.2)
    assert found.low < 1.2 < found.high
    assert found.notes == ("one fit: training variance cannot be told, and is not in the interval",)


def test_of_one_table_per_fit_the_sampling_variance_cannot_be_told_apart():
    found = components([[score(1.0)], [score(2.0)], [score(3.0)]])
    assert math.isnan(found.sampling) and found.training == pytest.approx(1.0)
    assert found.high - 2 == pytest.approx(stats.t.ppf(0.975, 2) / math.sqrt(3), rel=1e-6)
    assert len(found.notes) == 1 and "sampling variance cannot be told apart" in found.notes[0]


def test_a_single_score_has_the_interval_of_its_evaluation():
    found = components([[score(1.0, 0.1)]])
    assert (found.low, found.high) == (pytest.approx(1 - 0.196, abs=1e-4), pytest.approx(1 + 0.196, abs=1e-4))
    assert math.isnan(found.training) and math.isnan(found.sampling) and len(found.notes) == 2


def test_an_interval_that_is_cut_off_shows_its_width_on_the_longer_side():
    cut = Result("fidelity.toy", 0.01, 0.0, 0.206, 0.0, "lower", saw_real_rows=True)
    assert components([[cut]]).evaluation == pytest.approx(0.1, rel=1e-4)


def test_undefined_scores_are_left_out_and_counted():
    found = components([[score(1.0), score(math.nan)], [score(2.0)], [score(math.nan)]])
    assert (found.value, found.fits, found.scores) == (1.5, 2, 2)
    assert found.notes[0] == "2 of 4 scores are undefined and left out"
    nothing = components([[score(math.nan)]])
    assert math.isnan(nothing.value) and nothing.notes == ("no score is defined",)


@pytest.mark.parametrize("results", [[], [[]], [[score(1.0)], [score(1.0, name="fidelity.other")]]])
def test_only_results_of_one_measure_have_components(results):
    with pytest.raises(ParameterError, match="expected the results of one measure"):
        components(results)
