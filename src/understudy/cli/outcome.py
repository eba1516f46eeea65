"""What a command says when it is done: how much, where, and what the certificate means in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from understudy.privacy import Certificate
    from understudy.table.table import Table

__all__ = ["meaning", "seconds_text", "shown_source", "size_text"]


def meaning(certificate: Certificate) -> str:
    """Return what the status of a certificate means for the person who signs.

    >>> from understudy.privacy import Certificate, Entry
    >>> meaning(Certificate((Entry("all rows", "train"),)))
    'no privacy guarantee: rows were read as they are; treat it like the table it was made from'
    """
    if certificate.status == "none":
        return "no privacy guarantee: rows were read as they are; treat it like the table it was made from"
    bound = f"epsilon {certificate.epsilon():.4g} at delta 1e-9, for one {certificate.unit}"
    if certificate.status == "conditional":
        return f"{bound}, but only under the condition on the data that the certificate states"
    if certificate.status == "partial":
        return f"{bound}, for the learned weights only, not for a table made with them"
    return f"{bound}, for every table that could have been read"


def size_text(table: Table) -> str:
    """Return how large a table is: 2,000 rows, 15 columns."""
    return f"{_counted(len(table), 'row')}, {_counted(len(table.names), 'column')}"


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


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
