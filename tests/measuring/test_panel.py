"""The best of many: an honest choice raises no alarm, a choice on the targets that are scored does."""

import numpy as np
import pytest

from understudy.measuring.interval import delong
from understudy.measuring.panel import choose_and_score, halves_of, p_value, risk_beyond

TARGETS = 100
MEMBER = np.arange(TARGETS) < TARGETS // 2


def halves(seed):
    return halves_of(MEMBER, np.arange(TARGETS), np.random.default_rng(seed))


def guesses(seed, attacks=10):
    """Scores of attacks that all guess."""
    return np.random.default_rng(seed).random((attacks, TARGETS))


def alarm(scores, choosing, scoring):
    place, value = choose_and_score(scores, MEMBER, choosing, scoring)
    found, (low, _) = delong(scores[place, MEMBER & scoring], scores[place, ~MEMBER & scoring])
    assert found == pytest.approx(value)
    return low > 0.5


def test_choosing_on_the_targets_that_are_scored_raises_false_alarms_and_an_honest_choice_does_not():
    honest = [alarm(guesses(seed), halves(seed), ~halves(seed)) for seed in range(200)]
    planted = [alarm(guesses(seed), ~halves(seed), ~halves(seed)) for seed in range(200)]
    assert np.mean(honest) <= 0.05 < 0.15 < np.mean(planted)


def test_chance_has_even_p_values_and_a_p_value_of_the_scoring_alone_would_not():
    def found(seed, scored_on):
        parts = halves(seed), scored_on(halves(seed))
        return p_value(guesses(seed), MEMBER, parts, 39, np.random.default_rng(seed))

    honest = np.array([found(seed, np.logical_not) for seed in range(200)])
    assert abs(honest.mean() - 0.5) < 0.08 and np.mean(honest <= 0.05) < 0.09

    def of_the_winner(seed):
        """Shuffles after the choice: the bug."""
        scores, all_ = guesses(seed), np.ones(TARGETS, dtype=bool)
        best = choose_and_score(scores, MEMBER, all_, all_).place
        return p_value(scores[[best]], MEMBER, (all_, all_), 39, np.random.default_rng(seed))

    assert np.mean([of_the_winner(seed) <= 0.05 for seed in range(100)]) > 0.2


def test_a_true_leak_is_chosen_and_has_a_small_p_value():
    scores = guesses(0)
    scores[3] += MEMBER
    parts = halves(0), ~halves(0)
    place, value = choose_and_score(scores, MEMBER, *parts)
    assert place == 3 and value == 1.0
    assert p_value(scores, MEMBER, parts, 99, np.random.default_rng(0)) == 0.01


def test_halves_hold_half_of_either_kind_and_follow_the_order_that_is_given():
    choosing = halves(1)
    assert choosing[MEMBER].sum() == choosing[~MEMBER].sum() == TARGETS // 4
    mixed = np.random.default_rng(5).permutation(TARGETS)
    # The same targets in other places, told in the same order, are divided alike.
    again = halves_of(MEMBER[mixed], np.argsort(mixed), np.random.default_rng(1))
    np.testing.assert_array_equal(again, choosing[mixed])


def test_the_risk_is_that_of_a_threshold_of_the_other_half():
    assert risk_beyond(MEMBER.astype(float), MEMBER, halves(0)) == 1.0
    assert abs(np.mean([risk_beyond(guesses(s)[0], MEMBER, halves(s)) for s in range(100)])) < 0.05
