"""Counting queries: how many rows lie in a box, for thousands of boxes.

Every column becomes unsigned codes that keep its order, in the narrowest type that holds them. A condition
low <= x <= high is then one subtraction and one comparison, `code - first <= width`: below `first` the
difference wraps around to something large. With 32,000 rows a condition costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = ["Queries", "Rows"]

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Queries:
    """Conjunctions: each asks for low <= x <= high in each of its columns."""

    columns: Ints  # (queries, ways)
    low: Floats  # (queries, ways)
    high: Floats  # (queries, ways)

    def __len__(self) -> int:
        return len(self.columns)


@final
class Rows:
    """The rows of a table, made ready to be counted; NaN lies in no range.

    >>> rows = Rows([np.array([0.5, 1.5, np.nan]), np.array([-1, 3, 3])])
    >>> rows.count(Queries(np.array([[0, 1]]), np.array([[0.0, 3.0]]), np.array([[2.0, 3.0]]))).tolist()
    [1]
    """

    def __init__(self, columns: Sequence[Array]) -> None:
        coded = [_codes(column) for column in columns]
        self._places = [places for places, _ in coded]
        self._codes = [codes for _, codes in coded]
        size = len(columns[0]) if columns else 0
        self._mask, self._more = np.empty(size, np.bool_), np.empty(size, np.bool_)
        self._gap = {codes.dtype: np.empty(size, codes.dtype) for codes in self._codes}

    def count(self, queries: Queries) -> Ints:
        """Return how many rows satisfy each query."""
        first, width = self._edges(queries)
        found = np.empty(len(queries), np.int64)
        for place, (columns, starts, widths) in enumerate(
            zip(queries.columns.tolist(), first.tolist(), width.tolist(), strict=True)
        ):
            mask = self._mask
            for way, (column, start, reach) in enumerate(zip(columns, starts, widths, strict=True)):
                into = mask if way == 0 else self._more
                gap = self._gap[self._codes[column].dtype]
                np.less_equal(np.subtract(self._codes[column], start, out=gap), reach, out=into)
                if way:
                    mask &= into
            found[place] = np.count_nonzero(mask)
        return found

    def _edges(self, queries: Queries) -> tuple[Ints, Ints]:
        """Return the first code and the further codes of each condition."""
        first, width = np.zeros(queries.columns.shape, np.int64), np.zeros(queries.columns.shape, np.int64)
        for column, places in enumerate(self._places):
            here = queries.columns == column
            start = np.searchsorted(places, queries.low[here], "left")
            end = np.searchsorted(places, queries.high[here], "right")
            # Behind the codes of values and of NaN there is one that no row has: for an empty range.
            first[here] = np.where(end > start, start, len(places) + 1)
            width[here] = np.maximum(end - start - 1, 0)
        return first, width


def _codes(column: Array) -> tuple[Array, Array]:
    """Return the distinct values in order, and for each row the place of its value; NaN comes behind all."""
    if np.issubdtype(column.dtype, np.integer) and len(column):
        least = int(column.min())
        places = np.arange(least, int(column.max()) + 1)
        return places, (column - least).astype(_narrowest(len(places) + 1))
    present = ~np.isnan(column)
    places, inverse = np.unique(column[present], return_inverse=True)
    codes = np.full(len(column), len(places), _narrowest(len(places) + 1))
    codes[present] = inverse
    return places, codes


def _narrowest(largest: int) -> npt.DTypeLike:
    return np.min_scalar_type(largest)
