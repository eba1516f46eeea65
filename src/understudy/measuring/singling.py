"""Predicates that single out one synthetic row, and others that are made up of synthetic values at random.

The adversary hopes that what is true of exactly one synthetic row is true of exactly one training row. Rows
that the synthetic table holds twice are one row to him. A missing cell matches "is missing" and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.predicates import Conjunctions, Ruler, count_matches, sole_matches
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["Sheet", "at_random", "multivariate", "univariate"]

Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TRIES = 1_000  # for each query that is wanted: then the pool has run dry
_ALL = 20_000_000  # so many tries are put in an order of which each comes once
_BLOCK = 4096
_AT_MOST, _AT_LEAST, _EQUAL, _BELOW, _ABOVE, _OTHER = range(6)


@final
@dataclass(frozen=True, eq=False)
class Sheet:
    """The distinct synthetic rows, as codes of the values that predicates name."""

    domain: tuple[CodedColumn, ...]
    rulers: tuple[Ruler, ...]
    codes: Whole  # (rows, columns)
    upper: npt.NDArray[np.bool_]  # where a quantity lies above its median

    @classmethod
    def of(cls, synthetic: CodedTable) -> Sheet:
        """Code a table that is sorted by its cells."""
        cells = np.stack([_cells(synthetic, column) for column in synthetic.domain], axis=1)
        cells = cells[_first_of_equals(cells)]
        rulers = tuple(Ruler(np.unique(column[~np.isnan(column)])) for column in cells.T)
        codes = np.stack([ruler.codes(column) for ruler, column in zip(rulers, cells.T, strict=True)], axis=1)
        return cls(synthetic.domain, rulers, codes, cells > [_median(column) for column in cells.T])

    @property
    def missing(self) -> list[int]:
        """The code of a missing cell in each column."""
        return [ruler.missing for ruler in self.rulers]

    def matches(self, queries: Conjunctions, table: CodedTable | None = None) -> Whole:
        """Return how many rows of a table match each query; of these rows if none is given."""
        if table is None:
            return count_matches(queries, list(self.codes.T), self.missing)
        return count_matches(queries, self._coded(table), self.missing)

    def singled_out(self, queries: Conjunctions, table: CodedTable) -> Whole:
        """Return the row of a table that each query matches; all must match exactly one."""
        return sole_matches(queries, self._coded(table), self.missing)

    def alone(self, queries: Conjunctions) -> Conjunctions:
        """Return the queries that match exactly one of these rows.

        Most queries match many. They show it in a few of the rows already, and are dropped at little cost.
        """
        for step in (64, 8):
            some = [codes[::step] for codes in self.codes.T]
            queries = queries.take(count_matches(queries, some, self.missing) <= 1)
        return queries.take(self.matches(queries) == 1)

    def queries(self, columns: Whole, codes: Whole, operators: Whole) -> Conjunctions:
        """Return queries of (column, code, operator); a missing code asks for missing cells."""
        last = np.array(self.missing)[columns]
        low = np.select(
            [operators == _AT_MOST, operators == _BELOW, operators == _ABOVE], [0, 0, codes + 1], codes
        )
        high = np.select(
            [operators == _AT_LEAST, operators == _ABOVE, operators == _BELOW],
            [last - 1, last - 1, codes - 1],
            codes,
        )
        missing = codes == last
        low, high = (np.where(missing, codes, end) for end in (low, high))
        return Conjunctions(columns, low, high, (operators == _OTHER) & ~missing)

    def _coded(self, table: CodedTable) -> list[Whole]:
        columns = zip(self.domain, self.rulers, strict=True)
        return [ruler.codes(_cells(table, column)) for column, ruler in columns]


def univariate(sheet: Sheet, wanted: int, rng: np.random.Generator) -> Conjunctions:
    """Return up to so many predicates of one column that match exactly one synthetic row.

    They are: equal to a value that occurs once, missing where one cell is, and for quantities at most the
    least and at least the greatest, if that occurs once.
    """
    found = [np.zeros((0, 3), np.int64)]
    for place, column in enumerate(sheet.domain):
        codes, counts = np.unique(sheet.codes[:, place], return_counts=True)
        once = codes[counts == 1]
        found.append(_triples(place, once, _EQUAL))
        present = codes[codes != sheet.rulers[place].missing]
        if column.quantity and len(present):
            for end, operator in ((present[:1], _AT_MOST), (present[-1:], _AT_LEAST)):
                found.append(_triples(place, end[np.isin(end, once)], operator))
    pool = rng.permutation(np.concatenate(found))[:wanted]
    return sheet.queries(pool[:, [0]], pool[:, [1]], pool[:, [2]])


def multivariate(sheet: Sheet, wanted: int, width: int, rng: np.random.Generator) -> Conjunctions:
    """Return up to so many different queries of `width` columns that match exactly one synthetic row.

    Each is made of a row and some of its columns: equal to a level, and on the far side of a quantity from
    its median. The search ends when all of these were tried, or 1,000 for each one wanted.
    """
    found = sheet.queries(*(np.zeros((0, width), np.int64) for _ in range(3)))
    quantity = np.array([column.quantity for column in sheet.domain])
    for rows, columns in _tries(sheet.codes.shape, width, _TRIES * wanted, rng):
        above = np.where(sheet.upper[rows[:, None], columns], _AT_LEAST, _AT_MOST)
        operators = np.where(quantity[columns], above, _EQUAL)
        tried = sheet.queries(columns, sheet.codes[rows[:, None], columns], operators).distinct()
        found = found.joined(sheet.alone(tried)).distinct()
        if len(found) >= wanted:
            break
    return found.take(np.arange(min(wanted, len(found))))


def at_random(sheet: Sheet, wanted: int, width: int, rng: np.random.Generator) -> Conjunctions:
    """Return queries of random columns, values and operators, whatever they match."""
    rows, names = sheet.codes.shape
    columns = _subsets(names, width, wanted, rng)
    codes = sheet.codes[rng.integers(rows, size=columns.shape), columns]
    quantity = np.array([column.quantity for column in sheet.domain])[columns]
    levels = np.where(rng.random(columns.shape) < 0.5, _EQUAL, _OTHER)
    return sheet.queries(columns, codes, np.where(quantity, rng.integers(6, size=columns.shape), levels))


def _tries(
    shape: tuple[int, ...], width: int, most: int, rng: np.random.Generator
) -> Iterator[tuple[Whole, Whole]]:
    """Yield rows with columns: each pair once where there are few, at random where there are many."""
    rows, names = shape
    ways = math.comb(names, width)
    if rows * ways <= min(most, _ALL):
        subsets, order = np.array(list(combinations(range(names), width))), rng.permutation(rows * ways)
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            yield block // ways, subsets[block % ways]
        return
    for start in range(0, most, _BLOCK):
        size = min(_BLOCK, most - start)
        yield rng.integers(rows, size=size), _subsets(names, width, size, rng)


def _subsets(names: int, width: int, size: int, rng: np.random.Generator) -> Whole:
    return np.sort(np.argsort(rng.random((size, names)), axis=1)[:, :width], axis=1)


def _triples(place: int, codes: Whole, operator: int) -> Whole:
    return np.stack([np.full_like(codes, place), codes, np.full_like(codes, operator)], axis=1)


def _cells(table: CodedTable, column: CodedColumn) -> Floats:
    cells: npt.NDArray[Any] = table[column.name]
    return cells if column.quantity else np.where(cells < 0, np.nan, cells.astype(np.float64))


def _first_of_equals(cells: Floats) -> npt.NDArray[np.bool_]:
    """Return the rows that differ from the one before; equal rows stand together."""
    same = (cells[1:] == cells[:-1]) | (np.isnan(cells[1:]) & np.isnan(cells[:-1]))
    return np.concatenate([np.ones(min(1, len(cells)), bool), ~same.all(axis=1)])


def _median(column: Floats) -> float:
    present = column[~np.isnan(column)]
    return float(np.median(present)) if len(present) else math.nan
