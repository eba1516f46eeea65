"""Intervals: known answers, coverage by simulation, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

from goodness import ALPHA
from understudy.errors import ParameterError
from understudy.measuring.interval import around, clopper_pearson, delong, delong_of_folds, wilson


def covers(hits, trials, stated=0.95):
    """Say whether so many hits are compatible with the stated coverage, at one false alarm in a million."""
    return stats.binom.cdf(hits, trials, stated) > ALPHA


@pytest.mark.parametrize(
    ("trials", "successes", "centre", "reach"),
    [
        (500, 0, 0.003812, 0.003812),
        (500, 50, 0.103050, 0.026372),
        (500, 100, 0.202287, 0.035002),
        (1000, 850, 0.848661, 0.022129),
    ],
)
def test_wilson_gives_the_known_answers(trials, successes, centre, reach):
    value, (low, high) = wilson(successes, trials)
    assert value == pytest.approx(centre, abs=5e-7)
    assert high - value == pytest.approx(reach, abs=5e-7)
    assert value - low == pytest.approx(reach, abs=5e-7)


@pytest.mark.parametrize(
    ("true", "false", "trials", "epsilon"), [(90, 10, 100, 1.4645), (50, 0, 1000, 2.1013)]
)
def test_clopper_and_pearson_give_the_known_lower_bounds_of_epsilon(true, false, trials, epsilon):
    low, high = clopper_pearson(true, trials, 0.975)[0], clopper_pearson(false, trials, 0.975)[1]
    assert math.log(low / high) == pytest.approx(epsilon, abs=5e-5)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9])
def test_clopper_and_pearson_cover_at_least_as_often_as_they_say(share):
    trials = 40
    chances = stats.binom.pmf(np.arange(trials + 1), trials, share)
    inside = [low <= share <= high for low, high in (clopper_pearson(k, trials) for k in range(trials + 1))]
    assert chances[inside].sum() >= 0.95


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_wilson_covers_about_as_often_as_it_says(share):
    trials = 60
    chances = stats.binom.pmf(np.arange(trials + 1), trials, share)
    inside = [low <= share <= high for _, (low, high) in (wilson(k, trials) for k in range(trials + 1))]
    assert chances[inside].sum() == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("find", [lambda k, n: wilson(k, n)[1], clopper_pearson])
@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 10), (11, 10)])
def test_impossible_counts_are_refused(find, successes, trials):
    with pytest.raises(ParameterError, match="impossible"):
        find(successes, trials)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95])
def test_a_confidence_that_is_no_probability_is_refused(confidence):
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        clopper_pearson(1, 10, confidence)


def test_delong_gives_the_known_area():
    value, (low, high) = delong(np.array([0.9, 0.8, 0.7, 0.1]), np.array([0.85, 0.3, 0.2, 0.05]))
    assert value == 0.6875
    assert 0 < low < value < high < 1


def test_delong_has_the_deviation_of_the_definition():
    positive, negative = np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, 0.0, 2.5])
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    square = wins.mean(1).var(ddof=1) / 4 + wins.mean(0).var(ddof=1) / 3
    value, (low, high) = delong(positive, negative)
    width = (math.log(high / (1 - high)) - math.log(low / (1 - low))) / 2
    assert value == wins.mean()
    assert width * value * (1 - value) == pytest.approx(1.959964 * math.sqrt(square))


@pytest.mark.parametrize(("rows", "error"), [(1_000, 0.0129), (16_000, 0.0032)])
def test_areas_of_half_a_point_above_chance_are_chance_at_the_sizes_of_paper_001(rows, error):
    rng, shift = np.random.default_rng(0), math.sqrt(2) * stats.norm.ppf(0.51)
    value, (low, high) = delong(rng.normal(shift, 1, rows), rng.normal(0, 1, rows))
    assert (high - low) / (2 * 1.959964) == pytest.approx(error, rel=0.02)
    assert abs(value - 0.51) < 3 * error
    # The paper has areas from .501 to .505: within two errors of a half even where there are most rows.
    assert 0.5 + 2 * error > 0.505


@pytest.mark.parametrize(("rows", "shift"), [(20, 0.0), (50, 1.0), (20, 2.5), (200, 0.5)], ids=str)
def test_delong_covers_the_area_of_the_law_even_near_its_end(rows, shift):
    rng, truth = np.random.default_rng(1), stats.norm.cdf(shift / math.sqrt(2))
    hits = 0
    for _ in range(500):
        _, (low, high) = delong(rng.normal(shift, 1, rows), rng.normal(0, 1, rows))
        hits += low <= truth <= high
    assert covers(hits, 500)


def test_delong_is_not_certain_of_a_few_scores_without_an_error():
    value, (low, high) = delong(np.array([2.0, 3.0, 4.0]), np.array([0.0, 1.0]))
    assert (value, high) == (1.0, 1.0)
    assert low == pytest.approx(clopper_pearson(2, 2)[0])
    assert delong(np.array([0.0]), np.array([1.0, 2.0]))[1][0] == 0.0


def test_delong_of_scores_that_are_all_the_same_is_chance():
    assert delong(np.ones(5), np.ones(7)) == (0.5, (0.5, 0.5))


def test_delong_knows_no_interval_of_a_single_score():
    value, (low, high) = delong(np.array([1.0]), np.array([0.0, 2.0]))
    assert value == 0.5 and math.isnan(low) and math.isnan(high)


@pytest.mark.parametrize(
    ("positive", "negative", "message"),
    [([], [1.0], "at least one"), ([1.0], [], "at least one"), ([np.nan], [1.0], "got NaN")],
)
def test_delong_refuses_groups_without_scores(positive, negative, message):
    with pytest.raises(ParameterError, match=message):
        delong(np.array(positive), np.array(negative))


@pytest.mark.parametrize("draws", [4, 20])
def test_around_covers_a_mean_however_few_draws_there_are(draws):
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(1000):
        low, high = around(rng.standard_normal(), rng.standard_normal(draws).tolist())
        hits += low <= 0 <= high
    assert covers(hits, 1000)


def test_around_stays_within_what_the_value_can_be():
    assert around(0.1, [0.0, 0.5, 1.0], (0.0, 1.0)) == (0.0, 1.0)


def test_around_holds_the_value_even_outside_its_bounds():
    low, high = around(1.5, [0.1, 0.2], (0.0, 1.0))
    assert low <= 1.5 <= high


@pytest.mark.parametrize(
    ("value", "draws"), [(math.nan, [1.0, 2.0]), (1.0, []), (1.0, [1.0]), (1.0, [math.nan, 1.0, math.nan])]
)
def test_around_is_undefined_without_a_value_or_two_draws(value, draws):
    assert all(math.isnan(end) for end in around(value, draws))


def test_one_fold_has_the_area_of_delong_and_twice_its_square():
    rng = np.random.default_rng(0)
    groups = rng.normal(0.2, 1, 400), rng.normal(0, 1, 300)
    value, (low, high) = delong(*groups)
    folded, (below, above) = delong_of_folds([groups])
    assert folded == pytest.approx(value)
    assert above - below == pytest.approx(math.sqrt(2) * (high - low), rel=0.01)


def test_rows_of_different_folds_are_not_compared():
    # Each fold has a level of its own, which the scores of all folds in one heap would be ranked by.
    folds = [(np.array([level + 0.1, level]), np.array([level + 0.1, level])) for level in range(50)]
    assert delong_of_folds(folds)[0] == 0.5


def test_folds_weigh_by_their_pairs_and_one_of_one_group_alone_counts_nothing():
    both = (np.array([1.0, 2.0]), np.array([0.0]))
    wrong = (np.array([0.0]), np.array([1.0]))
    alone = (np.array([0.0]), np.array([]))
    assert delong_of_folds([both, wrong, alone])[0] == pytest.approx(2 / 3)
    value, (low, high) = delong_of_folds([alone])
    assert math.isnan(value) and math.isnan(low) and math.isnan(high)


def test_folds_that_are_told_without_an_error_are_certain_of_no_more_than_their_rows():
    value, (low, high) = delong_of_folds([(np.array([1.0, 2.0]), np.array([0.0, 0.5]))] * 5)
    assert (value, low, high) == (1.0, *clopper_pearson(10, 10))
