"""ROC curves: known answers, ties, and thresholds that are chosen before they are judged."""

import math

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.measuring.roc import advantage, curve, epsilon_at_least, sure_point, tpr_at


def test_equal_scores_are_accused_together():
    found = curve(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0]))
    assert found.members.tolist() == [2, 3]
    assert found.others.tolist() == [1, 2]


def test_a_block_of_ties_invents_no_point_of_the_curve():
    members, others = np.repeat([1.0, 0.0], [10, 40]), np.repeat([1.0, 0.0], [5, 45])
    assert tpr_at(members, others, 0.01) == 0.0
    assert tpr_at(members, others, 0.1) == 0.2


def test_the_share_of_members_is_that_of_a_threshold_that_exists():
    members, others = np.array([0.9, 0.8, 0.7, 0.1]), np.array([0.85, 0.3, 0.2, 0.05])
    assert tpr_at(members, others, 0.0) == 0.25
    assert tpr_at(members, others, 0.25) == 0.75


def test_chance_has_no_advantage_on_average():
    rng = np.random.default_rng(0)
    found = [advantage(rng.random(200), rng.random(200)) for _ in range(200)]
    assert abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(200)


def test_an_adversary_who_knows_has_all_of_it():
    assert advantage(np.arange(10.0) + 20, np.arange(10.0)) == 1.0


@pytest.mark.parametrize(
    ("members", "others", "expected"), [((90, 100), (10, 100), 1.4645), ((50, 1000), (0, 1000), 2.1013)]
)
def test_bounds_on_epsilon_are_the_known_ones(members, others, expected):
    assert epsilon_at_least(members, others) == pytest.approx(expected, abs=5e-5)


def test_acquittals_bound_epsilon_as_accusations_do():
    assert epsilon_at_least((100, 100), (50, 100)) == pytest.approx(epsilon_at_least((50, 100), (0, 100)))


def test_a_delta_takes_from_the_bound_and_chance_bounds_nothing():
    assert epsilon_at_least((90, 100), (10, 100), delta=0.1) < epsilon_at_least((90, 100), (10, 100))
    assert epsilon_at_least((50, 100), (50, 100)) == 0.0


@pytest.mark.parametrize(("hits", "alarms"), [(90, 10), (99, 1), (500, 100), (1_000, 0)])
def test_the_bound_that_paper_001_prints_is_always_nought_and_ours_is_not(hits, alarms):
    # Its 6.1 has log max(alpha / (1 - beta), beta / (1 - alpha)), alpha the rate of true positives and beta
    # that of false negatives: beta is 1 - alpha, and both ratios are 1 whatever the attack finds.
    alpha = (hits + 1) / 1_002  # neither 0 nor 1, where a ratio would not be defined
    beta = 1 - alpha
    assert math.log(max(alpha / (1 - beta), beta / (1 - alpha))) == pytest.approx(0, abs=1e-12)
    assert epsilon_at_least((hits, 1_000), (alarms, 1_000)) > 1


def test_groups_without_scores_are_refused():
    with pytest.raises(ParameterError, match="roc"):
        curve(np.array([]), np.array([1.0]))


def test_an_attack_that_accuses_only_others_bounds_nothing():
    assert epsilon_at_least((0, 20), (20, 20)) >= 0
    assert epsilon_at_least((0, 20), (0, 20)) == 0
    assert epsilon_at_least((20, 20), (20, 20)) == 0


def test_a_sure_point_is_wrong_about_as_rarely_as_it_says():
    # Both groups of one law: the true curve is the diagonal, so a point above it is a false alarm.
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(400):
        members, others = rng.normal(size=(2, 300))
        tpr, fpr = sure_point(members, others, 0.95)
        alarms += tpr > fpr
    assert alarms <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05)


def test_a_sure_point_lies_above_a_curve_that_an_attacker_exceeds():
    rng = np.random.default_rng(4)
    tpr, fpr = sure_point(rng.normal(2, 1, 2_000), rng.normal(size=2_000), 0.999)
    assert tpr > fpr + 0.3
    assert sure_point(np.ones(3), np.zeros(3), 0.999) == (0.0, 1.0)
