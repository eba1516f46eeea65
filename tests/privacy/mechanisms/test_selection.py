import math
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, p_of_choices, stream
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import Selection
from understudy.privacy.mechanisms.selection import ChooseInEach, Scores

N = 100_000


@final
@dataclass(frozen=True)
class Votes(Scores):
    """In each group, how many of its rows vote for each candidate."""

    groups: int = 3
    candidates: int = 4
    moved: float = 1.0

    @property
    def moved_by(self):
        return self.moved

    def score(self, columns):
        counts = np.zeros((self.groups, self.candidates))
        np.add.at(counts, (columns["group"], columns["vote"]), 1.0)
        return counts


def choose(epsilon, scores=None):
    return ChooseInEach(scores or Votes(), Selection(epsilon))


def columns_of(rows):
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return {"group": table[:, 0], "vote": table[:, 1]}


@pytest.mark.parametrize("moved", [0.5, 1.0])
def test_choices_are_accepted_at_their_epsilon_and_refused_at_085_of_it(moved):
    scores, epsilon = np.array([3.0, 0.0, 1.0, -2.0]), 1.0
    chances = np.exp(epsilon * scores / (2 * moved))
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        chosen = choose(epsilon * factor, Votes(moved=moved)).release(np.tile(scores, (N, 1)), stream(2))
        p = p_of_choices(chosen, chances)
        assert (p > 1e-3) if accepted else (p < ALPHA)


def test_a_shift_of_all_scores_of_a_group_changes_no_choice():
    scores = np.random.default_rng(0).integers(-9, 9, (1_000, 5)).astype(float)
    first, second = (choose(0.7).release(table, stream(1)) for table in (scores, scores - 2.0**40))
    assert np.array_equal(first, second)


votes = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=20)


@given(votes, st.tuples(st.integers(0, 2), st.integers(0, 3)))
def test_one_row_moves_the_scores_of_one_group_only(rows, row):
    mechanism = choose(1.0)
    before, after = (mechanism.statistic(columns_of(table)) for table in (rows, [*rows, row]))
    assert mechanism.distance(before, after) <= mechanism.sensitivity.value
    assert (np.abs(before - after).max(axis=1) > 0).sum() == 1


def test_scores_that_move_in_two_groups_are_farther_apart_than_allowed():
    mechanism = choose(1.0)
    before = mechanism.statistic(columns_of([]))
    both = mechanism.statistic(columns_of([(0, 1), (2, 1)]))
    assert mechanism.distance(before, both) == 2 > mechanism.sensitivity.value


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6), st.floats(0.05, 4.0), st.data())
def test_no_choice_becomes_more_likely_by_more_than_its_price(scores, epsilon, data):
    """Both laws are exact: the ratio is within epsilon, its range too, and the profile within the account."""
    moves = data.draw(st.lists(st.floats(-1, 1), min_size=len(scores), max_size=len(scores)))
    here = np.exp(np.array(scores) * epsilon / 2)
    there = np.exp((np.array(scores) + moves) * epsilon / 2)
    here, there = here / here.sum(), there / there.sum()
    loss = np.log(here / there)
    assert np.abs(loss).max() <= epsilon * (1 + 1e-9)
    assert loss.max() - loss.min() <= epsilon * (1 + 1e-9)
    curve = account((Selection(1.0),))
    if epsilon <= 1.0:
        for at in (0.0, 0.3, 0.8):
            assert np.maximum(here - math.exp(at) * there, 0).sum() <= curve.delta(at) + 1e-9


def test_many_groups_cost_one_choice_and_rounds_add_up():
    assert choose(0.3, Votes(groups=1_000)).event == Selection(0.3)
    one, ten = account((Selection(0.3),)).epsilon(1e-6), account((Selection(0.3, count=10),)).epsilon(1e-6)
    assert one < ten <= 3.0 + 1e-3


def test_what_is_told_is_a_place_and_every_place_is_told_from_both_neighbours():
    """A million choices: none of them is possible from one table and not from the other."""
    scores = np.tile([0.0, 1.0], (1_000_000, 1))
    near = np.tile([1.0, 1.0], (1_000_000, 1))
    first, second = (choose(1.0).release(table, stream(3)) for table in (scores, near))
    assert first.dtype == second.dtype == np.int64
    assert set(np.unique(first)) == set(np.unique(second)) == {0, 1}
    shares = [np.bincount(chosen) / 1_000_000 for chosen in (first, second)]
    assert np.abs(np.log(shares[0] / shares[1])).max() < 1.0


@pytest.mark.parametrize(
    ("scores", "price"), [(Votes(), Selection(1.0, count=2)), (Votes(moved=0.0), Selection(1.0))]
)
def test_a_price_of_several_choices_and_scores_that_never_move_are_refused(scores, price):
    with pytest.raises(ParameterError, match="price of one selection"):
        ChooseInEach(scores, price)
