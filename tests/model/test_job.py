import pytest

from understudy.errors import ParameterError, SchemaError
from understudy.model.job import certified, refuse_other_schemas, refuse_text
from understudy.privacy import Entry, Ledger
from understudy.table.schema import Bounds, Column, Schema


def schema_of(*columns):
    return Schema(columns=columns)


def test_a_certificate_says_that_names_and_types_are_taken_to_be_public():
    certificate = certified(Ledger(), None)
    (said,) = certificate.assumptions
    assert said.startswith("column names, kinds, types, the order of ordered categories and the way cells")
    assert certificate.tool


def test_what_was_declared_is_assumed_to_be_public_and_what_was_seen_is_not():
    declared = Column(name="a", kind="numerical", bounds=Bounds(low=0, high=1))
    seen = Column(name="b", kind="numerical", bounds=Bounds(low=0, high=1, source="observed"))
    said = certified(Ledger(), schema_of(declared, seen)).assumptions
    assert len(said) == 2
    assert "of 1 columns" in said[1]
    assert len(certified(Ledger(), schema_of(seen)).assumptions) == 1
    assert certified(Ledger(), schema_of(declared, seen)).declared == {"a": "bounds"}


def test_what_was_bought_elsewhere_is_said_to_add_its_own_price():
    bought = Column(name="a", kind="numerical", bounds=Bounds(low=0, high=1, source="bought"))
    said = certified(Ledger(), schema_of(bought)).assumptions
    assert "of 1 columns were bought before" in said[1]


def test_a_certificate_holds_the_entries_of_the_ledger():
    ledger = Ledger()
    ledger.write(Entry("all rows", "train"))
    assert certified(ledger, None).entries == ledger.entries


@pytest.mark.parametrize("schema", [{}, "people.json", 3, [Column(name="a", kind="id")]])
def test_whatever_is_no_schema_is_refused(schema):
    with pytest.raises(ParameterError, match=r"us\.Schema"):
        refuse_other_schemas(schema)
    refuse_other_schemas(None)


def test_free_text_is_refused_with_what_can_be_done_about_it():
    with pytest.raises(SchemaError, match=r"'memo'.*id.*categorical.*ignore"):
        refuse_text(schema_of(Column(name="memo", kind="text")))
    refuse_text(schema_of(Column(name="memo", kind="ignore")))
