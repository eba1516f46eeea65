"""Conditions as they are typed: `sex=Female`, `age=30..40`, `city=Bern|Basel`, `income=` for missing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from understudy.errors import WhereError
from understudy.table.schema import Column, Schema

__all__ = ["where_from_text"]

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")


def where_from_text(texts: Iterable[str], schema: Schema) -> dict[str, Any]:
    """Return typed conditions in the form that `Model.sample(where=...)` takes.

    A value is one value, `low..high` an inclusive range with either end left open, `a|b|c` any of
    these, and nothing at all a missing value. A text that is a level as it stands is that level.

    >>> schema = Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')
    >>> where_from_text(["age=30..40"], schema)
    {'age': (30, 40)}
    """
    columns = {column.name: column for column in schema.columns}
    where: dict[str, Any] = {}
    for text in texts:
        name, value = _split(text, columns)
        if name in where:
            raise WhereError(
                f"where: column {name!r} is named twice; join the conditions, such as {name}=a|b."
            )
        where[name] = _wanted(columns[name], value)
    return where


def _split(text: str, columns: Mapping[str, Column]) -> tuple[str, str]:
    """Split at the first = that leaves a known column on its left: names may hold one themselves."""
    places = [place for place, character in enumerate(text) if character == "="]
    if not places:
        raise WhereError(
            "where: a condition is COLUMN=VALUE, such as sex=Female or age=30..40; there is no = in it."
        )
    for place in places:
        if text[:place] in columns:
            return text[:place], text[place + 1 :]
    shown = ", ".join(list(columns)[:8]) + (", ..." if len(columns) > 8 else "")
    raise WhereError(f"where: there is no column {text[: places[0]]!r}; choose from {shown}.")


def _wanted(column: Column, value: str) -> Any:
    if value == "":
        return None
    if column.levels is not None and value in {str(level) for level in column.levels.values}:
        return value
    if "|" in value:
        return [_value(column, part) for part in value.split("|")]
    if ".." in value:
        low, _, high = value.partition("..")
        return (_value(column, low), _value(column, high))
    return _value(column, value)


def _value(column: Column, text: str) -> Any:
    """Return one value: text for levels and times, which read their own text; a number for numbers."""
    if text == "":
        return None
    if column.kind != "numerical":
        return text
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise WhereError(
            f"where: column {column.name!r} holds numbers; ask for one, or for a range such as 30..40."
        )
    if _WHOLE.fullmatch(text):
        return int(text)
    return Decimal(text) if (column.type or "").startswith("decimal") else float(text)
