"""The canonical form of some tables: the same rows in any order, units or naming give the same arrays.

A measure that draws rows or trains a model sees the order of rows, columns and codes, which mean nothing.
So they are put in one order first: columns by name; codes of levels by how often the tables hold them, most
often first; rows by their cells. With one seed the answer is then the same for every order of rows and
columns, and for every naming of levels that are not equally frequent in every table. The order of an
ordinal column's levels means something and is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["canonical", "numbering", "order_of", "ordered", "renumbered"]

Codes = npt.NDArray[np.int32]


def canonical(tables: Sequence[CodedTable]) -> list[CodedTable]:
    """Return the tables of one domain in their canonical form.

    >>> column = CodedColumn("sex", levels=2, known=2)
    >>> table = CodedTable((column,), {"sex": np.array([1, 0, 1], dtype=np.int32)})
    >>> canonical([table])[0]["sex"].tolist()
    [0, 0, 1]
    """
    return [table for table, _ in ordered(tables)]


def ordered(tables: Sequence[CodedTable]) -> list[tuple[CodedTable, npt.NDArray[np.int64]]]:
    """Return the canonical form of each table, and where each of its rows stands in the table given.

    >>> column = CodedColumn("x", quantity=True)
    >>> ((table, places),) = ordered([CodedTable((column,), {"x": np.array([3.0, 1.0])})])
    >>> table["x"].tolist(), places.tolist()
    ([1.0, 3.0], [1, 0])
    """
    found = []
    for table in renumbered(tables, tables):
        places = _order(table)
        found.append((table.take(places), places))
    return found


def renumbered(tables: Sequence[CodedTable], known: Sequence[CodedTable]) -> list[CodedTable]:
    """Return tables with the columns and codes that the canonical form of the known ones has; rows stay.

    >>> column = CodedColumn("sex", levels=2, known=2)
    >>> table = CodedTable((column,), {"sex": np.array([1, 0, 1], dtype=np.int32)})
    >>> renumbered([table], [table])[0]["sex"].tolist()
    [0, 1, 0]
    """
    domain = tuple(sorted(known[0].domain, key=lambda column: column.name))
    codes = {column.name: numbering(column, known) for column in domain if not column.quantity}
    return [_numbered(table, domain, codes) for table in tables]


def numbering(column: CodedColumn, tables: Sequence[CodedTable]) -> Codes:
    """Return the canonical code of each code of a column of levels; unknown levels stay behind known ones."""
    codes = np.arange(column.levels)
    if column.ordered:
        return codes.astype(np.int32)
    counts = [np.bincount(_present(table[column.name]), minlength=column.levels) for table in tables]
    # The last key is the first to count: known before unknown, then the first table, then the others.
    order = np.lexsort([codes, *(-count for count in reversed(counts)), codes >= column.known])
    places = np.empty(column.levels, dtype=np.int32)
    places[order] = codes
    return places


def order_of(table: CodedTable) -> npt.NDArray[np.int64]:
    """Return the places of rows in canonical order; equal rows stay as they stand.

    >>> column = CodedColumn("x", quantity=True)
    >>> order_of(CodedTable((column,), {"x": np.array([3.0, 1.0, 2.0])})).tolist()
    [1, 2, 0]
    """
    return _order(renumbered([table], [table])[0])


def _present(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values[values >= 0]


def _numbered(table: CodedTable, domain: tuple[CodedColumn, ...], codes: dict[str, Codes]) -> CodedTable:
    arrays = {column.name: table[column.name] for column in domain}
    for name, places in codes.items():
        # The entry behind the last is that of -1: a missing cell stays missing.
        arrays[name] = np.append(places, np.int32(-1))[arrays[name]]
    return replace(table, domain=domain, arrays=arrays)


def _order(table: CodedTable) -> npt.NDArray[np.int64]:
    keys = [table[column.name] for column in reversed(table.domain)]
    return np.lexsort(keys).astype(np.int64) if keys else np.arange(len(table))
