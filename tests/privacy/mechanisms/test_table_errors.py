import itertools

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.table_errors import TableErrors

ROWS = list(itertools.product(range(2), range(3)))
TABLES = (Margin(("a",), (1,)), Margin(("a", "b"), (1, 2)))


def errors(weights=(1.0, 1.0), penalties=(0.0, 0.0), seed=0):
    rng = np.random.default_rng(seed)
    expected = tuple(3 * rng.random(table.shape) for table in TABLES)
    return TableErrors(TABLES, expected, weights, penalties)


def columns_of(rows):
    table = np.array(rows, dtype=np.int32).reshape(-1, 2)
    return {"a": table[:, 0], "b": table[:, 1]}


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, 3.0)])
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_no_neighbour_of_any_tiny_table_moves_a_score_by_more_than_stated(size, weights):
    scores = errors(weights)
    for rows in itertools.combinations_with_replacement(ROWS, size):
        before = scores.score(columns_of(rows))
        for row in ROWS:
            after = scores.score(columns_of([*rows, row]))
            assert (np.abs(after - before)[0] <= np.array(weights) + 1e-12).all()
            assert np.abs(after - before).max() <= scores.moved_by + 1e-12


def test_some_neighbour_moves_a_score_by_all_that_is_stated():
    scores = errors()
    far = max(
        np.abs(scores.score(columns_of([*rows, row])) - scores.score(columns_of(rows))).max()
        for rows in itertools.combinations_with_replacement(ROWS, 4)
        for row in ROWS
    )
    assert far == pytest.approx(scores.moved_by)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, 3.0)])
def test_no_choice_of_any_tiny_table_becomes_likelier_by_more_than_its_price(weights):
    """The law of the exponential mechanism on these scores is exact, for every table and every neighbour."""
    scores, epsilon, far = errors(weights, penalties=(0.0, 1.5)), 1.0, 0.0

    def law(rows):
        raised = scores.score(columns_of(rows))[0] * (epsilon / (2 * scores.moved_by))
        return raised - np.log(np.exp(raised).sum())

    for rows in (rows for size in range(4) for rows in itertools.combinations_with_replacement(ROWS, size)):
        for row in ROWS:
            loss = law([*rows, row]) - law(rows)
            assert np.abs(loss).max() <= epsilon * (1 + 1e-9)
            assert loss.max() - loss.min() <= epsilon * (1 + 1e-9)
            far = max(far, float(loss.max() - loss.min()))
    assert far > 0.4 * epsilon  # neighbours that matter were among them


def test_a_score_is_the_weighted_error_beyond_its_penalty():
    scores = TableErrors(TABLES[:1], (np.array([1.0, 4.0]),), (2.0,), (0.5,))
    assert scores.score(columns_of([(0, 0), (0, 1), (1, 0)])).tolist() == [[2.0 * (1 + 3 - 0.5)]]


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ParameterError):
        TableErrors(TABLES, (np.zeros(2),), (1.0,), (0.0,))
