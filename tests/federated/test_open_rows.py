import numpy as np
import pyarrow as pa
import pytest

from federated.parties import SCHEMA, fitted, table, terms
from understudy.errors import InputError, SchemaError
from understudy.federated.federation import Federation
from understudy.federated.open_rows import OpenRows
from understudy.federated.rows import Holding
from understudy.federated.site import Site
from understudy.federated.terms import columns_of
from understudy.privacy import Ledger
from understudy.table.public import by_type
from understudy.table.schema import Missing, Schema
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


def test_a_column_without_a_value_here_is_left_for_others_to_tell():
    held = pa.table({"age": pa.array([float("nan"), None]), "town": pa.array([None, None], pa.string())})
    schema = rows(held, BARE).describe()
    assert schema.column("age").bounds is None and schema.column("town").levels is None
    assert {column.missing.rate for column in schema.columns} == {1.0}


def test_a_missing_rate_that_rows_deny_is_refused_of_an_empty_column_too():
    held = pa.table({"age": pa.nulls(60, pa.float64()), "town": ["A"] * 60})
    said = BARE.columns[0].model_copy(update={"missing": Missing(rate=0.1)})
    with pytest.raises(SchemaError, match="missing rate is said to be"):
        rows(held, Schema(columns=(said, BARE.columns[1]))).describe()


def members(*never):
    """Return sites of which each has no value in one column, and terms that leave all to be looked up."""
    found = []
    for k, name in enumerate(never):
        held = table(40, seed=k)
        place = held.schema.get_field_index(name)
        held = held.set_column(place, name, pa.nulls(40, held.schema.field(name).type))
        found.append(Site(f"s{k}", held, schema=BARE, device="cpu"))
    return found, {"private": False, "schema": columns_of(found[0].schema)}


@pytest.mark.parametrize("recipe", ["findiff", "mst"])
def test_sites_without_a_value_of_a_column_take_part_with_all_their_rows(recipe):
    found, changes = members("age", "town", "age")
    federation = Federation(found, terms(recipe, **changes))
    schema = federation.fit().schema
    assert federation.problems == () and set(federation.certificates) == {"s0", "s1", "s2"}
    assert schema.column("town").levels.values == ("A", "B", "C")
    assert schema.column("age").missing.rate == pytest.approx(2 / 3)


def test_a_column_that_no_site_has_a_value_of_ends_in_a_clear_answer():
    found, changes = members("age", "age")
    with pytest.raises(SchemaError, match="'age': no site has a value of it; declare its bounds"):
        fitted(found, terms(**changes))
