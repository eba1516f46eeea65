"""Names that identify; the kinds themselves are one table in test_infer.py."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from understudy.table.kinds import dictionary_values, is_text, kind_of, named_like_id, plain_cells


@pytest.mark.parametrize("name", [
    "id", "ID", "Id", "uuid", "customer_id", "customer-id", "customer id", "customer.id", "customerID",
    "orderId",
    "id_of_row", "key", "identifier", "ssn", "SSN", "sin", "nhs_number", "mrn", "passport", "passportNo",
    "phone",
    "phone_2", "mobile", "tel", "fax", "email", "e-mail", "E-Mail", "eMail", "mail", "email address",
    "IPAddress",
    "mac_address", "iban", "account", "card", "credit card number", "licence", "license_plate", "serial",
    "vin",
    "patient_no", "patient_nr", "invoiceNumber", "row_num",
])  # fmt: skip
def test_a_name_whose_last_word_identifies_is_an_id(name):
    assert named_like_id(name)


@pytest.mark.parametrize("name", [
    "", "1", "humid", "paid", "acid", "age", "account_balance", "phone_calls", "card_type", "address",
    "number_of_children", "piano", "volcano", "monkey", "discard", "zip", "email_opened", "Größe",
])  # fmt: skip
def test_a_name_that_only_contains_such_a_word_is_not(name):
    assert not named_like_id(name)


def test_a_dictionary_lists_its_values_used_or_not_and_without_missing_ones():
    cells = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([1.5, None, 2.5, float("nan")]))
    assert dictionary_values(pa.chunked_array([cells])).to_pylist() == [1.5, 2.5]
    assert len(dictionary_values(pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())))) == 0


def test_cells_are_made_comparable_without_changing_them():
    assert plain_cells(pa.chunked_array([pa.array(["a"], pa.string_view())])).type == pa.large_string()
    halves = pa.chunked_array([pa.array([np.float16(0.5)], pa.float16())])
    assert plain_cells(halves).to_pylist() == [0.5]
    assert is_text(pa.string_view())
    assert not is_text(pa.binary())


def test_the_kind_does_not_depend_on_how_the_cells_are_cut_into_chunks():
    whole = pa.chunked_array([[3, 1, 2]])
    cut = pa.chunked_array([[3], [], [1, 2]], pa.int64())
    assert kind_of("id", whole) == kind_of("id", cut) == "id"


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y-%m-%d"])
def test_dates_in_a_spelling_that_is_not_read_are_no_ids(form):
    days = np.arange("2015-01-01", "2016-01-01", dtype="datetime64[D]").astype(object)
    cells = pa.chunked_array([[*(day.strftime(form) for day in days), "unknown"]])
    assert kind_of("joined", cells) == kind_of("date_no", cells) == "text"


def test_numbers_that_only_look_a_little_like_dates_are_ids():
    cells = pa.chunked_array([[f"{number:02d}-{number % 90 + 10}-{number + 5000}" for number in range(100)]])
    assert kind_of("part", cells) == "id"
