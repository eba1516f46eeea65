"""What somebody should hear before a stand-in leaves the house, though nothing is refused for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from understudy.table.schema import Schema
    from understudy.table.table import Table

__all__ = ["caution_facts", "of_cells", "of_names"]

_FEW = 5  # names that are told


def of_names(data: str, names: Sequence[str]) -> list[str]:
    """Return a caution where the names of a CSV file look like a first row; it depends on names alone.

    >>> of_names("people.csv", ["age", "sex"])
    []
    """
    from understudy.table.headless import like_cells
    from understudy.table.read import is_csv

    found = like_cells(names) if is_csv(data) else 0
    if not found:
        return []
    caution = (
        f"{found:,} of {len(names):,} column names look like cells: numbers or dates. The first line "
        "of a CSV file is taken for its names, and names count as public: they stand in all that is written. "
        "If this file has no header line, its first row is given away: add a header line and start again."
    )
    return [caution]


def of_cells(data: str, table: Table, schema: Schema | None) -> list[str]:
    """Return a caution where columns of text seem to be meant as numbers; never ask this within a budget.

    What a schema says of a column is taken to be meant.
    """
    from understudy.table.number_like import number_like
    from understudy.table.read import is_csv
    from understudy.table.spelled import spelled_out

    said = set() if schema is None else {column.name for column in schema.columns}
    arrow = table.to_arrow().select([name for name in table.names if name not in said])
    found = number_like(arrow if is_csv(data) else spelled_out(arrow))
    if not found:
        return []
    spelled = "--missing TEXT for each word that means missing (--missing NA), " if is_csv(data) else ""
    caution = (
        f"{_listed(found)}: most cells look like numbers, but not all can be read as such, so they are "
        f"taken for text and lost. Give {spelled}a decimal point for a comma, and no signs between "
        "thousands; or, if text is meant, say the kind in a schema (`understudy schema -o`, then --schema)."
    )
    return [caution]


def caution_facts(cautions: Sequence[str]) -> list[tuple[str, str]]:
    """Return what to print of cautions."""
    return [("warning", caution) for caution in cautions]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more:,} more" if more > 0 else "")
