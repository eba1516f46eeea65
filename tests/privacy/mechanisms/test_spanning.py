from dataclasses import replace
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
import pytest

from privacy.releases import ALPHA, p_of_choices, stream
from understudy.errors import ParameterError
from understudy.privacy.events import Selection
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.spanning import ChooseTree, kruskal
from understudy.privacy.mechanisms.table_errors import TableErrors

PAIRS = tuple(combinations(range(3), 2))
NAMES = ("a", "b", "c")


def choose(epsilon, count=2):
    tables = tuple(Margin(tuple(NAMES[place] for place in pair), (1, 1)) for pair in PAIRS)
    errors = TableErrors(tables, tuple(np.zeros((2, 2)) for _ in PAIRS), (1.0,) * 3, (0.0,) * 3)
    return ChooseTree(errors, PAIRS, 3, Selection(epsilon, count))


def test_first_choices_are_accepted_at_their_epsilon_and_refused_at_085_of_it():
    scores, epsilon = np.array([4.0, 0.0, 2.0]), 1.0
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        noise, mechanism = stream(5), choose(epsilon * factor)
        chosen = np.array([mechanism.release(scores, noise)[0] for _ in range(30_000)])
        p = p_of_choices(chosen, np.exp(epsilon * scores / 2))
        assert (p > 1e-3) if accepted else (p < ALPHA)


def test_the_second_choice_takes_fresh_noise_and_is_among_those_that_close_no_circle():
    noise, mechanism = stream(6), choose(1.0)
    trees = [mechanism.release(np.array([50.0, 0.0, 2.0]), noise) for _ in range(20_000)]
    assert {tree[0] for tree in trees} == {0} and {tree[1] for tree in trees} == {1, 2}
    assert p_of_choices(np.array([tree[1] - 1 for tree in trees]), np.exp(np.array([0.0, 1.0]))) > 1e-3


def test_trees_tie_all_columns_together_without_a_circle():
    rng = np.random.default_rng(0)
    for _ in range(50):
        columns = int(rng.integers(2, 9))
        pairs = list(combinations(range(columns), 2))
        weights = rng.random(len(pairs))
        chosen = kruskal(pairs, columns, lambda at, weights=weights: weights[at])
        part = list(range(columns))
        for place in chosen:
            first, second = (part[column] for column in pairs[place])
            assert first != second
            part = [first if each == second else each for each in part]
        assert len(set(part)) == 1 and len(chosen) == columns - 1


def test_one_row_moves_each_score_by_at_most_one():
    mechanism = choose(1.0)
    before = {name: np.zeros(5, dtype=np.int32) for name in NAMES}
    after = {name: np.append(values, 1) for name, values in before.items()}
    gap = mechanism.distance(mechanism.statistic(before), mechanism.statistic(after))
    assert gap == mechanism.sensitivity.value == 1


ROWS = tuple(product(range(2), repeat=3))
EXPECTED = (np.array([[0.5, 1.5], [0.2, 0.8]]), np.full((2, 2), 0.4), np.array([[0.0, 2.1], [1.0, 0.3]]))


def with_expectations(epsilon):
    mechanism = choose(epsilon)
    return replace(mechanism, errors=replace(mechanism.errors, expected=EXPECTED))


def columns_of(rows):
    codes = np.array(rows, dtype=np.int32).reshape(-1, 3)
    return dict(zip(NAMES, codes.T, strict=True))


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_no_neighbour_of_any_tiny_table_moves_a_score_by_more_than_one(size):
    mechanism = with_expectations(1.0)
    for rows in combinations_with_replacement(ROWS, size):
        before = mechanism.statistic(columns_of(rows))
        for row in ROWS:
            after = mechanism.statistic(columns_of([*rows, row]))
            assert mechanism.distance(before, after) <= mechanism.sensitivity.value + 1e-12


def test_no_tree_of_any_tiny_table_becomes_likelier_by_more_than_its_price():
    """The law of every tree, in its order, is exact: one choice among three pairs, one among the two left."""
    epsilon, far = 0.8, 0.0
    mechanism = with_expectations(epsilon)

    def law(rows):
        weights = np.exp(epsilon * mechanism.statistic(columns_of(rows)) / 2)
        whole = weights.sum()
        return np.array(
            [weights[a] / whole * weights[b] / (whole - weights[a]) for a, b in permutations(range(3), 2)]
        )

    for rows in (rows for size in range(4) for rows in combinations_with_replacement(ROWS, size)):
        before = np.log(law(rows))
        for row in ROWS:
            loss = np.log(law([*rows, row])) - before
            assert np.abs(loss).max() <= 2 * epsilon * (1 + 1e-9)
            assert loss.max() - loss.min() <= 2 * epsilon * (1 + 1e-9)
            far = max(far, float(np.abs(loss).max()))
    assert far > 0.5 * epsilon  # neighbours that matter were among them


def test_the_price_of_fewer_choices_than_rounds_is_refused():
    with pytest.raises(ParameterError):
        choose(1.0, count=1)
