"""A schema in a notebook: kinds, and where each domain comes from.

A notebook is its owner's own place, but notebooks are passed on. What was declared or bought may be told;
what was looked up in the rows is named and not shown.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from understudy.markup import section, table

if TYPE_CHECKING:
    from understudy.table.schema import Column, Schema

__all__ = ["html"]

_MOST = 8  # levels that are listed; a reader who wants all has the schema
_LONGEST = 200  # columns that are listed


def html(schema: Schema) -> str:
    """Return the columns as a table.

    >>> from understudy.table.schema import Schema
    >>> text = '{"columns": [{"name": "age", "kind": "numerical", "bounds": {"low": 0, "high": 120}}]}'
    >>> "0 to 120" in html(Schema.from_json(text))
    True
    """
    rows = [
        (column.name, column.kind, column.type or "", _origin(column), _domain(column), _missing(column))
        for column in islice(schema.columns, _LONGEST)
    ]
    left = len(schema.columns) - len(rows)
    title = f"schema of {len(schema.columns):,} columns" + (f", the first {_LONGEST}" if left else "")
    body = table(("column", "kind", "type", "origin", "domain", "missing"), rows)
    rules = table(("rules of every row",), [(rule,) for rule in schema.rules]) if schema.rules else ""
    return section(title, body, rules)


def _origin(column: Column) -> str:
    """Return where each part comes from: "levels observed, missing declared"."""
    return ", ".join(f"{part} {source}" for part, source in column.sources()) or "nothing stated"


def _domain(column: Column) -> str:
    part = column.bounds or column.levels
    if part is None:
        return "not stated"
    if part.source == "observed":
        return "observed, not shown"
    if column.bounds is not None:
        return f"{column.bounds.low} to {column.bounds.high}"
    assert column.levels is not None
    shown = ", ".join(str(value) for value in column.levels.values[:_MOST])
    left = len(column.levels.values) - _MOST
    return f"{shown} and {left:,} more" if left > 0 else shown


def _missing(column: Column) -> str:
    if column.missing is None:
        return "" if column.nullable else "never"
    return "observed, not shown" if column.missing.source == "observed" else f"{column.missing.rate:.3g}"
