"""Scores of many attacks by rank, and what a classifier learns from them."""

import numpy as np
import pytest

from understudy.measuring.interval import delong
from understudy.measuring.stacking import learned, ranked_scores


def test_ranks_do_not_depend_on_the_scale_and_equals_stay_equal():
    rng = np.random.default_rng(0)
    scores = rng.random(50)
    one, other = ranked_scores([scores, scores]), ranked_scores([np.exp(3 * scores), 1e6 * scores - 4])
    np.testing.assert_allclose(one, other)
    assert (ranked_scores([np.zeros(7)]) == 0).all()
    tied = np.array([1.0, 1.0 + 1e-14, 2.0])
    assert ranked_scores([tied])[0, 0] == ranked_scores([tied])[1, 0]


@pytest.mark.parametrize("learner", ["logistic", "boosting"])
def test_two_weak_attacks_together_are_stronger_than_either(learner):
    rng = np.random.default_rng(1)
    members = np.arange(2_000) % 2 == 0

    def table():
        return ranked_scores([members + rng.normal(size=2_000) for _ in range(2)])

    judge = learned(table(), members, learner, 0)
    asked = table()
    areas = [delong(s[members], s[~members])[0] for s in (judge(asked), asked[:, 0], asked[:, 1])]
    assert areas[0] > max(areas[1:]) + 0.03


@pytest.mark.parametrize("learner", ["logistic", "boosting"])
def test_the_same_seed_learns_the_same(learner):
    rng = np.random.default_rng(2)
    features, members = rng.normal(size=(200, 3)), rng.random(200) < 0.5
    one, other = (learned(features, members, learner, 5)(features) for _ in range(2))
    np.testing.assert_array_equal(one, other)
