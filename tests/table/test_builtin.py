"""The built-in tables: always the same, and `people` with every kind of column."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.table.builtin import load, names

KNOWN = {
    "breast_cancer": (569, 31, "diagnosis"),
    "diabetes": (442, 11, "progression"),
    "people": (2_000, 15, "fax"),
    "wine": (178, 14, "cultivar"),
}


@pytest.mark.parametrize("name", names())
def test_every_table_has_its_known_size_and_last_column(name):
    rows, columns, last = KNOWN[name]
    table = load(name)
    assert (len(table), len(table.names), table.names[-1]) == (rows, columns, last)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="choose from breast_cancer, diabetes, people, wine"):
        load("adult")


@pytest.mark.parametrize("rows", [-1, 1.5, "10", None, True, 10**9])
def test_an_impossible_number_of_people_is_refused(rows):
    with pytest.raises(ParameterError, match="rows must be a whole number"):
        load("people", rows=rows)


@pytest.mark.parametrize("rows", [0, 1, 2, 57])
def test_people_come_in_any_number(rows):
    table = load("people", rows=rows)
    assert len(table) == rows
    table.to_arrow().validate(full=True)


def test_the_same_people_come_every_time_and_all_have_their_own_id():
    one, two = load("people", rows=500).to_arrow(), load("people", rows=500).to_arrow()
    assert one.equals(two)
    assert len(set(one.column("person_id").to_pylist())) == 500


def test_the_global_random_state_is_left_alone():
    np.random.seed(3)  # noqa: NPY002
    before = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    load("people", rows=10)
    assert np.random.random() == before  # noqa: NPY002


def test_people_have_holes_where_they_should():
    arrow = load("people").to_arrow()
    rates = {name: arrow.column(name).null_count / len(arrow) for name in arrow.schema.names}
    assert 0.05 < rates["income"] < 0.2
    assert 0.3 < rates["waited"] < 0.5
    assert rates["fax"] == 1
    assert rates["age"] == 0
