"""A notebook shows kinds and origins, and no domain that was looked up in the rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hostile_texts import HOSTILE, Seen, tags
from understudy.markup import spelled
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.schema_html import html


def schema(name="age", level="low", note=()):
    return Schema(
        columns=(
            Column(name=name, kind="numerical", bounds=Bounds(low=17, high=4711), missing=Missing(rate=0.25)),
            Column(name="band", kind="ordinal", levels=Levels(values=(level, "high"), source="bought")),
            Column(name="free", kind="text"),
            Column(name="key", kind="id", nullable=False),
        ),
        rules=note,
    )


def test_what_was_declared_or_bought_is_shown_with_its_origin():
    texts = Seen(html(schema())).texts
    for text in ("17 to 4711", "low, high", "0.25", "bounds declared, missing declared", "levels bought"):
        assert text in texts
    assert "not stated" in texts and "nothing stated" in texts and "never" in texts


def test_what_was_looked_up_in_the_rows_is_named_and_not_shown():
    table = pa.table(
        {"age": [17.5, None, 4711.25], "name": ["Zaphod", "Trillian", "Zaphod"], "one": ["Ford"] * 3}
    )
    found = Schema.infer(table)._repr_html_()
    for value in ("17.5", "4711", "Zaphod", "Trillian", "Ford", "0.333"):
        assert value not in found
    assert found.count("observed, not shown") >= 3


def test_many_levels_and_many_columns_are_cut_short():
    many = Levels(values=tuple(f"l{place}" for place in range(50)))
    columns = tuple(Column(name=f"c{place}", kind="categorical", levels=many) for place in range(300))
    found = html(Schema(columns=columns))
    assert "and 42 more" in found and "l9" not in found
    assert "schema of 300 columns, the first 200" in found and "c250" not in found


def test_the_rules_are_shown():
    assert "age &gt;= 18" in html(schema(note=("age >= 18",)))


@pytest.mark.parametrize("word", [word for word in HOSTILE if word.strip() and word != "\udc80"])
def test_hostile_names_and_levels_add_no_element(word):
    found = schema(f"{word} ", f"{word}.")._repr_html_()
    assert tags(found) == tags(html(schema()))
    assert spelled(f"{word} ") in Seen(found).texts
