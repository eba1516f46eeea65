"""The shape of a schema file as a published JSON Schema, for editors that check and complete it."""

from __future__ import annotations

from typing import Any

from understudy.table.json_text import readable
from understudy.table.schema import Schema

__all__ = ["json_schema", "json_schema_text"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a schema file.

    A file that it accepts may still be refused for what JSON Schema cannot say, such as two
    columns of one name.

    >>> sorted(json_schema()["properties"])
    ['$schema', 'columns', 'format', 'rules']
    """
    tree = Schema.model_json_schema(mode="validation")
    tree["properties"] = {
        "$schema": {"type": "string", "description": "where this JSON Schema lies; not read"},
        **tree["properties"],
    }
    return {"$schema": _DIALECT, **tree, "title": "A schema of understudy"}


def json_schema_text() -> str:
    """Return the JSON Schema as the text of docs/reference/schema.json."""
    return readable(json_schema())
