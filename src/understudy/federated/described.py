"""What a site tells of its schema, and which tellings go together: a site that differs is left out alone.

Terms have a digest of each column as it was agreed on (`columns_of`). What a site tells may add to that what
the agreed column left open, and nothing else: bought under a budget, observed without one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from understudy.errors import InputError, SchemaError
from understudy.federated.domain import MOST_LEVELS
from understudy.federated.message import Message
from understudy.federated.terms import Terms, columns_of
from understudy.table.columns import level_array, modelled
from understudy.table.raw import ends_of
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["bare_of", "misfits", "read_described"]

_PARTS = {True: ("levels", "missing"), False: ("bounds", "missing")}  # of levels, of a quantity


def read_described(terms: Terms, answer: Message) -> tuple[Schema, float]:
    """Return the schema of a site and how many rows it tells; refuse what goes against the terms."""
    rows = answer.fact("rows", float)
    if not (math.isfinite(rows) and rows >= 1):  # what is told with noise is 1 at the least, too
        raise InputError("federation: a number of rows must be finite and at least 1.")
    schema = Schema.from_json(answer.fact("schema", str))
    found = modelled(schema)
    if {column.name for column in found} != set(terms.schema) - {""}:
        raise SchemaError("federation: it describes other columns than were agreed on.")
    if columns_of(schema).get("") != terms.schema.get(""):
        raise SchemaError("federation: it describes other rules than were agreed on.")
    for column in found:
        _refuse_open(column, private=terms.private)
        if all(terms.schema[column.name] != columns_of(each)[column.name] for each in _barer(column, terms)):
            raise SchemaError(
                f"federation: column {column.name!r} is described otherwise than agreed; what was agreed on "
                "stays as it is, and what it left open is told."
            )
    return schema, rows


def bare_of(terms: Terms, schema: Schema) -> Schema:
    """Return the public schema of the terms: what sites described, without what they added to it."""
    bare = {
        column.name: each.columns[0]
        for column in modelled(schema)
        for each in _barer(column, terms)
        if terms.schema[column.name] == columns_of(each)[column.name]
    }
    columns = tuple(bare.get(column.name, column) for column in schema.columns)
    return schema.model_copy(update={"columns": columns})


def misfits(told: Mapping[str, Schema]) -> dict[str, str]:
    """Return which sites cannot be merged with the others, and why: by columns, or by too many levels.

    >>> misfits({"a": Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')})
    {}
    """
    shapes = {name: _shape(told[name]) for name in sorted(told)}
    usual = Counter(shapes.values()).most_common(1)
    odd = {
        name: "federation: its columns, their kinds, types or order are not those of most sites."
        for name, shape in shapes.items()
        if shape != usual[0][0]
    }
    kept = [name for name in shapes if name not in odd]
    for column in told[kept[0]].columns if kept else ():
        for name in _too_many({each: told[each].column(column.name) for each in kept if each not in odd}):
            odd[name] = f"domain: column {column.name!r}: more than {MOST_LEVELS:,} levels were told."
    return odd


def _shape(schema: Schema) -> tuple[tuple[str, str, str | None], ...]:
    return tuple((column.name, column.kind, column.type) for column in schema.columns)


def _too_many(columns: Mapping[str, Column]) -> list[str]:
    """Return the sites whose levels are too many for one column; those with few levels come first."""
    held = {name: set(each.levels.values) for name, each in columns.items() if each.levels is not None}
    every: set[Any] = set()
    odd = []
    for name in sorted(held, key=lambda name: (len(held[name]), name)):
        if len(every | held[name]) > MOST_LEVELS:
            odd.append(name)
        else:
            every |= held[name]
    return odd


def _refuse_open(column: Column, *, private: bool) -> None:
    """Refuse a column that leaves something open, or says what cannot be.

    In the open, a site that has no value of a column has no levels or bounds to tell; whoever buys them does.
    """
    who = f"federation: column {column.name!r}"
    told = [part for part in _PARTS[column.kind in LEVEL_KINDS] if getattr(column, part) is not None]
    if "missing" not in told or (private and len(told) < 2):
        raise SchemaError(
            f"{who} is described with something left open; bounds, levels and missing rate are told."
        )
    if column.levels is not None:
        if len(column.levels.values) > MOST_LEVELS:
            raise InputError(f"{who}: at most {MOST_LEVELS:,} levels may be told.")
        level_array(column)
    elif column.bounds is not None:
        ends_of(column)


def _barer(column: Column, terms: Terms) -> Iterator[Schema]:
    """Yield the column without some of the parts that a site may add to what was agreed on."""
    source = "bought" if terms.private else "observed"
    parts = [
        part
        for part in _PARTS[column.kind in LEVEL_KINDS]
        if (held := getattr(column, part)) is not None and held.source == source
    ]
    for many in range(len(parts) + 1):
        for left in combinations(parts, many):
            yield Schema(columns=(column.model_copy(update=dict.fromkeys(left)),))
