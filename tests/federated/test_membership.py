from dataclasses import replace

import pytest

from federated.parties import BUDGET, SCHEMA, sites, table, terms
from understudy.errors import InputError, ParameterError, SchemaError
from understudy.federated.domain import Domain
from understudy.federated.membership import Membership
from understudy.federated.message import Message
from understudy.federated.rows import PUBLIC_ROWS, Holding
from understudy.privacy import Certificate, Ledger
from understudy.table.public import by_type
from understudy.table.schema import Bounds, Levels, Schema
from understudy.table.table import Table


def holding(budget=None, rows=None, schema=SCHEMA, held=None):
    source = Table(table() if held is None else held)
    return Holding("a", source, by_type(source, schema), budget, rows, "cpu")


def member(budget=None, *, rows=None, schema=SCHEMA, **changes):
    agreed = terms(private=budget is not None, **changes)
    return Membership(agreed, holding(budget, rows, schema), Ledger(), 2)


def margins(found, schema):
    return found.margins(Message("margins", {"schema": schema.to_json()}))


def test_what_is_agreed_to_comes_with_the_certificate_of_the_whole_plan():
    facts = member(BUDGET).agreed().facts
    assert set(facts) == {"certificate", "rows"} and facts["rows"] == 0.0
    assert Certificate.from_json(facts["certificate"]).sound


def test_rows_are_told_only_where_they_are_declared_or_open():
    assert member(BUDGET, rows=61).agreed().facts["rows"] == 61.0
    assert member().agreed().facts["rows"] == 60.0


def test_a_number_of_rows_that_a_private_site_tells_as_it_is_is_in_its_certificate():
    told = member(BUDGET, rows=57, weights="declared").certificate
    assert told.status == "conditional" and {each.condition for each in told.entries} == {PUBLIC_ROWS}
    assert any("declared, as 57, told as it is, and public" in line for line in told.assumptions)
    assert member(BUDGET).certificate.sound
    assert not any("57" in line for line in member(rows=57).certificate.assumptions)


@pytest.mark.parametrize("rows", [0, -1, 2**62])
def test_a_number_of_rows_that_is_out_of_range_is_refused_before_anything_is_paid(rows):
    ledger = Ledger()
    with pytest.raises(ParameterError, match="rows of a site"):
        Membership(terms(private=True), holding(BUDGET, rows), ledger, 2)
    assert ledger.entries == ()


def test_weights_are_what_the_terms_say():
    assert member(weights="equal").weight == 1.0
    assert member(weights="declared").weight == 60.0
    assert member(BUDGET, rows=50, weights="declared").weight == 50.0
    noisy = member(BUDGET, weights="noisy")
    told = Domain.of(margins(noisy, SCHEMA)).rows
    assert noisy.weight == told and abs(told - 60) < 40


def test_what_was_open_is_bought_once():
    bare = Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')
    held = Table(table().select(["age"]))
    own = Holding("a", held, by_type(held, bare), BUDGET, None, "cpu")
    found = Membership(terms(private=True), own, Ledger(), 2)
    first, second = found.described(), found.described()
    assert first.digest() == second.digest()
    assert Schema.from_json(first.facts["schema"]).column("age").bounds.source == "bought"


def changed(column, **parts):
    columns = tuple(c.model_copy(update=parts) if c.name == column else c for c in SCHEMA.columns)
    return Schema(columns=columns)


@pytest.mark.parametrize(
    "odd",
    [
        changed("age", bounds=Bounds(low=0, high=50)),
        changed("age", bounds=Bounds(low=0, high=100, source="bought")),
        changed("age", type="double"),
        changed("town", levels=Levels(values=("A",))),
        changed("town", levels=None),
        changed("town", missing=None),
        Schema(columns=SCHEMA.columns[:1]),
        Schema(columns=SCHEMA.columns[::-1]),
    ],
    ids=["narrower", "source", "type", "fewer levels", "no levels", "no rate", "fewer columns", "order"],
)
def test_a_merged_schema_that_does_not_hold_the_own_one_is_refused(odd):
    found = member(BUDGET)
    with pytest.raises(SchemaError, match="merged schema"):
        margins(found, odd)
    message = Domain.of(margins(found, SCHEMA)).to_message("domain")
    with pytest.raises((SchemaError, InputError)):
        found.settle(Message("domain", {**message.facts, "schema": odd.to_json()}, message.arrays))


def test_the_digest_of_a_domain_is_that_of_its_message():
    found = member()
    message = Message("domain", {**margins(found, SCHEMA).facts, "terms": "t"}, margins(found, SCHEMA).arrays)
    assert found.settle(message).facts["domain"] == message.digest()


def test_the_end_destroys_the_noise_and_keeps_the_certificate(tmp_path):
    ledger = Ledger(tmp_path)
    found = Membership(terms(private=True), holding(BUDGET), ledger, 2)
    assert list(tmp_path.glob("*.key"))
    closed = found.close()
    assert not list(tmp_path.glob("*.key"))
    assert Certificate.from_json(closed.facts["certificate"]).entries == ledger.entries


def test_terms_that_ask_for_larger_cohorts_than_the_site_are_kept_to():
    site = sites(BUDGET)[0]
    assert (
        site.receive(Message("terms", {"terms": replace(terms(private=True), least_cohort=5).to_json()})).kind
        == "agreed"
    )
