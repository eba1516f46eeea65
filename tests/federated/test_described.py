import numpy as np
import pytest

from federated.parties import SCHEMA, sites, table, terms
from understudy.errors import InputError, SchemaError, UnderstudyError
from understudy.federated import described
from understudy.federated.described import misfits, read_described
from understudy.federated.message import Message
from understudy.federated.site import Site
from understudy.federated.terms import columns_of
from understudy.privacy import Budget
from understudy.table.schema import Bounds, Levels, Missing, Schema

BARE = Schema.from_json(
    """{"columns": [
    {"name": "age", "kind": "numerical", "type": "int64", "resolution": 1.0},
    {"name": "town", "kind": "categorical", "type": "string", "missing": {"rate": 0.0}}
    ]}"""
)


def told(schema, rows=60.0):
    return Message("described", {"schema": schema.to_json(), "rows": rows})


def changed(schema, place, **parts):
    columns = list(schema.columns)
    columns[place] = columns[place].model_copy(update=parts)
    return schema.model_copy(update={"columns": tuple(columns)})


def full(source="bought"):
    found = changed(
        BARE,
        0,
        bounds=Bounds(low=3, high=60, source=source),
        missing=Missing(rate=0.1, source=source),
    )
    return changed(found, 1, levels=Levels(values=("A", "B"), source=source))


@pytest.mark.parametrize("budget", [None, Budget(epsilon=8.0, delta=1e-6)], ids=["open", "private"])
@pytest.mark.parametrize("schema", [SCHEMA, BARE, None], ids=["declared", "bare", "none"])
def test_what_sites_describe_themselves_is_taken(budget, schema):
    site = Site("a", table(400), budget, schema=schema, device="cpu")
    agreed = terms(private=budget is not None, schema=columns_of(site.schema))
    site.receive(Message("terms", {"terms": agreed.to_json()}))
    answer = site.receive(Message("describe", {"terms": agreed.hash}))
    found, rows = read_described(agreed, Message.from_bytes(answer.to_bytes()))
    assert found.column("age").bounds is not None and rows > 0


PRIVATE = terms(private=True, schema=columns_of(BARE))
TOWN = full().column("town")
ODD = {
    "nothing": "x",
    "deep": "[" * 10_000,
    "something open": changed(full(), 0, bounds=None),
    "levels open": changed(full(), 1, levels=None),
    "other source": full("observed"),
    "declared now": changed(full(), 0, bounds=Bounds(low=3, high=60, source="declared")),
    "other rate": changed(full(), 1, missing=Missing(rate=0.5, source="declared")),
    "rate told anew": changed(full(), 1, missing=Missing(rate=0.5, source="bought")),
    "other resolution": changed(full(), 0, resolution=10.0),
    "other type": changed(full(), 0, type="int32"),
    "other kind": changed(full(), 1, kind="ordinal"),
    "bounds off the grid": changed(full(), 0, bounds=Bounds(low=3, high=60.5, source="bought")),
    "bounds of levels": changed(full(), 1, bounds=Bounds(low="A", high="B", source="bought")),
    "levels of another type": changed(full(), 1, type="int64"),
    "fewer columns": Schema(columns=full().columns[:1]),
    "more columns": Schema(columns=(*full().columns, TOWN.model_copy(update={"name": "village"}))),
    "rules": full().model_copy(update={"rules": ("age == age",)}),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_was_not_agreed_on_is_refused(odd):
    assert read_described(PRIVATE, told(full()))[0] == full()
    text = odd if isinstance(odd, str) else odd.model_dump_json(exclude_none=True)
    with pytest.raises(UnderstudyError):
        read_described(PRIVATE, Message("described", {"schema": text, "rows": 60.0}))


@pytest.mark.parametrize("rows", [0.0, -1.0, 1e-300, 0.99, np.inf, np.nan, "x", None])
def test_a_number_of_rows_that_is_none_is_refused(rows):
    with pytest.raises(InputError):
        read_described(PRIVATE, told(full(), rows))


def test_columns_that_no_other_site_has_so_leave_that_site_out():
    turned = SCHEMA.model_copy(update={"columns": SCHEMA.columns[::-1]})
    assert misfits({}) == {} == misfits({"a": SCHEMA, "b": SCHEMA})
    found = misfits({"a": turned, "b": SCHEMA, "c": SCHEMA})
    assert list(found) == ["a"] and "order" in found["a"]


def test_levels_that_are_too_many_leave_the_site_out_that_told_most_of_them(monkeypatch):
    monkeypatch.setattr(described, "MOST_LEVELS", 4)
    held = {
        name: changed(full(), 1, levels=Levels(values=tuple(values), source="bought"))
        for name, values in {"a": "wxyz", "b": "AB", "c": "AC"}.items()
    }
    found = misfits(held)
    assert list(found) == ["a"] and "'town'" in found["a"]
    with pytest.raises(InputError, match="at most 4 levels"):
        read_described(
            PRIVATE, told(changed(full(), 1, levels=Levels(values=tuple("vwxyz"), source="bought")))
        )


def test_sites_of_tests_agree():
    assert misfits({site.name: site.schema for site in sites()}) == {}
    with pytest.raises(SchemaError, match="other columns"):
        read_described(terms(schema={}), told(SCHEMA))
