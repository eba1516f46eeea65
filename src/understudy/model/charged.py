"""Certificates of models whose draws cost: what the drawn rows reveal, apart from the model's own files.

Most models are made of what may be told, and one certificate covers files and rows alike. A sampler
that charges for its draws holds secrets: its files are as private as the table, its rows are not.
"""

from __future__ import annotations

from dataclasses import replace

from understudy.errors import WhereError
from understudy.model.sampler import Sampler
from understudy.privacy import Certificate
from understudy.privacy.certificate import part_of
from understudy.privacy.entry import under

__all__ = ["FILES", "ROWS", "about_rows", "pay", "refuse_conditions"]

# The two parts that a charged model is made of, as entries of its ledger name them.
ROWS = "rows drawn from the model"
FILES = "the model's own files"
UNCOVERED = f"{FILES}: they hold what was read as it is, and are as private as the table"


def about_rows(whole: Certificate, sampler: Sampler) -> Certificate:
    """Return what the drawn rows reveal. Only a sampler that charges keeps anything from its rows."""
    if sampler.charge(1) is None:
        return whole
    rows = part_of(whole, ROWS)
    return replace(rows, not_covered=(*rows.not_covered, UNCOVERED))


def pay(whole: Certificate, sampler: Sampler, rows: int) -> tuple[Certificate, Sampler]:
    """Return certificate and sampler after drawing so many rows was paid for; the same ones if it is free."""
    charge = sampler.charge(rows) if rows else None
    if charge is None:
        return whole, sampler
    if charge.entry is None:
        return whole, charge.after
    # These rows are of the same law as those before, so what their price rests on holds here too.
    said = "; ".join(dict.fromkeys(each.condition for each in whole.entries if each.condition))
    return replace(whole, entries=(*whole.entries, under(charge.entry, said))), charge.after


def refuse_conditions(sampler: Sampler) -> None:
    """Refuse conditions where draws cost: the rows left over would tell how many were thrown away."""
    if sampler.charge(1) is not None:
        raise WhereError(
            "where: rows of this model are paid for one by one, as they are drawn; drawing until some match "
            "has no price. Draw without conditions and filter the rows."
        )
