"""Ranks of a mixture within a range."""

import numpy as np
import pytest

from understudy.codec.modes import Modes
from understudy.model.mode_ranks import ModeRanks

ENDS = np.array([1.0, 2.0])


def modes(column, count=10):
    return Modes.fit(column, count, np.random.default_rng(0))


@pytest.fixture
def column():
    return np.random.default_rng(1).exponential(size=20_000)


def test_ranks_rise_from_0_to_1_and_lead_back_to_their_places(column):
    ranks = ModeRanks.within(modes(column), ENDS, 0.0)
    places = np.linspace(0, 1, 101)
    assert ranks.of(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]
    assert (np.diff(ranks.of(places)) > 0).all()
    assert np.allclose(ranks.at(ranks.of(places)), places, atol=1e-9)


def test_ranks_are_those_of_the_column_within_the_range(column):
    ranks = ModeRanks.within(modes(column), ENDS, 0.0)
    inside = column[(column >= 1) & (column <= 2)]
    assert abs(ranks.of(np.array([0.3])).item() - (inside < 1.3).mean()) < 0.03


def test_half_a_step_stands_beyond_both_ends():
    ranks = ModeRanks.within(
        modes(np.random.default_rng(1).integers(0, 1_000, 5_000)), np.array([100, 110]), 0.05
    )
    assert ranks.at(np.array([0.0, 1.0])).tolist() == pytest.approx([-0.05, 1.05])


def test_a_mode_that_is_one_value_of_many_rows_has_no_part():
    rng = np.random.default_rng(1)
    column = np.where(rng.random(20_000) < 0.5, 0.0, 1 + rng.exponential(size=20_000))
    ranks = ModeRanks.within(modes(column), np.array([0.0, 3.0]), 0.0)
    assert ranks.of(np.array([0.25])).item() < 0.02  # of what lies below 0.75: nothing but the noughts


def test_where_no_mode_reaches_places_are_even():
    column = np.concatenate([np.random.default_rng(1).normal(0, 1e-3, 5_000), [1.0]])
    ranks = ModeRanks.within(modes(column, 2), np.array([0.5, 0.6]), 0.0)
    places = np.linspace(0, 1, 11)
    assert np.allclose(ranks.of(places), places, atol=1e-6)
