import math

import pyarrow as pa
import pytest

from understudy.metrics.constraints import Constraints
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema

COLUMNS = [
    {"name": "net", "kind": "numerical", "bounds": {"low": 0, "high": 100}},
    {"name": "tax", "kind": "numerical"},
    {"name": "gross", "kind": "numerical"},
    {"name": "ward", "kind": "categorical", "levels": {"values": ["east", "west"]}},
]
RULES = ["net + tax == gross", "ward == 'west' implies tax > 0"]
REAL = {
    "net": [10.0, 20.0, 30.0, 40.0],
    "tax": [1.0, 0.0, 3.0, 4.0],
    "ward": ["west", "east", "west", "east"],
}


def table(**changes):
    columns = {**REAL, "gross": [n + t for n, t in zip(REAL["net"], REAL["tax"], strict=True)], **changes}
    return pa.table({column["name"]: columns[column["name"]] for column in COLUMNS})


def judged(synthetic, train=None, rules=RULES, columns=COLUMNS):
    schema = Schema.model_validate({"columns": columns, "rules": rules})
    return Constraints()(Evidence(train=train or table(), synthetic=synthetic, schema=schema))


def test_rows_that_keep_everything_score_zero():
    result = judged(table())
    assert result.value == result.null == result.low == 0
    assert 0 < result.high < 1
    assert set(result.parts) == {"rule 1", "rule 2", "net bounds", "ward levels"}


def test_a_row_that_breaks_two_rules_counts_once():
    result = judged(table(tax=[0.0, 0.0, 3.0, 4.0]))
    assert result.value == 0.25
    assert result.parts == {"rule 1": 0.25, "rule 2": 0.25, "net bounds": 0.0, "ward levels": 0.0}
    assert result.low < 0.25 < result.high


def test_bounds_and_levels_of_the_schema_are_rules_too():
    changes = {"net": [10.0, 20.0, 30.0, 400.0], "gross": [11.0, 20.0, 33.0, 404.0]}
    result = judged(table(**changes, ward=["west", "south", "west", "east"]))
    assert result.value == 0.5
    assert result.parts["net bounds"] == result.parts["ward levels"] == 0.25


def test_the_null_is_the_share_of_training_rows_and_is_said():
    result = judged(table(), train=table(tax=[0.0, 0.0, 3.0, 4.0]))
    assert result.value == 0 and result.null == 0.25
    assert "25.00% of the training rows break a declaration themselves" in result.notes


def test_nothing_declared_is_undefined_and_said():
    result = Constraints()(Evidence(train=table(), synthetic=table()))
    assert math.isnan(result.value) and math.isnan(result.null)
    assert result.notes[0].startswith("undefined: the schema declares no rule")


def test_the_interval_is_exact():
    synthetic = pa.concat_tables([table()] * 25)
    result = judged(synthetic)
    assert result.n == 100 and result.high == pytest.approx(1 - 0.025 ** (1 / 100))


def test_neither_rules_nor_levels_are_told():
    told = repr(judged(table(ward=["north"] * 4)))
    assert "west" not in told and "north" not in told
