"""How cells were written travels as metadata of the field, and nothing else of it does."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.table.forms import form_of, metadata_of


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), min_size=1, max_size=3))
def test_a_form_survives_the_way_into_the_metadata_and_back(form):
    field = pa.field("a", pa.int64(), metadata=metadata_of(form))
    assert form_of(field) == form


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_form_leaves_no_metadata(nothing):
    assert metadata_of(nothing) is None


def test_metadata_of_others_is_left_alone():
    assert form_of(pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "3"})) is None
    assert form_of(pa.field("a", pa.int64())) is None
    both = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "3", "understudy.decimals": "2"})
    assert form_of(both) == {"decimals": "2"}
