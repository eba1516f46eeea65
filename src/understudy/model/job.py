"""What every fit is given, and what it comes back with, with or without a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.errors import ParameterError, SchemaError
from understudy.model.sampler import Sampler
from understudy.privacy import Certificate, Ledger, certify
from understudy.progress import Progress
from understudy.table.public import kinds_beyond_types
from understudy.table.schema import Schema, Source
from understudy.table.table import Table
from understudy.version import TOOL

__all__ = ["Job", "Learned", "certified", "refuse_other_schemas", "refuse_text"]

_NAMED = 8  # columns, of many


@final
@dataclass(frozen=True)
class Job:
    """One fit: the table, what is declared about it, randomness that is not privacy noise, a watcher."""

    table: Table
    schema: Schema | None
    rng: np.random.Generator
    watcher: Progress


@final
@dataclass(frozen=True)
class Learned:
    """What a fit learned: the completed schema, the sampler, and what both may reveal."""

    schema: Schema
    sampler: Sampler
    certificate: Certificate


def certified(ledger: Ledger, given: Schema | None, rows: int | None = None) -> Certificate:
    """Return the certificate of a finished fit, with what it takes to be public; `rows` if declared."""
    assumptions = [
        "column names, kinds, types, the order of ordered categories and the way cells are written are public"
    ]
    if declared := _columns_with(given, "declared"):
        assumptions.append(
            f"the declared bounds, levels and missing rates of {declared} columns are public knowledge"
        )
    if bought := _columns_with(given, "bought"):
        assumptions.append(
            f"bounds, levels and missing rates of {bought} columns were bought before; that price is in "
            "another certificate and adds to this one"
        )
    if given is not None and (odd := kinds_beyond_types(given)):
        named = ", ".join(map(repr, odd[:_NAMED])) + (
            f" and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        )
        assumptions.append(f"that the schema has the kinds it has for {named} depends on no single row")
    if rows is not None:
        assumptions.append(
            f"the number of rows is declared, as {rows:,}, told as it is, and public knowledge"
        )
    return certify(ledger, tuple(assumptions), TOOL, declared=_declared(given))


def _declared(given: Schema | None) -> dict[str, str]:
    """Return, for each column, the parts that somebody vouched for."""
    columns = given.columns if given is not None else ()
    parts = {c.name: [part for part, source in c.sources() if source == "declared"] for c in columns}
    return {name: ", ".join(found) for name, found in parts.items() if found}


def _columns_with(given: Schema | None, source: Source) -> int:
    columns = given.columns if given is not None else ()
    return sum(any(found == source for _, found in column.sources()) for column in columns)


def refuse_other_schemas(schema: object) -> None:
    """Refuse whatever is not a schema."""
    if schema is not None and not isinstance(schema, Schema):
        raise ParameterError(f"fit: schema must be a us.Schema; got {type(schema).__name__}.")


def refuse_text(schema: Schema) -> None:
    """Refuse free text, with the three things that can be done about it."""
    refused = [column.name for column in schema.columns if column.kind == "text"]
    if refused:
        raise SchemaError(
            f"column {refused[0]!r}: free text cannot be synthesized. In the schema, make its kind id "
            "(new ones are made), categorical (its texts are copied) or ignore (left out). Dates and times "
            "are read if every cell has one spelling, such as 2024-05-31: mend those that have not."
        )
