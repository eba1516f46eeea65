"""What a command says when it is done: how much, where, and what the certificate means in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from understudy.table.counted import counted

if TYPE_CHECKING:
    from understudy.privacy import Certificate
    from understudy.table.schema import Schema
    from understudy.table.table import Table

__all__ = ["columns_text", "figures", "meaning", "privacy_facts", "seconds_text", "shown_source", "size_text"]
__all__ += ["levels_facts", "levels_tree"]

ONE_LEVEL = (
    "In a schema, declare such a column id if it tells rows apart, date or datetime if it holds these as "
    "text, or declare its levels if they are public; else raise epsilon."
)
NEARLY_EMPTY = (
    "by the missing rate that was bought next to no cell of it is there; if its cells are spelled otherwise "
    "than the schema says (27,9 in a column of numbers), mend them, or declare it categorical"
)
_NEARLY = 0.98
KEEP = "keep the model folder itself as private as the table: it holds what was read as it is"


def meaning(certificate: Certificate, delta: float | None = None) -> str:
    """Return what the status of a certificate means for the person who signs.

    >>> from understudy.privacy import Certificate, Entry
    >>> meaning(Certificate((Entry("all rows", "train"),)))
    'no privacy guarantee: rows were read as they are; treat it like the table it was made from'
    """
    if certificate.status == "none":
        return "no privacy guarantee: rows were read as they are; treat it like the table it was made from"
    if certificate.status == "partial":
        from understudy.privacy.taint import covered

        parts = ", ".join(covered(certificate.entries, certificate.seals))
        return f"a guarantee for {parts} only; the rest is as private as the table"
    from understudy.privacy.meaning import quoted

    bound = f"{quoted(certificate, delta)}, for one {certificate.unit}"
    if certificate.status == "conditional":
        return f"{bound}, but only under the condition on the data that the certificate states"
    return f"{bound}, for every table with these names and types"


def privacy_facts(certificate: Certificate, delta: float | None = None) -> list[tuple[str, str]]:
    """Return what to print of a certificate: its bound, and what that means for an attacker."""
    facts = [("privacy", meaning(certificate, delta))]
    if certificate.status in {"sound", "conditional"} and certificate.entries:
        found = figures(certificate, delta)
        facts += [
            ("", f"largest true-positive rate at 1 % false positives: {found['tpr_at_fpr_0.01']:.2%}"),
            ("", f"largest advantage of a membership attacker: {found['advantage']:.2%}"),
        ]
    return facts


def figures(certificate: Certificate, delta: float | None = None) -> dict[str, float | None]:
    """Return the bound and its plain meaning as numbers; None where nothing is bounded.

    Without a delta that was asked for, the bound is at the smallest usual one that has an epsilon.
    """
    from understudy.privacy.meaning import headline

    epsilon, at = headline(certificate, delta)
    if any(entry.infinite for entry in certificate.entries):
        return {"epsilon": None, "delta": at, "tpr_at_fpr_0.01": None, "advantage": None}
    return {
        "epsilon": epsilon if math.isfinite(epsilon) else None,
        "delta": at,
        "tpr_at_fpr_0.01": certificate.tradeoff(0.01),
        "advantage": certificate.delta(0.0),
    }


def levels_facts(schema: Schema) -> list[tuple[str, str]]:
    """Return what to print of columns that came out with one value, since no other was common enough."""
    said = []
    for name, stand_in in _alone(schema).items():
        what = (
            "no value was common enough to be told within the budget, and every cell is a stand-in ('other')"
            if stand_in
            else "one value alone was common enough to be told within the budget, and every cell is that"
        )
        said.append(("column", f"{name}: {what}"))
    if said:
        said.append(("", ONE_LEVEL))
    said += [("column", f"{name}: {NEARLY_EMPTY}") for name in _nearly_empty(schema)]
    return said


def levels_tree(schema: Schema) -> dict[str, list[str]]:
    """Return the same for a program: columns without a value that was told, with one, and without cells."""
    found = _alone(schema)
    return {
        "no_level_told": [name for name, stand_in in found.items() if stand_in],
        "one_level_told": [name for name, stand_in in found.items() if not stand_in],
        "nearly_empty": _nearly_empty(schema),
    }


def _nearly_empty(schema: Schema) -> list[str]:
    """Return columns of which next to no cell is there, by a rate that was bought: no cell decides it."""
    bought = {c.name: c.missing.rate for c in schema.columns if c.missing and c.missing.source == "bought"}
    return [name for name, rate in bought.items() if rate > _NEARLY]


def _alone(schema: Schema) -> dict[str, bool]:
    from understudy.model.purchase import alone

    return alone(schema)


def size_text(table: Table) -> str:
    """Return how large a table is: 2,000 rows, 15 columns."""
    return f"{counted(len(table), 'row')}, {columns_text(table)}"


def columns_text(table: Table) -> str:
    """Return how wide a table is, and nothing about its rows: 15 columns."""
    return counted(len(table.names), "column")


def seconds_text(seconds: float) -> str:
    """Return a length of time that nobody has to count digits of.

    >>> seconds_text(0.04), seconds_text(12.34)
    ('0.04 s', '12.3 s')
    """
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"


def shown_source(data: str) -> str:
    """Return the name of a source without what may be secret in it: a URL can hold a password and a query.

    >>> shown_source("postgresql://me:secret@host/db?table=people")
    'postgresql://...'
    """
    scheme, mark, _ = data.partition("://")
    return f"{scheme}://..." if mark else data
