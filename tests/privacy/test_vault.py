"""The vault: two ways in, and each leaves a mark before it gives anything."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.privacy.entry import Entry
from understudy.privacy.ledger import Ledger
from understudy.privacy.vault import Vault


def vault(**columns):
    return Vault(columns or {"age": np.array([31, 42]), "sex": np.array([0, 1], dtype=np.int32)}, Ledger())


def test_opening_writes_an_infinite_entry_with_the_reason_and_the_columns():
    held = vault()
    rows = held.open("margins", "preprocess")
    assert rows["age"].tolist() == [31, 42]
    assert held.ledger.entries == (Entry("margins", "preprocess", columns=("age", "sex")),)


def test_the_entry_is_written_before_a_row_is_handed_out():
    class Refusing:
        entries = ()

        def write(self, _entry):
            raise ConnectionError("the ledger is out of reach")

    held = Vault({"age": np.array([31])}, Refusing())
    with pytest.raises(ConnectionError):
        held.open("margins")


def test_every_opening_is_written_down_again():
    held = vault()
    held.open("first")
    held.open("second")
    assert [entry.what for entry in held.ledger.entries] == ["first", "second"]


def test_what_is_to_be_written_once_is_not_written_again_at_the_end_of_a_ledger():
    held = vault()
    for why in ("first", "first", "second", "first"):
        held.open(why, once=True)
    assert [entry.what for entry in held.ledger.entries] == ["first", "second", "first"]


@pytest.mark.parametrize("why", ["", "  ", None, 3])
def test_opening_without_a_reason_is_refused_and_costs_nothing(why):
    held = vault()
    with pytest.raises(ParameterError, match="say why"):
        held.open(why)
    assert held.ledger.entries == ()


def test_rows_are_read_only_and_the_callers_own_array_stays_writable():
    own = np.array([31, 42])
    rows = vault(age=own).open("margins")
    with pytest.raises(ValueError, match="read-only"):
        rows["age"][0] = 0
    own[0] = 7
    assert own[0] == 7


def test_adding_to_the_rows_handed_out_does_not_reach_the_vault():
    held = vault()
    held.open("first")["new"] = np.array([1, 2])
    assert held.names == ("age", "sex")


def test_the_names_are_public_and_the_number_of_rows_is_not():
    held = vault()
    assert held.names == ("age", "sex")
    assert not hasattr(held, "__len__")
    assert not hasattr(held, "rows")
    assert held.ledger.entries == ()
    with pytest.raises(TypeError):
        len(held)
    with pytest.raises(TypeError):
        iter(held)


def test_a_vault_shows_nothing_of_its_rows():
    assert "31" not in repr(vault())


def test_nothing_can_be_hung_on_a_vault():
    with pytest.raises(AttributeError):
        vault().rows = 5


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ParameterError, match="same number of rows"):
        vault(a=np.array([1]), b=np.array([1, 2]))


def test_a_vault_without_columns_is_possible():
    assert Vault({}, Ledger()).open("nothing is modelled") == {}


def test_mapping_row_by_row_shares_the_ledger_and_costs_nothing():
    held = vault()
    doubled = held.map(lambda columns: {"double": columns["age"] * 2})
    assert doubled.ledger is held.ledger
    assert held.ledger.entries == ()
    assert doubled.open("check")["double"].tolist() == [62, 84]


def test_a_map_that_drops_or_invents_rows_is_refused():
    with pytest.raises(ParameterError, match="must keep their number"):
        vault().map(lambda columns: {"age": columns["age"][:1]})


def test_a_map_cannot_change_the_rows_it_is_shown():
    held = vault()

    def spoil(columns):
        columns["age"][0] = 0
        return columns

    with pytest.raises(ValueError, match="read-only"):
        held.map(spoil)
    held.map(lambda columns: {"age": columns.pop("age")})
    assert held.names == ("age", "sex")
