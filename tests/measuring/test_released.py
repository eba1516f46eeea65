"""Which records a released table was learned from, by features of shadow sets."""

import numpy as np
import pytest

from attacks.shadows_seen import blind, recorded, shown_by
from understudy.measuring.released import suspicion, with_released


def known(models=16, targets=6, seed=0):
    """Features of which each tells one target, and who is inside."""
    rng = np.random.default_rng(seed)
    inside = rng.permuted(np.tile(np.arange(models) % 2 == 0, (targets, 1)), axis=1).T
    return inside + 0.1 * rng.random((models, targets)), inside


@pytest.mark.parametrize("told_by", ["ridge", "forest"])
def test_targets_that_features_give_away_are_suspect(told_by):
    features, inside = known()
    released = np.array([1.0, 0, 1, 0, 1, 0])
    found = suspicion(features, released, inside, told_by, np.random.default_rng(0))
    assert found[::2].min() > found[1::2].max()


def test_several_sets_of_a_model_stand_one_behind_another():
    features, inside = known()
    once, twice = (
        suspicion(np.repeat(features, sets, axis=0), features[0], inside, "ridge", np.random.default_rng(0))
        for sets in (1, 2)
    )
    assert np.corrcoef(once, twice)[0, 1] > 0.9


def test_features_that_never_vary_say_nothing():
    inside = known()[1]
    for width in (0, 3):
        found = suspicion(
            np.full((16, width), 0.1), np.ones(width), inside, "ridge", np.random.default_rng(0)
        )
        assert found.tolist() == [0.0] * 6


def test_the_released_table_takes_the_place_of_all_sets():
    shown = shown_by(blind, models=4, sets=2)
    table = recorded().coded("synthetic")
    one = with_released(shown, table)
    assert one.shadows.models == one.shadows.sets == 1
    np.testing.assert_array_equal(one.drawn(0, 0)["rise"], table["rise"])
