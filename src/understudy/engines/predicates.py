"""How many rows does a conjunction of simple predicates match? Counted with sets of bits.

Every column is coded once against the sorted values that predicates may name: code 2i + 1 is the i-th of
these values, 2i lies just below it. A predicate is then an interval of codes, whether it says at most, at
least, equal or missing; its rows are a mask of bits, made at a subtraction and a comparison of short whole
numbers for each row. Predicates that occur more than once share their mask, and a conjunction is the AND of
masks, 64 rows at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError

__all__ = ["Conjunctions", "Ruler", "count_matches", "sole_matches"]

Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_WORD = 64
_BYTES = 2**25  # of masks at a time


@final
@dataclass(frozen=True, eq=False)
class Ruler:
    """The sorted distinct values of one column that predicates may name; NaN is no value, but missing.

    >>> ruler = Ruler(np.array([10.0, 20.0]))
    >>> ruler.codes(np.array([5.0, 10.0, 15.0, 20.0, np.nan])).tolist(), ruler.missing
    ([0, 1, 2, 3, 5], 5)
    """

    values: Floats

    @property
    def missing(self) -> int:
        """The code of a missing cell, behind all others."""
        return 2 * len(self.values) + 1

    def codes(self, cells: Floats) -> Whole:
        """Return where each cell lies."""
        left, right = (np.searchsorted(self.values, cells, side=side) for side in ("left", "right"))
        return np.where(np.isnan(cells), self.missing, left + right).astype(np.int64)


@final
@dataclass(frozen=True, eq=False)
class Conjunctions:
    """Queries of equally many predicates: all arrays are (queries, predicates).

    columns   which column a predicate is about
    low, high codes that match, both ends included
    outside   True for codes that are not in between, missing ones neither
    """

    columns: Whole
    low: Whole
    high: Whole
    outside: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        if len({array.shape for array in self.arrays()}) != 1 or self.columns.ndim != 2:
            raise ParameterError("predicates: expected one row of predicates for each query.")

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, queries: npt.NDArray[Any]) -> Conjunctions:
        """Return the given queries, in the given order."""
        return Conjunctions(*(array[queries] for array in self.arrays()))

    def joined(self, other: Conjunctions) -> Conjunctions:
        """Return the queries of both."""
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        return Conjunctions(*(np.concatenate(pair) for pair in pairs))

    def keys(self) -> Whole:
        """Return a number for each predicate, the same for equal ones."""
        codes, names = (
            int(array.max(initial=0)) + 1 for array in (np.maximum(self.low, self.high), self.columns)
        )
        if 2 * names * codes**2 >= 2**63:
            raise ParameterError("predicates: there are too many values to number the predicates.")
        return ((self.columns * 2 + self.outside) * codes + self.low) * codes + self.high

    def distinct(self) -> Conjunctions:
        """Return every query once, where it stands first."""
        keys = self.keys()
        order = np.lexsort(keys.T)  # stable: the first of equals comes first
        new = np.ones(len(self), np.bool_)
        new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
        return self.take(np.sort(order[new]))

    def arrays(self) -> tuple[Any, Any, Any, Any]:
        """Return columns, low, high, outside."""
        return self.columns, self.low, self.high, self.outside


def count_matches(queries: Conjunctions, columns: list[Whole], missing: list[int]) -> Whole:
    """Return how many rows match each query; columns are codes, `missing` those of missing cells.

    >>> ruler = Ruler(np.array([10.0, 20.0]))
    >>> at_least_10 = Conjunctions(*(np.array([[x]]) for x in (0, 1, 4, False)))
    >>> rows = ruler.codes(np.array([5.0, 10.0, 15.0, np.nan]))
    >>> count_matches(at_least_10, [rows], [ruler.missing]).tolist()
    [2]
    """
    rows = len(columns[0]) if columns else 0
    if rows == 0:
        return np.zeros(len(queries), np.int64)
    padded = [_padded(codes, last) for codes, last in zip(columns, missing, strict=True)]
    each = queries.columns.shape[1] * len(padded[0]) // 8
    step = max(1, _BYTES // max(1, each))
    found = [np.zeros(0, np.int64)]
    for start in range(0, len(queries), step):
        block = queries.take(np.arange(start, min(start + step, len(queries))))
        found.append(_count(block, padded, missing))
    return np.concatenate(found)


def sole_matches(queries: Conjunctions, columns: list[Whole], missing: list[int]) -> Whole:
    """Return the first row that each query matches; of a query that matches one row, that row.

    >>> ruler = Ruler(np.array([10.0, 20.0]))
    >>> above_20 = Conjunctions(*(np.array([[x]]) for x in (0, 4, 4, False)))
    >>> sole_matches(above_20, [ruler.codes(np.array([5.0, 10.0, 25.0]))], [ruler.missing]).tolist()
    [2]
    """
    found = np.full(len(queries), -1, np.int64)
    if not len(queries) or not queries.columns.shape[1]:
        return found
    rows, narrowest = _narrowest(queries, columns)
    for at, predicates in enumerate(zip(*queries.arrays(), strict=True)):
        near = rows[at]
        for place, (column, low, high, outside) in enumerate(zip(*predicates, strict=True)):
            if place == narrowest[at] and not outside:
                continue  # these are the rows to begin with
            codes = columns[column][near]
            inside = (codes >= low) & (codes <= high)
            near = near[~inside & (codes != missing[column]) if outside else inside]
        found[at] = near.min() if len(near) else -1
    return found


def _narrowest(queries: Conjunctions, columns: list[Whole]) -> tuple[list[Whole], Whole]:
    """Return the rows that the narrowest predicate of each query matches, and which of them it is.

    Rows of an interval lie together where a column is sorted, so that they are found without a look at the
    others. What lies outside one is taken for all rows.
    """
    count, shape = len(columns[0]), queries.columns.shape
    orders = {column: _sorted(columns[column]) for column in np.unique(queries.columns).tolist()}
    begin, end = np.zeros(shape, np.int64), np.full(shape, count)
    for column, order in orders.items():
        here = (queries.columns == column) & ~queries.outside
        codes = columns[column][order]
        begin[here] = np.searchsorted(codes, queries.low[here], side="left")
        end[here] = np.searchsorted(codes, queries.high[here], side="right")
    narrowest = np.argmin(end - begin, axis=1)
    each = np.arange(len(queries)), narrowest
    spans = zip(queries.columns[each].tolist(), begin[each].tolist(), end[each].tolist(), strict=True)
    return [orders[column][first:last] for column, first, last in spans], narrowest


def _sorted(codes: Whole) -> Whole:
    """Return the rows in the order of their codes; of short numbers, which are sorted without comparing."""
    short = codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
    return np.argsort(short, kind="stable")


def _padded(codes: Whole, missing: int) -> npt.NDArray[Any]:
    """Return codes in as few bytes as hold them, and rows that match nothing up to a whole word."""
    size = -(-len(codes) // _WORD) * _WORD
    padded = np.full(size, missing + 1, np.min_scalar_type(missing + 1))
    padded[: len(codes)] = codes
    return padded


def _count(queries: Conjunctions, columns: list[npt.NDArray[Any]], missing: list[int]) -> Whole:
    _, first, which = np.unique(queries.keys(), return_index=True, return_inverse=True)
    which = which.reshape(queries.columns.shape)
    place, low, high, outside = (array.ravel()[first] for array in queries.arrays())
    masks = np.empty((len(first), len(columns[0]) // _WORD), np.uint64)
    step = max(1, _BYTES // (4 * len(columns[0])))
    for column in np.unique(place).tolist():
        here = np.flatnonzero(place == column)
        for start in range(0, len(here), step):
            atoms = here[start : start + step]
            ends = low[atoms, None], high[atoms, None]
            masks[atoms] = _masks(columns[column], ends, outside[atoms], missing[column])
    matching = masks[which[:, 0]]
    for predicate in which.T[1:]:
        matching &= masks[predicate]
    return np.asarray(np.bitwise_count(matching).sum(axis=1, dtype=np.int64))


def _masks(
    codes: npt.NDArray[Any], ends: tuple[Whole, Whole], outside: npt.NDArray[np.bool_], missing: int
) -> npt.NDArray[np.uint64]:
    """Return the rows of each predicate as bits."""
    low, high = ends
    # Unsigned: a code below the low end wraps around and is larger than any interval is wide.
    inside = (codes - low.astype(codes.dtype)) <= (high - low).astype(codes.dtype)
    if outside.any():
        inside[outside] = ~inside[outside] & (codes < missing)
    return np.packbits(inside, axis=1).view(np.uint64)
