import numpy as np
import pyarrow as pa
import pytest

from federated.parties import SCHEMA, table, terms
from understudy.errors import InputError
from understudy.federated.open_rows import OpenRows
from understudy.federated.rows import Holding
from understudy.privacy import Ledger
from understudy.table.public import by_type
from understudy.table.schema import Schema
from understudy.table.table import Table

BARE = Schema.from_json(
    '{"columns": [{"name": "age", "kind": "numerical"}, {"name": "town", "kind": "categorical"}]}'
)


def rows(held=None, schema=SCHEMA, ledger=None):
    source = Table(table() if held is None else held)
    own = Holding("a", source, by_type(source, schema), None, None, "cpu")
    return OpenRows(terms(), own, Ledger() if ledger is None else ledger)


def test_the_ledger_says_that_rows_are_open_before_the_first_look():
    ledger = Ledger()
    found = rows(ledger=ledger)
    assert [entry.infinite for entry in ledger.entries] == [True]
    assert (found.declared, found.told) == (60.0, 60.0)


def test_what_is_open_is_looked_up_and_resolutions_are_not():
    held = pa.table({"age": [1.5, 2.25, 9.5], "town": ["A", "B", "A"]})
    schema = rows(held, BARE).describe()
    assert schema.column("age").resolution is None
    assert (schema.column("age").bounds.low, schema.column("age").bounds.high) == (1.5, 9.5)
    assert schema.column("town").levels.values == ("A", "B")


def test_margins_are_exact():
    margins = rows().margins(SCHEMA).margins
    town = table().column("town").to_pylist()
    expected = [town.count(level) / 60 for level in "ABC"] + [0.0]
    assert (margins["town"].upper - margins["town"].lower) == pytest.approx(expected)


def test_a_column_that_is_always_missing_has_its_bounds_and_no_mass():
    held = pa.table({"age": pa.array([None, None], pa.int64()), "town": ["A", "B"]})
    declared = SCHEMA.columns[0].model_copy(update={"missing": None})
    margin = rows(held, Schema(columns=(declared, SCHEMA.columns[1]))).margins(SCHEMA).margins["age"]
    assert margin.values.tolist() == [0, 100] and margin.missing == 1.0 and not np.any(margin.upper)


def test_nothing_is_trained_without_rows():
    with pytest.raises(InputError, match="no rows"):
        rows().fit(None)
