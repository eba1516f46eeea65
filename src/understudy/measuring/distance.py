"""The one distance between rows of coded tables: the rows as points of the neighbours engine.

docs/explanation/encoder-and-distance.md states the contract.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from understudy.engines.neighbours.mixed import Mixed
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["as_points"]


def as_points(table: CodedTable, among: Collection[str] | None = None) -> Mixed:
    """Return the rows as points, in the given columns or in all of them.

    A quantity's span is its range over the training rows. Where they have none, because it is constant or all
    missing, any difference counts 1, whatever the unit.

    >>> age, sex = CodedColumn("age", quantity=True, low=20, high=30), CodedColumn("sex", levels=2, known=2)
    >>> arrays = {"age": np.array([22.0, 27.0]), "sex": np.array([0, 1], np.int32)}
    >>> rows = as_points(CodedTable((age, sex), arrays))
    >>> rows.facing(rows).lengths(0, np.array([0, 1])).tolist()
    [0.0, 1.5]
    """
    kept = [column for column in table.domain if among is None or column.name in among]
    quantities = [column for column in kept if column.quantity]
    codes = [column for column in kept if not column.quantity]
    size = len(table)
    return Mixed(
        np.column_stack([np.zeros((size, 0)), *(table[column.name] for column in quantities)]),
        np.column_stack([np.zeros((size, 0), np.int32), *(table[column.name] for column in codes)]),
        np.array([_span(column) for column in quantities], dtype=np.float64),
    )


def _span(column: CodedColumn) -> float:
    width = column.high - column.low
    # The least number that is still a full float: every difference divided by it is above 1.
    return float(width) if np.isfinite(width) and width > 0 else float(np.finfo(np.float64).tiny)
