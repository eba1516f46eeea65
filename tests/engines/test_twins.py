"""Numbers that tell each other are found, and no others."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

from understudy.engines.twins import Twin, around_twins, as_twins, twins_of


def normal_ranks(*columns):
    return np.column_stack([ndtri(rankdata(c) / (len(c) + 1)) for c in columns]).astype(np.float32)


@pytest.fixture
def value():
    return np.random.default_rng(0).lognormal(size=1_000)


@pytest.mark.parametrize(
    ("other", "sign"), [(np.log, 1), (lambda x: np.round(x, 1), 1), (lambda x: -x, -1), (lambda x: 1 / x, -1)]
)
def test_a_monotone_function_is_told_also_when_it_is_rounded(value, other, sign):
    second = other(value)
    assert twins_of(normal_ranks(value, second), {0: value, 1: second}) == (Twin(0, 1, sign),)


def test_one_row_that_disagrees_is_enough(value):
    second = np.log(value)
    first, last = np.argsort(second)[[10, 12]]
    second[[first, last]] = second[[last, first]]
    assert twins_of(normal_ranks(value, second), {0: value, 1: second}) == ()


def test_nearly_the_same_is_not_the_same(value):
    second = value * (1 + np.random.default_rng(1).normal(size=1_000) / 100)
    assert twins_of(normal_ranks(value, second), {0: value, 1: second}) == ()


def test_three_of_a_kind_follow_one(value):
    columns = {0: value, 1: value**2, 2: value**3}
    assert twins_of(normal_ranks(*columns.values()), columns) == (Twin(0, 1, 1), Twin(0, 2, 1))


def test_few_rows_and_constants_tell_nothing():
    few = np.arange(50.0)
    assert twins_of(normal_ranks(few, few), {0: few, 1: few}) == ()
    flat = np.ones(200)
    rising = np.arange(200.0)
    matrix = np.column_stack([flat, rising]).astype(np.float32)
    assert twins_of(matrix, {0: flat, 1: rising}) == ()


def test_followers_get_the_ranks_of_their_leaders():
    matrix = np.array([[1, 5, 7], [2, 6, 8]], np.float32)
    as_twins(matrix, (Twin(0, 1, 1), Twin(0, 2, -1)))
    assert matrix.tolist() == [[1, 1, -1], [2, 2, -2]]


def test_around_known_cells_the_twin_that_is_known_leads_and_two_that_are_stay():
    rows = np.array([[1, 5, 0], [1, 5, 0], [1, 5, 0], [1, 5, 0]], dtype=np.float32)
    known = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    around_twins(rows, known, (Twin(0, 1, -1),))
    assert rows.tolist() == [[1, -1, 0], [-5, 5, 0], [1, 5, 0], [1, -1, 0]]
