import math

import numpy as np
import pytest
from scipy.stats import binom

from understudy.errors import ParameterError
from understudy.measuring.one_run import (
    Guesses,
    best_of_guesses,
    chance_of,
    epsilon_of_guesses,
    guess,
    mu_of_rates,
)


@pytest.mark.parametrize(
    ("right", "made", "epsilon"), [(180, 200, 1.7989), (60, 100, 0.0519), (550, 1_000, 0.0942)]
)
def test_the_epsilon_of_known_guesses(right, made, epsilon):
    assert epsilon_of_guesses(Guesses(made, right)) == pytest.approx(epsilon, abs=5e-5)


def test_guesses_no_better_than_a_coin_refute_nothing():
    assert epsilon_of_guesses(Guesses(100, 50)) == 0
    assert epsilon_of_guesses(Guesses(0, 0)) == 0
    assert epsilon_of_guesses(Guesses(4, 4)) == 0  # one time in sixteen a coin does as well


def test_guesses_that_are_all_right_bound_epsilon_as_the_formula_says():
    coin = 0.05 ** (1 / 40)
    assert epsilon_of_guesses(Guesses(40, 40)) == pytest.approx(math.log(coin / (1 - coin)))


def test_a_delta_explains_a_part_and_more_canaries_more_of_it():
    plain = epsilon_of_guesses(Guesses(200, 180))
    bounds = [epsilon_of_guesses(Guesses(200, 180), 1e-4, canaries) for canaries in (200, 2_000)]
    assert 0 < bounds[1] < bounds[0] < plain
    assert epsilon_of_guesses(Guesses(200, 180), 0.1) == 0


def test_the_price_of_delta_is_that_of_the_worst_count_below():
    tail, coin = chance_of(Guesses(10, 8), 1.0), 1 / (1 + math.exp(-1))
    worst = max(sum(binom.pmf(8 - j, 10, coin) for j in range(1, i + 1)) / i for i in range(1, 9))
    assert chance_of(Guesses(10, 8), 1.0, 1e-3, 25) == pytest.approx(tail + 2 * 25 * 1e-3 * worst)


def test_the_bound_of_randomised_response_is_above_the_truth_as_rarely_as_stated():
    rng, coin = np.random.default_rng(0), 1 / (1 + math.exp(-1.0))
    found = [epsilon_of_guesses(Guesses(300, int(rng.binomial(300, coin)))) for _ in range(1_000)]
    assert np.mean(np.array(found) > 1.0) <= 0.06
    assert 0.6 < np.median(found) < 1.0


def test_the_best_of_three_pays_for_the_choice():
    rng = np.random.default_rng(1)
    over = []
    for _ in range(300):
        members = rng.random(100) < 0.5
        over.append(best_of_guesses(rng.normal(size=100), members)[0] > 0)
    assert np.mean(over) <= 0.06


def test_who_is_sure_of_few_is_heard():
    rng = np.random.default_rng(2)
    members = rng.random(400) < 0.5
    scores = rng.normal(size=400)
    scores[members & (rng.random(400) < 0.4)] += 10
    scores[~members & (rng.random(400) < 0.4)] -= 10
    value, found = best_of_guesses(scores, members)
    assert found.made == 100
    assert value > epsilon_of_guesses(guess(scores, members))


def test_equal_scores_are_guessed_at_together_or_not_at_all():
    assert guess(np.zeros(10), np.ones(10, bool)) == (0, 0)
    scores, members = np.array([2.0, 1, 1, 1, 0]), np.array([True, True, False, True, False])
    assert guess(scores, members) == (2, 2)
    order = np.random.default_rng(0).permutation(5)
    assert guess(scores[order], members[order]) == (2, 2)
    assert guess(np.zeros(1), np.ones(1, bool)) == (0, 0)


def test_two_gaussians_are_no_farther_apart_than_their_rates_say():
    mu, epsilon = mu_of_rates((841, 1_000), (159, 1_000), 1e-5)
    assert 1.7 < mu < 2.0
    assert epsilon == pytest.approx(9.0, abs=1.0)
    assert mu_of_rates((50, 100), (50, 100)) == (0, 0)
    assert mu_of_rates((0, 10), (10, 10)) == (0, 0)


@pytest.mark.parametrize("wrong", [Guesses(5, 6), Guesses(5, -1)])
def test_impossible_counts_are_refused(wrong):
    with pytest.raises(ParameterError, match="one_run"):
        chance_of(wrong, 1.0)


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ParameterError, match="NaN"):
        guess(np.array([np.nan, 1.0]), np.array([True, False]))
