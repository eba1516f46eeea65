"""Counting queries that a target answers: in how many rows of a set some of its columns are like its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.groundhog import Describe, of_every_set
from understudy.measuring.shadow_cast import Shown
from understudy.table.coded import CodedTable

__all__ = ["Queries", "asked_of_sets", "draw_queries"]

Ways = npt.NDArray[np.int8]
_WAYS = 3  # of a quantity: equal, at most, at least


@final
@dataclass(frozen=True, eq=False)
class Queries:
    """Each query asks of some columns, (queries, columns): -1 not asked, 0 equal, 1 at most, 2 at least."""

    ways: Ways

    def shares(self, table: CodedTable, target: CodedTable) -> npt.NDArray[np.float64]:
        """Return for each query the share of rows that answer it as the target does.

        A cell that is missing is like a missing one, and like no other.

        >>> from understudy.table.coded import CodedColumn
        >>> table = CodedTable((CodedColumn("x", quantity=True),), {"x": np.array([1.0, 2.0, 2.0, 3.0])})
        >>> Queries(np.array([[0], [1], [2]], np.int8)).shares(table, table.take(np.array([1]))).tolist()
        [0.5, 0.75, 0.75]
        """
        likeness = [_likeness(table[column.name], target[column.name][0]) for column in table.domain]
        found = np.ones((len(self.ways), len(table)), dtype=np.bool_)
        for place, ways in enumerate(self.ways.T):
            asked = np.flatnonzero(ways >= 0)
            found[asked] &= likeness[place][ways[asked]]
        return np.asarray(found.mean(axis=1))


def draw_queries(known: CodedTable, number: int, columns: int, rng: np.random.Generator) -> Queries:
    """Return random queries, each of one column up to so many.

    Levels are asked to be equal; quantities to be equal, at most or at least what the target has.
    """
    width = len(known.domain)
    ways = np.full((number, width), -1, dtype=np.int8)
    for query in ways:
        some = rng.choice(width, rng.integers(1, min(columns, width) + 1), replace=False)
        query[some] = [rng.integers(_WAYS) if known.domain[place].quantity else 0 for place in some]
    return Queries(ways)


def asked_of_sets(shown: Shown, number: int, columns: int, rng: np.random.Generator) -> Describe:
    """Return what sets answer: so many queries for each target, which it draws for itself."""

    def features(place: int) -> npt.NDArray[np.float64]:
        target = shown.records.take(np.array([place]))
        queries = draw_queries(shown.records, number, columns, rng)
        return of_every_set(shown, lambda table: queries.shares(table, target))(place)

    return features


def _likeness(values: npt.NDArray[Any], own: Any) -> npt.NDArray[np.bool_]:
    """Return which cells are equal to the target's, at most it, at least it: (3, rows)."""
    if values.dtype.kind == "f" and np.isnan(own):
        return np.broadcast_to(np.isnan(values), (_WAYS, len(values)))
    return np.stack([values == own, values <= own, values >= own])
