"""JSON for people: deterministic, narrow, and the same tree when read again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from understudy.table.json_text import WIDTH, readable
from understudy.table.schema import Schema

trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=200)
@given(trees, st.integers(0, 3), st.integers(20, 120))
def test_whatever_the_layout_the_tree_is_the_same(tree, blocks, width):
    assert json.loads(readable(tree, blocks=blocks, width=width)) == tree


@given(st.lists(st.text("abcdef", max_size=30), max_size=60), st.integers(0, 3))
def test_no_line_is_wider_than_asked_for(words, blocks):
    text = readable({"columns": [{"name": "c", "levels": {"values": words}}]}, blocks=blocks)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_schema_has_one_block_per_column_and_short_lists_on_one_line():
    schema = Schema.from_json(
        '{"columns": [{"name": "age", "kind": "numerical", "bounds": {"low": 0, "high": 120}},'
        '{"name": "size", "kind": "ordinal", "levels": {"values": ["S", "M", "L"]}}]}'
    )
    assert schema.to_json() == (
        "{\n"
        '  "format": 1,\n'
        '  "columns": [\n'
        "    {\n"
        '      "name": "age",\n'
        '      "kind": "numerical",\n'
        '      "nullable": true,\n'
        '      "bounds": {"low": 0, "high": 120, "source": "declared"}\n'
        "    },\n"
        "    {\n"
        '      "name": "size",\n'
        '      "kind": "ordinal",\n'
        '      "nullable": true,\n'
        '      "levels": {"values": ["S", "M", "L"], "source": "declared"}\n'
        "    }\n"
        "  ]\n"
        "}\n"
    )


def test_a_long_list_fills_its_lines():
    lines = readable({"values": list(range(200))}).splitlines()
    assert len(lines) < 14
    assert lines[2].startswith("    0, 1, 2, 3")


@pytest.mark.parametrize("empty", [{}, []])
def test_nothing_is_written_as_nothing(empty):
    assert readable(empty) == json.dumps(empty) + "\n"


def test_letters_of_all_languages_stay_readable():
    assert "größe 東京" in readable({"name": "größe 東京"})
