from itertools import combinations, product

import numpy as np
import pytest

from privacy.releases import ALPHA, p_of_choices, stream
from understudy.errors import ParameterError
from understudy.privacy.events import Selection
from understudy.privacy.mechanisms.best import ChooseBest
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.table_errors import TableErrors

PAIRS = tuple(combinations("abc", 2))


def choose(epsilon, count=2):
    tables = tuple(Margin(pair, (1, 1)) for pair in PAIRS)
    errors = TableErrors(tables, tuple(np.zeros((2, 2)) for _ in PAIRS), (1.0,) * 3, (0.0,) * 3)
    return ChooseBest(errors, Selection(epsilon, count))


def test_choices_are_accepted_at_their_epsilon_and_refused_at_085_of_it():
    # Two of three in order: first a softmax of all, then one of those left.
    scores, epsilon = np.array([4.0, 0.0, 2.0]), 1.0
    weights = np.exp(epsilon * scores / 2)
    orders = [(i, j) for i, j in product(range(3), repeat=2) if i != j]
    chances = np.array([weights[i] * weights[j] / (weights.sum() - weights[i]) for i, j in orders])
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        noise, mechanism = stream(5), choose(epsilon * factor)
        chosen = [orders.index(tuple(mechanism.release(scores, noise))) for _ in range(30_000)]
        p = p_of_choices(np.array(chosen), chances)
        assert (p > 1e-3) if accepted else (p < ALPHA)


def test_one_row_more_moves_no_score_by_more_than_one_whatever_the_rows():
    mechanism, rows = choose(1.0), list(product((0, 1), repeat=3))
    for table in combinations(rows, 2):
        columns = lambda of: dict(zip("abc", np.array(of, dtype=np.int32).T, strict=True))
        for row in rows:
            before, after = (mechanism.statistic(columns(of)) for of in (table, [*table, row]))
            assert np.abs(before - after).max() <= mechanism.sensitivity.value == 1


def test_all_may_be_chosen_and_none_twice():
    assert sorted(choose(1.0, 3).release(np.array([1.0, 5.0, 2.0]), stream(1))) == [0, 1, 2]


@pytest.mark.parametrize("count", [4, 7])
def test_more_choices_than_candidates_are_refused(count):
    with pytest.raises(ParameterError):
        choose(1.0, count)
