"""The published JSON Schema is up to date and says what the reader accepts."""

from __future__ import annotations

import json
from pathlib import Path

from understudy.table.schema import Column, Schema
from understudy.table.schema_json import json_schema, json_schema_text

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_the_published_file_is_what_the_code_says():
    # To renew it: python -c "from understudy.table.schema_json import *; print(json_schema_text(), end='')"
    published = (REFERENCE / "schema.json").read_text(encoding="utf-8")
    assert published == json_schema_text(), "docs/reference/schema.json is out of date; write it again"


def test_it_names_its_dialect_and_forbids_unknown_keys():
    tree = json_schema()
    assert tree["$schema"].endswith("2020-12/schema")
    assert tree["additionalProperties"] is False
    assert tree["$defs"]["Column"]["additionalProperties"] is False
    assert tree["required"] == ["columns"]


def test_a_file_may_point_to_it():
    assert "$schema" in json_schema()["properties"]
    text = '{"$schema": "schema.json", "columns": [{"name": "a", "kind": "id"}]}'
    assert Schema.from_json(text).columns[0].name == "a"


def test_every_part_of_a_column_is_in_it_and_explained_in_the_reference():
    parts = json_schema()["$defs"]["Column"]["properties"]
    assert set(parts) == set(Column.model_fields)
    guide = (REFERENCE / "schema.md").read_text(encoding="utf-8")
    for part in [*parts, "format", "source", "rate", "values", "low", "high"]:
        assert f"`{part}`" in guide, part
    for kind in parts["kind"]["enum"]:
        assert f"`{kind}`" in guide, kind


def test_every_example_in_the_reference_is_a_schema():
    guide = (REFERENCE / "schema.md").read_text(encoding="utf-8")
    examples = [block.split("```")[0] for block in guide.split("```json")[1:]]
    assert examples
    for example in examples:
        Schema.from_json(example)


def test_it_is_valid_json_without_surprises():
    assert json.loads(json_schema_text()) == json_schema()
