"""Counting by sets of bits finds what looking at every cell finds."""

import numpy as np
import pytest

from understudy.engines.predicates import Conjunctions, Ruler, count_matches, sole_matches
from understudy.errors import ParameterError


def plainly(queries, columns, missing):
    """The definition, row by row."""
    return np.array([rows.sum() for rows in fitting(queries, columns, missing)])


def fitting(queries, columns, missing):
    """The rows that match each query."""
    for column, low, high, outside in zip(
        queries.columns, queries.low, queries.high, queries.outside, strict=True
    ):
        rows = np.ones(len(columns[0]), bool)
        for place, least, most, turned in zip(column, low, high, outside, strict=True):
            codes = columns[place]
            inside = (codes >= least) & (codes <= most)
            rows &= (~inside & (codes != missing[place])) if turned else inside
        yield rows


@pytest.mark.parametrize(("rows", "values"), [(1, 1), (63, 3), (64, 40), (65, 200), (700, 40_000)])
def test_counts_are_those_of_the_definition(rows, values):
    rng = np.random.default_rng(rows)
    rulers = [Ruler(np.sort(rng.random(values))) for _ in range(4)]
    missing = [ruler.missing for ruler in rulers]
    columns = [ruler.codes(rng.choice([0.5, np.nan, *ruler.values], rows)) for ruler in rulers]
    low = rng.integers(0, 2 * values + 2, (300, 3))
    high = np.minimum(low + rng.integers(0, 2 * values, (300, 3)), 2 * values + 1)
    queries = Conjunctions(rng.integers(0, 4, (300, 3)), low, high, rng.random((300, 3)) < 0.3)
    found = count_matches(queries, columns, missing)
    assert np.array_equal(found, plainly(queries, columns, missing))
    first = [int(fits.argmax()) if fits.any() else -1 for fits in fitting(queries, columns, missing)]
    assert sole_matches(queries, columns, missing).tolist() == first


def test_many_queries_are_counted_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 20, 200), rng.integers(0, 20, 200)]
    low = rng.integers(0, 10, (100, 2))
    queries = Conjunctions(rng.integers(0, 2, (100, 2)), low, low + 5, np.zeros((100, 2), bool))
    whole = count_matches(queries, columns, [21, 21])
    monkeypatch.setattr("understudy.engines.predicates._BYTES", 1_000)
    assert np.array_equal(count_matches(queries, columns, [21, 21]), whole)


def test_a_query_that_matches_no_row_or_asks_nothing_singles_nobody_out():
    none = Conjunctions(*(np.array([[x]]) for x in (0, 7, 7, False)))
    assert sole_matches(none, [np.array([1, 2, 3])], [9]).tolist() == [-1]
    nothing = Conjunctions(*(np.zeros((2, 0), np.int64) for _ in range(3)), np.zeros((2, 0), bool))
    assert sole_matches(nothing, [np.array([1])], [9]).tolist() == [-1, -1]
    assert sole_matches(none.take(np.zeros(0, np.int64)), [np.array([1])], [9]).tolist() == []


def test_rows_outside_of_every_interval_are_found_too():
    query = Conjunctions(*(np.array([[a, b]]) for a, b in ((0, 0), (1, 4), (2, 5), (True, True))))
    assert sole_matches(query, [np.array([1, 9, 4, 3, 0])], [9]).tolist() == [3]


def test_a_code_says_equal_below_or_between():
    ruler = Ruler(np.array([-1.0, 0.0, 2.5]))
    assert ruler.codes(np.array([-9, -1, -0.5, 0.0, -0.0, 1, 2.5, 9])).tolist() == [0, 1, 2, 3, 3, 4, 5, 6]


def test_a_table_without_rows_matches_nothing():
    query = Conjunctions(*(np.array([[x]]) for x in (0, 0, 9, False)))
    assert count_matches(query, [np.zeros(0, np.int64)], [9]).tolist() == [0]


def test_queries_are_kept_once_where_they_stand_first():
    columns = np.array([[1], [0], [1], [0]])
    nothing = np.zeros((4, 1), np.int64)
    queries = Conjunctions(columns, nothing, nothing, nothing.astype(bool))
    assert queries.distinct().columns.ravel().tolist() == [1, 0]
    assert len(queries.take(np.zeros(0, int)).distinct()) == 0
    assert queries.joined(queries).columns.shape == (8, 1)


def test_predicates_of_other_shapes_are_refused():
    with pytest.raises(ParameterError, match="one row of predicates"):
        Conjunctions(*(np.zeros((2, size), np.int64) for size in (1, 2, 1, 1)))


def test_more_values_than_can_be_numbered_are_refused():
    huge = np.full((1, 1), 2**40)
    with pytest.raises(ParameterError, match="too many values"):
        Conjunctions(huge * 0, huge, huge, huge < 0).keys()
