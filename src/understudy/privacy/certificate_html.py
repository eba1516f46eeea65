"""A certificate in a notebook: what it amounts to, its figures, and the ledger line by line."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from understudy.markup import safe, section, table
from understudy.privacy.read_words import described

if TYPE_CHECKING:
    from understudy.privacy.certificate import Certificate

__all__ = ["html"]

_MOST = 50  # reads that are listed; the file has all of them
_COLUMNS = ("read", "columns", "mechanism", "noise", "sampling", "price")


def html(certificate: Certificate) -> str:
    """Return status, plain meaning, figures and reads.

    >>> from understudy.privacy.certificate import Certificate
    >>> "certificate: sound" in html(Certificate(()))
    True
    """
    from understudy.privacy.meaning import plain_meaning

    said = "".join(f"<li>{safe(line)}</li>" for line in plain_meaning(certificate))
    return section(
        f"certificate: {certificate.status}", f"<ul>{said}</ul>", _figures(certificate), _reads(certificate)
    )


def _figures(certificate: Certificate) -> str:
    from understudy.privacy.certificate_json import figures  # scipy: slow to load, and a ledger needs none

    found = figures(certificate).items()
    return table(
        ("figure", "value"),
        [(name, "no bound" if value is None else f"{value:.4g}") for name, value in found],
    )


def _reads(certificate: Certificate) -> str:
    if not certificate.entries:
        return ""
    words = [described(entry) for entry in islice(certificate.entries, _MOST)]
    left = len(certificate.entries) - len(words)
    more = f"<p>and {left:,} more reads</p>" if left else ""
    return table(_COLUMNS, [[line[name] for name in _COLUMNS] for line in words]) + more
