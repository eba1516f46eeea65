"""Queries that a target answers: shares of rows that are like it in some columns."""

import numpy as np
import pytest

from understudy.measuring.target_queries import Queries, draw_queries
from understudy.table.coded import CodedColumn, CodedTable

DOMAIN = (CodedColumn("sex", levels=2, known=2), CodedColumn("x", quantity=True, low=0, high=9))
TABLE = CodedTable(DOMAIN, {"sex": np.array([0, 0, 1, -1], np.int32), "x": np.array([1.0, 2.0, 3.0, np.nan])})


def row(place):
    return TABLE.take(np.array([place]))


def test_conditions_of_one_query_hold_together():
    queries = Queries(np.array([[0, -1], [0, 1], [0, 2], [-1, 2], [0, 0]], np.int8))
    assert queries.shares(TABLE, row(1)) == pytest.approx([0.5, 0.5, 0.25, 0.5, 0.25])


def test_missing_is_like_missing_alone():
    queries = Queries(np.array([[0, -1], [-1, 0], [-1, 1], [-1, 2]], np.int8))
    assert queries.shares(TABLE, row(3)) == pytest.approx([0.25] * 4)


def test_drawn_queries_name_a_column_at_least_and_levels_only_by_equality():
    ways = draw_queries(TABLE, 200, 2, np.random.default_rng(0)).ways
    assert (ways >= 0).any(axis=1).all()
    assert set(ways[:, 0].tolist()) == {-1, 0}
    assert set(ways[:, 1].tolist()) == {-1, 0, 1, 2}
    assert set((ways >= 0).sum(axis=1).tolist()) == {1, 2}


def test_a_query_names_no_more_columns_than_asked_for():
    assert ((draw_queries(TABLE, 50, 1, np.random.default_rng(0)).ways >= 0).sum(axis=1) == 1).all()
