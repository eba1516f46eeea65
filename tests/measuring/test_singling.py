"""Predicates of synthetic rows: which there are, what they match, and that the search for them ends."""

import numpy as np
import pandas as pd
import pytest

from understudy.measuring.guessing import in_order
from understudy.measuring.singling import Sheet, at_random, multivariate, univariate
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

NAN = np.nan


def sheet_of(synthetic, train=None):
    shown = Evidence(train=synthetic if train is None else train, synthetic=synthetic)
    return Sheet.of(in_order(shown, "synthetic")), in_order(shown, "train")


def rng():
    return np.random.default_rng(0)


def test_the_univariate_pool_is_extremes_single_values_and_a_single_hole():
    table = pd.DataFrame({"x": [1.0, 1.5, 2.5, 2.5, 4.0, NAN], "s": ["a", "a", "a", "b", "a", "a"]})
    sheet, _ = sheet_of(table)
    found = univariate(sheet, 100, rng())
    # x: equal to 1, 1.5 or 4, missing, at most 1, at least 4; s: equal to b.
    assert len(found) == 7
    assert (sheet.matches(found) == 1).all()


def test_equal_synthetic_rows_are_one_row():
    table = pd.DataFrame({"x": [1.25, 1.25, 2.5, 2.5, 2.5], "y": [1.5, 1.5, 2.5, 2.5, 3.5]})
    sheet, _ = sheet_of(table)
    assert len(sheet.codes) == 3


def test_multivariate_queries_are_different_and_match_one_synthetic_row():
    sheet, _ = sheet_of(law(300, 0))
    found = multivariate(sheet, 200, 3, rng())
    assert len(found) == len(found.distinct()) == 200
    assert (sheet.matches(found) == 1).all()
    assert (np.diff(found.columns, axis=1) > 0).all()


def test_a_quantity_is_asked_on_the_far_side_of_its_median_and_a_level_for_itself():
    table = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5, 5.5], "s": list("aabbb")})
    sheet, train = sheet_of(table)
    found = multivariate(sheet, 50, 2, rng())
    # (<= 1.5, a) and (>= 5.5, b) match one row; (<= 2.5, a), (<= 3.5, b), (>= 4.5, b): two, one, two.
    assert len(found) == 3
    assert sheet.matches(found, train).tolist() == [1, 1, 1]


def test_the_search_ends_when_the_pool_has_run_dry():
    # Anonymeter goes on for 10 million tries.
    sheet, _ = sheet_of(pd.DataFrame({"s": list("aabb"), "t": list("cdcd"), "u": list("eeee")}))
    assert len(multivariate(sheet, 1_000, 2, rng())) == 4
    assert len(multivariate(sheet, 1_000, 3, rng())) == 4
    assert len(univariate(sheet, 1_000, rng())) == 0


def test_the_search_ends_where_there_is_nothing_to_find_among_many(monkeypatch):
    monkeypatch.setattr("understudy.measuring.singling._TRIES", 3)
    sheet, _ = sheet_of(law(300, 0))
    assert len(multivariate(sheet, 500, 1, rng())) < 500


@pytest.mark.parametrize("width", [1, 2, 5])
def test_random_queries_are_as_many_as_wanted_and_need_not_single_out(width):
    sheet, _ = sheet_of(law(200, 0))
    found = at_random(sheet, 400, width, rng())
    assert found.columns.shape == (400, width)
    assert len(np.unique(sheet.matches(found))) > 2


def test_operators_mean_what_they_say():
    table = pd.DataFrame({"x": [1.5, 2.5, 3.5, NAN, 2.5, 9.0]})
    sheet, train = sheet_of(table)
    code = sheet.rulers[0].codes(np.array([2.5]))[0]
    ask = [sheet.queries(*(np.array([[part]]) for part in (0, code, operator))) for operator in range(6)]
    # At most, at least, equal, below, above, other: a missing cell is none of these.
    assert [int(sheet.matches(query, train)[0]) for query in ask] == [3, 4, 2, 1, 2, 3]
    missing = sheet.queries(*(np.array([[part]]) for part in (0, sheet.missing[0], 5)))
    assert sheet.matches(missing, train).tolist() == [1]
