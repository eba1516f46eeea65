import numpy as np
import pytest

from understudy.engines.queries import Queries, Rows


def by_hand(columns, queries):
    counts = []
    for chosen, low, high in zip(queries.columns, queries.low, queries.high, strict=True):
        inside = np.ones(len(columns[0]), bool)
        for column, least, most in zip(chosen, low, high, strict=True):
            inside &= (columns[column] >= least) & (columns[column] <= most)
        counts.append(int(inside.sum()))
    return counts


@pytest.mark.parametrize("distinct", [3, 300, 70_000])
def test_counts_are_those_of_plain_comparisons_whatever_the_width_of_the_codes(distinct):
    rng = np.random.default_rng(distinct)
    rows = 80_000 if distinct > 1_000 else 500
    columns = [
        rng.integers(distinct, size=rows) / 7.0,
        rng.integers(-1, distinct, size=rows),
        np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows)),
    ]
    ends = np.sort(rng.uniform(-1, distinct, size=(2, 60, 3)), axis=0)
    chosen = np.argsort(rng.random((60, 3)), axis=1)
    queries = Queries(chosen, ends[0], ends[1])
    assert Rows(columns).count(queries).tolist() == by_hand(columns, queries)


def test_both_ends_of_a_range_belong_to_it():
    rows = Rows([np.array([1.0, 2.0, 3.0])])
    asked = Queries(
        np.zeros((3, 1), np.int64), np.array([[1.0], [2.0], [2.1]]), np.array([[2.0], [2.0], [2.9]])
    )
    assert rows.count(asked).tolist() == [2, 1, 0]


def test_a_missing_number_lies_in_no_range_however_wide():
    rows = Rows([np.array([np.nan, 1.0, np.nan])])
    assert rows.count(Queries(np.array([[0]]), np.array([[-np.inf]]), np.array([[np.inf]]))).tolist() == [1]


def test_a_column_without_any_number_answers_nothing():
    rows = Rows([np.array([np.nan, np.nan])])
    assert rows.count(Queries(np.array([[0]]), np.array([[-np.inf]]), np.array([[np.inf]]))).tolist() == [0]


def test_the_code_of_missing_levels_can_be_asked_for():
    rows = Rows([np.array([-1, 0, 0, 2], dtype=np.int32)])
    asked = np.array([[-1.0], [0.0], [1.0], [5.0]])
    assert rows.count(Queries(np.zeros((4, 1), np.int64), asked, asked)).tolist() == [1, 2, 0, 0]
