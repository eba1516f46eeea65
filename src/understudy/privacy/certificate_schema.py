"""The certificate's file as a JSON Schema, so that other people's tools can read it."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_args

from understudy.privacy.certificate import Status
from understudy.privacy.certificate_json import FORMAT
from understudy.privacy.entry import Phase
from understudy.privacy.events import Event

__all__ = ["json_schema", "json_schema_text"]

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_WORDS = {"type": "object", "additionalProperties": _TEXT}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_STATUS = {"enum": list(get_args(Status))}
_NUMBER = {"type": "number"}
_WHOLE = {"type": "integer", "minimum": 0}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of certificate files.

    >>> json_schema()["properties"]["status"]["enum"]
    ['sound', 'conditional', 'partial', 'none']
    """
    parts = {
        "format": {"const": FORMAT, "description": "version of this format"},
        "status": {**_STATUS, "description": "what the entries amount to for everything together"},
        "parts": _map(_STATUS, "status of each part that was made, by the reads that can have reached it"),
        "entries": _list(_entry(), "every read of private rows, in order, as the ledger has it"),
        "reads": _list(_read(), "the entries in words; derived"),
        "seals": _list(_seal(), "parts that were fixed before later reads, with their SHA-256"),
        "assumptions": {**_TEXTS, "description": "what is taken to be public or true"},
        "unit": {**_TEXT, "description": "whose presence is hidden"},
        "relation": {**_TEXT, "description": "which tables count as neighbours"},
        "not_covered": {**_TEXTS, "description": "what the figures say nothing about"},
        "tool": {**_TEXT, "description": "what wrote this file"},
        "artefacts": _map(_HASH, "released files, each by name and SHA-256"),
        "declared": {**_WORDS, "description": "by column: what was declared, and so cost nothing"},
        "versions": {**_WORDS, "description": "what the figures were computed with"},
        "chain": {**_HASH, "description": "end of the hash chain over the entries"},
        "figures": _map(
            {"type": ["number", "null"]}, "computed from the entries by the accountant; null: no bound"
        ),
        "seal": {**_HASH, "description": "SHA-256 over all other parts; shows slips, not forgery"},
    }
    title = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "understudy certificate",
        "description": "What a synthetic table or a model can reveal about one row, and why.",
    }
    return title | _object(parts)


def json_schema_text() -> str:
    """Return the JSON Schema as the text of docs/reference/certificate.schema.json."""
    return json.dumps(json_schema(), indent=1) + "\n"


def _entry() -> dict[str, Any]:
    texts = {
        "name": "how the run calls it",
        "what": "what was read",
        "because": "how far one row can move it, and why",
        "condition": "what must hold of the rows for the price to be right; empty: nothing",
    }
    words = {name: {**_TEXT, "description": text} for name, text in texts.items()}
    lists = {
        "columns": {**_TEXTS, "description": "the columns that were read; none: all"},
        "feeds": {**_TEXTS, "description": "the only parts that this read reaches; none: all"},
    }
    phase = {"enum": list(get_args(Phase)), "description": "when in the run it was read"}
    kinds = [_object({"event": {"const": kind}, **fields}) for kind, fields in _events().items()]
    event = {"oneOf": kinds, "description": "mechanism, noise, sampling and count; Open: none"}
    return _object({**words, "phase": phase, **lists, "event": event})


def _events() -> dict[str, dict[str, Any]]:
    numbers = {"type": "array", "items": {"anyOf": [_NUMBER, {"const": "inf"}]}}
    runs = {"type": "array", "items": {"type": "object", "required": ["event"]}}
    kinds = {
        "float": {**_NUMBER, "minimum": 0},
        "int": {"type": "integer", "minimum": 1},
        "tuple[tuple[Any, ...], ...]": {"type": "array", "items": runs, "minItems": 1},
    }
    return {
        kind.__name__: {field.name: kinds.get(str(field.type), numbers) for field in fields(kind)}
        for kind in get_args(Event)
    }


def _read() -> dict[str, Any]:
    names = ("read", "columns", "mechanism", "sensitivity", "noise", "sampling", "price")
    return _object(dict.fromkeys(names, _TEXT))


def _seal() -> dict[str, Any]:
    after = {**_WHOLE, "description": "how many entries had been written"}
    return _object({"part": _TEXT, "digest": _HASH, "after": after})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


def _map(values: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values, "description": description}
