"""Mending: a broken row is changed as little as it takes, with cells of rows that keep the rules."""

import numpy as np
import pytest

from model.ruled_columns import drawn, schema
from understudy.engines.condition import Among, IsMissing
from understudy.model.mending import Mender, denied
from understudy.model.ruled import Ruled
from understudy.table.rules_text import parse_rule


def _mended(text, turn=0, conditions=None, rows=300):
    """Return rows that broke a rule before and after, and what was mended with."""
    rng = np.random.default_rng(0)
    ruled = Ruled.of(schema(text), conditions or {})
    columns = ruled.completed(drawn(rows, rng), rows, rng)
    bad = ruled.broken(ruled.rules[0], columns)
    donors = {name: values[~bad] for name, values in columns.items()}
    before = {name: values[bad] for name, values in columns.items()}
    mender = Mender(ruled, donors, rng)
    return before, mender.mended(ruled.rules[0], before, turn), mender


def _broken(mender, after):
    return int(mender.ruled.broken(mender.ruled.rules[0], after).sum())


def _changed(before, after):
    return {
        name
        for name in before
        if not np.array_equal(before[name], after[name], equal_nan=before[name].dtype.kind == "f")
    }


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize(
    ("text", "touched"),
    [
        ("c == 'red'", {"c"}),
        ("i is not missing", {"i"}),
        ("land is missing", {"land"}),
        ("off != '2020-02-02'", {"off"}),
        ("on >= '2020-03-01'", {"on"}),
        ("i + j == 9", {"i", "j"}),
        ("c == 'red' implies o == 'low'", {"c", "o"}),
        ("b == false implies x > 8", {"b", "x"}),
        ("took is missing implies i is missing", {"took", "i"}),
    ],
)
def test_one_rule_is_mended_and_only_its_columns_change(text, touched, turn):
    before, after, mender = _mended(text, turn)
    assert _broken(mender, after) == 0
    assert _changed(before, after) <= touched


def test_a_consequence_comes_from_rows_in_the_same_case():
    rng = np.random.default_rng(0)
    ruled = Ruled.of(schema("c == 'red' implies o != 'high'"), {})
    donors = {"c": np.array([0, 0, 1], dtype=np.int32), "o": np.array([1, 1, 0], dtype=np.int32)}
    bad = {"c": np.zeros(50, dtype=np.int32), "o": np.full(50, 2, dtype=np.int32)}
    mended = Mender(ruled, donors, rng).mended(ruled.rules[0], bad, 0)
    assert set(mended["o"].tolist()) == {1}


def test_without_any_donor_a_legal_level_is_taken():
    rng = np.random.default_rng(0)
    ruled = Ruled.of(schema("c != 'red'"), {"c": Among(np.array([True, False, True, False]))})
    bad = {"c": np.zeros(9, dtype=np.int32)}
    mended = Mender(ruled, {"c": bad["c"][:0]}, rng).mended(ruled.rules[0], bad, 0)
    assert set(mended["c"].tolist()) == {2}


def test_a_condition_of_the_caller_is_never_given_up():
    before, after, _ = _mended("c == 'red' implies x is not missing", conditions={"x": IsMissing()})
    assert np.isnan(after["x"]).all()
    assert len(before["x"])


def test_later_turns_make_the_condition_false_instead():
    before, after, mender = _mended("c == 'red' implies i > 5", turn=2)
    assert _changed(before, after) == {"c"}
    assert _broken(mender, after) == 0


def test_a_column_without_any_cell_stays_as_it_is():
    before, after, _ = _mended("none is not missing")
    assert after is before


@pytest.mark.parametrize("text", ["i <= j", "c == 'red'", "x is missing", "a < 3", "c != 'red'", "i == 3"])
def test_a_denial_is_denied_by_the_condition(text):
    assert denied(denied(parse_rule(text))) == parse_rule(text)
    assert denied(parse_rule(text)) != parse_rule(text)
