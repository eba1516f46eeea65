"""What a cell may be: bounds, levels, conditions, missing; and the nearest of what it may be."""

import numpy as np
import pytest

from model.ruled_columns import schema
from understudy.engines.condition import Among, Between, IsMissing
from understudy.missing import MISSING_STEP
from understudy.model.legal import Legal
from understudy.table.schema import Bounds, Column


def _legal(name, condition=None):
    return Legal.of(schema().column(name), condition)


def test_bounds_and_conditions_both_count():
    legal = _legal("i", Between(3, 99))
    assert (legal.low, legal.high, legal.holes) == (3, 9, False)
    assert legal.accepts(np.array([2, 3, 9, 10, MISSING_STEP])).tolist() == [False, True, True, False, False]


def test_steps_are_those_of_the_resolution():
    assert (_legal("y").low, _legal("y").high) == (0, 1_500)
    assert (_legal("d").low, _legal("d").high) == (-2_000, 14_000)
    assert _legal("y").whole
    assert not _legal("x").whole


def test_only_what_is_asked_for_may_be_missing():
    only = _legal("x", IsMissing())
    assert only.accepts(np.array([1.0, np.nan])).tolist() == [False, True]
    assert np.isnan(only.anything(2, np.random.default_rng(0), np.zeros(2))).all()
    assert not _legal("o").holes


def test_levels_are_those_asked_for():
    legal = _legal("c", Among(np.array([False, True, False, True])))
    assert legal.accepts(np.array([0, 1, 2, -1], dtype=np.int32)).tolist() == [False, True, False, True]
    drawn = legal.anything(5, np.random.default_rng(0), np.zeros(5, dtype=np.int32))
    assert drawn.tolist() == [1] * 5


def test_a_constant_and_an_id_have_one_cell_that_may_be_missing():
    for name in ("land", "key"):
        assert _legal(name).accepts(np.array([0, -1], dtype=np.int32)).all()


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (None, 3, [1, 3, 3]),
        (4, None, [4, 4, 8]),
        (5, 5, [5, 5, 5]),
        (20, 30, [9, 9, 9]),
        (None, -4, [0, 0, 0]),
    ],
)
def test_a_quantity_moves_no_farther_than_it_must_and_stays_legal(low, high, wanted):
    assert _legal("i").between(np.array([1, 4, 8]), low, high).tolist() == wanted


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(None, 5, [4, 1, 4]), (2, None, [7, 4, 4]), (4.5, 6.9, [4, 7, 7]), (None, None, [7, 1, 4])],
)
def test_a_level_moves_to_the_nearest_that_lies_inside_or_beside(low, high, wanted):
    legal, codes = _legal("k"), np.array([0, 1, 2], dtype=np.int32)
    assert legal.numbers()[legal.between(codes, low, high)].tolist() == wanted


def test_long_whole_numbers_are_moved_without_rounding():
    column = Column(name="n", kind="numerical", type="int64", bounds=Bounds(low=0, high=2**61))
    cells = np.array([2**60 + 1])
    assert Legal.of(column).between(cells, None, np.array([2**61], dtype=object)).tolist() == [2**60 + 1]


def test_bounds_that_cannot_be_read_back_leave_the_ends_open():
    bounds = Bounds(low="-40000-01-01", high="40000-01-01", source="observed")
    legal = Legal.of(Column(name="t", kind="date", type="date32[day]", bounds=bounds))
    assert legal.low < -700_000
    assert legal.high > 2_900_000


def test_nothing_is_moved_where_nothing_is_legal():
    none = _legal("c", Among(np.array([False, False, False, True])))
    assert none.anything(1, np.random.default_rng(0), np.zeros(1, dtype=np.int32)).tolist() == [-1]
    empty = Legal.of(schema().column("i"), Between(50, 60))
    assert empty.between(np.array([4]), 1, 2).tolist() == [4]
