"""Drawn columns under rules: which rows break them, which rules no fit can keep."""

import numpy as np
import pyarrow as pa
import pytest

from model.ruled_columns import drawn, schema
from understudy.engines.condition import Between
from understudy.errors import SchemaError
from understudy.model.ruled import Ruled, refuse_unkeepable_rules
from understudy.synth.histogram import Histogram
from understudy.table.rules import broken_rows
from understudy.table.schema import Schema


def test_rows_are_judged_as_the_table_they_become_would_be():
    rng = np.random.default_rng(0)
    full = schema("i <= j", "on < off", "c == 'red' implies b == true", "y + d == x")
    ruled, columns = Ruled.of(full, {}), drawn(200, rng)
    from understudy.table.columns import from_columns

    table = from_columns(columns, full, 200, rng)
    for rule in ruled.rules:
        assert np.array_equal(ruled.broken(rule, columns), broken_rows(rule, table, full))


def test_constants_and_ids_get_holes_at_their_rate_and_rules_see_them():
    ruled = Ruled.of(schema("land is missing implies key is missing"), {})
    columns = ruled.completed(drawn(2_000, np.random.default_rng(0)), 2_000, np.random.default_rng(1))
    assert 0.25 < (columns["land"] < 0).mean() < 0.35
    broken = ruled.broken(ruled.rules[0], columns)
    assert np.array_equal(broken, (columns["land"] < 0) & (columns["key"] == 0))


def test_a_column_without_any_cell_is_missing():
    ruled = Ruled.of(schema("none is not missing", "none is missing"), {})
    columns = drawn(5, np.random.default_rng(0))
    assert [ruled.broken(rule, columns).tolist() for rule in ruled.rules] == [[True] * 5, [False] * 5]


def test_rows_are_kept_that_keep_all_rules_and_conditions():
    ruled = Ruled.of(schema("i > 2", "i != 5"), {"i": Between(0, 6)})
    assert ruled.kept({"i": np.array([2, 3, 5, 6, 7])}).tolist() == [False, True, False, True, False]


def test_a_schema_without_rules_keeps_every_row():
    assert Ruled.of(schema(), {}).kept(drawn(4, np.random.default_rng(0))).all()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("key == 'K0001'", "rule 2: column 'key' is an id"),
        ("i > 3 implies key != 'K0001'", "rule 2: column 'key' is an id"),
        ("c > 4", "rule 2: column 'c' holds words"),
        ("none is not missing", "rule 2: column 'none' is said to be all missing"),
    ],
)
def test_a_rule_that_no_fit_can_keep_is_refused(rule, said):
    with pytest.raises(SchemaError, match=said):
        refuse_unkeepable_rules(schema("i <= j", rule), pa.schema({}))


def test_it_is_refused_before_anything_is_read():
    text = '{"columns": [{"name": "w", "kind": "categorical"}], "rules": ["w <= 5"]}'
    with pytest.raises(SchemaError, match="rule 1: column 'w' holds words"):
        Histogram().fit(pa.table({"w": ["a", "b"]}), schema=Schema.from_json(text), progress=False)


@pytest.mark.parametrize(
    "rule", ["key is not missing", "k <= 4", "i <= j", "i == 3 implies none is not missing"]
)
def test_other_rules_are_not(rule):
    refuse_unkeepable_rules(schema(rule), pa.schema({}))


def test_words_that_are_numbers_can_be_compared():
    levels = {"values": ["1", "2.5"]}
    columns = [{"name": "w", "kind": "ordinal", "type": "string", "levels": levels}]
    full = Schema.model_validate({"columns": columns, "rules": ["w <= 2"]})
    refuse_unkeepable_rules(full, pa.schema({}))
    ruled = Ruled.of(full, {})
    assert ruled.kept({"w": np.array([0, 1], dtype=np.int32)}).tolist() == [True, False]
