"""Rows that keep the rules: whatever is drawn, whatever is asked, or an error says which cannot be."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from model.ruled_columns import drawn, rules, schema
from understudy import Budget
from understudy.engines.condition import Among, Between, IsMissing
from understudy.errors import NothingMatches, SchemaError
from understudy.model.obeying import FEWEST_DRAWN, MOST_DRAWN, obey
from understudy.model.ruled import Ruled
from understudy.rng import stream
from understudy.synth.gaussian import Gaussian
from understudy.synth.histogram import Histogram
from understudy.synth.mst import MST
from understudy.table.builtin import load
from understudy.table.columns import from_columns
from understudy.table.rules import broken_rows, rules_of
from understudy.table.schema import Schema
from understudy.table.table import Table

ASKED = (
    {},
    {"i": Between(3, 6), "c": Among(np.array([True, False, True, False]))},
    {"x": IsMissing(), "on": Between(-(2**62), 1_583_000_000 * 10**9)},
)


def _obeyed(texts, conditions=None, *, rows=60, again=True, seed=0):
    full, rng = schema(*texts), np.random.default_rng(seed)
    ruled = Ruled.of(full, conditions or {})
    found = obey(lambda size: drawn(size, rng, conditions), rows, ruled, rng, again=again)
    return full, ruled, found


def _all_hold(full, ruled, columns, rows):
    table = from_columns(columns, full, rows, stream(0, "ids"))
    assert table.num_rows == rows
    for rule in rules_of(full):
        assert not broken_rows(rule, table, full).any()
    for name, legal in ruled.legal.items():
        assert legal.accepts(columns[name]).all()
    for name, condition in ruled.conditions.items():
        assert condition.accepts(columns[name]).all()


@settings(deadline=None, max_examples=60)
@given(st.lists(rules(), min_size=1, max_size=3), st.sampled_from(ASKED), st.booleans())
def test_all_rules_and_conditions_hold_or_an_error_names_rules(texts, conditions, again):
    try:
        full, ruled, found = _obeyed(texts, conditions, again=again)
    except (SchemaError, NothingMatches) as error:
        if "no row was found that" not in str(error):
            raise
        return
    _all_hold(full, ruled, found.columns, 60)


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize(
    "texts",
    [
        ["i + j == y"], ["y + d == x"], ["x + z == d"], ["on <= off"], ["on + took == off"],
        ["i <= j", "j <= y"], ["i + j == y", "i <= j", "y < 12"],
        ["c == 'red' implies i > 5", "c != 'red' implies i is missing"],
        ["b == true implies c == 'blue'"], ["land is missing", "key is not missing"], ["k <= i", "i != 4"],
        ["x < z"], ["2 * i - j == 3"], ["o >= 'mid'", "o == 'high' implies took is not missing"],
        ["off > '2020-03-03' implies on < '2020-02-01'"], ["land <= i"], ["i + 0.5 * j == 4"],
    ],
    ids=str,
)  # fmt: skip
def test_rules_that_can_be_kept_are_kept_with_and_without_drawing_again(texts, again):
    full, ruled, found = _obeyed(texts, rows=200, again=again)
    _all_hold(full, ruled, found.columns, 200)
    assert found.copied < 200 * 0.2


def test_sums_are_exact_to_the_last_digit_where_floats_are_not():
    columns = [
        {"name": name, "kind": "numerical", "type": "decimal128(18, 3)", "bounds": {"low": low, "high": high}}
        for name, low, high in (("a", 0, 10**14), ("b", 0, 10**14), ("c", 0, 2 * 10**14))
    ]
    full = Schema.model_validate({"columns": columns, "rules": ["a + b == c"]})
    rng = np.random.default_rng(0)
    cells = {name: rng.integers(0, 10**17, 50) for name in "abc"}
    found = obey(lambda _: cells, 50, Ruled.of(full, {}), rng)
    rows = from_columns(found.columns, full, 50, rng).to_pylist()
    assert all(row["a"] + row["b"] == row["c"] for row in rows)
    assert any(Decimal(str(float(row["a"]) + float(row["b"]))) != row["c"] for row in rows)


def test_two_cells_in_the_wrong_order_are_exchanged_so_that_no_value_is_lost():
    _, _, found = _obeyed(["i <= j"], rows=300, again=False)
    before = drawn(300, np.random.default_rng(0))
    there = (before["i"] > -1) & (before["j"] > -100) & (before["j"] >= 0) & (before["j"] <= 9)
    pairs = [np.sort(np.stack([part["i"], part["j"]])[:, there], axis=0) for part in (before, found.columns)]
    assert np.array_equal(*pairs)


def test_no_more_rows_are_drawn_than_the_limit_says():
    counts = []

    def draw(size):
        counts.append(size)
        return drawn(size, np.random.default_rng(len(counts)))

    full, rng = schema("i == 3", "j == 4", "c == 'red'", "b == true"), np.random.default_rng(0)
    found = obey(draw, 500, Ruled.of(full, {}), rng)
    assert found.drawn == sum(counts) <= max(MOST_DRAWN * 500, FEWEST_DRAWN)
    few = obey(draw, 3, Ruled.of(schema("c == 'red'"), {}), rng)
    assert few.drawn <= FEWEST_DRAWN


def test_where_rows_are_paid_for_none_is_drawn_again():
    _, _, found = _obeyed(["c == 'red'"], rows=80, again=False)
    assert found.drawn == 80
    assert found.mended > 20


def test_rows_that_keep_the_rules_are_left_as_they_are():
    full, rng = schema("c == 'red'"), np.random.default_rng(0)
    cells = drawn(100, rng)
    found = obey(lambda _: cells, 100, Ruled.of(full, {}), rng, again=False)
    red = cells["c"] <= 0
    for name, values in cells.items():
        assert np.array_equal(found.columns[name][red], values[red], equal_nan=values.dtype == np.float64)


def test_a_row_that_cannot_be_mended_gives_way_to_one_that_keeps_the_rules(monkeypatch):
    monkeypatch.setattr("understudy.model.obeying.SWEEPS", 0)
    _, _, found = _obeyed(["c == 'red'"], rows=100, again=False)
    assert found.copied > 30
    assert set(found.columns["c"].tolist()) <= {0, -1}


def test_rules_that_exclude_each_other_are_named():
    with pytest.raises(SchemaError, match=r"keeps rules 1, 3 of the schema .* exclude each other"):
        _obeyed(["i > 6", "c == 'red'", "i < 4", "i is not missing"])


def test_rules_that_exclude_the_conditions_are_named():
    with pytest.raises(NothingMatches, match="keeps rule 1 of the schema; loosen a condition"):
        _obeyed(["i > 8"], {"i": Between(3, 6)})


def test_the_seed_decides_the_rows():
    one, two = (_obeyed(["i + j == y", "c == 'red' implies on <= off"], seed=4)[2].columns for _ in range(2))
    assert all(np.array_equal(one[name], two[name], equal_nan=one[name].dtype.kind == "f") for name in one)


def _people(*texts):
    table = load("people", rows=300)
    return table, Schema.infer(table).declare().model_copy(update={"rules": texts})


PEOPLE = ("age >= 30", "sex == 'male' implies member == false", "birthday < joined", "income > 10000")


@pytest.mark.parametrize("recipe", [MST(steps=20), Histogram()], ids=lambda each: each.name())
def test_rules_cost_nothing_and_the_certificate_stays_the_same(recipe):
    table, full = _people(*PEOPLE)
    models = [
        recipe.fit(table, schema=given, budget=Budget(epsilon=2.0, delta=1e-6), progress=False)
        for given in (full, full.model_copy(update={"rules": ()}))
    ]
    with_rules, without = (model.certificate for model in models)
    assert with_rules.entries == without.entries
    assert with_rules.assumptions == without.assumptions
    fake = models[0].sample_table(200).to_arrow()
    assert not any(broken_rows(rule, fake, models[0].schema).any() for rule in rules_of(full))


def test_rows_that_are_paid_for_are_mended_and_no_more_are_paid_for():
    rng = np.random.default_rng(0)
    table = Table(pa.table({"a": rng.normal(size=200), "b": rng.normal(size=200)}))
    bounds = {"low": -9.0, "high": 9.0}
    columns = [{"name": name, "kind": "numerical", "type": "double", "bounds": bounds} for name in "ab"]
    prices = []
    for texts in ([], ["a <= b"]):
        full = Schema.model_validate({"columns": columns, "rules": texts})
        model = Gaussian(form="ridge").fit(table, schema=full, progress=False)
        fake = model.sample_table(50).to_arrow()
        prices.append([entry.event for entry in model.certificate.entries])
    assert prices[0] == prices[1]
    assert all(row["a"] <= row["b"] for row in fake.to_pylist())
