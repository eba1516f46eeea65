"""Cells: a column cut into levels or bins, some merged; and how a drawn cell becomes a value again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Between, Condition, Conditions, IsMissing
from understudy.engines.marginals.generate import systematic
from understudy.engines.marginals.local_ranks import local_ranks
from understudy.missing import MISSING_STEP
from understudy.model.binned import cell_of

__all__ = ["Cells", "cells_from", "cells_in", "values_in"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one column. The last is for missing; a quantity has `edges`, levels are their own cells.

    `merged` gives the merged cell of every cell, `within` its share of that.
    """

    merged: npt.NDArray[np.int32]
    within: Floats
    edges: npt.NDArray[Any] | None = None

    @classmethod
    def of(
        cls, shares: Floats, merged: npt.NDArray[np.int32], edges: npt.NDArray[Any] | None = None
    ) -> Cells:
        """Return cells whose shares within a merged cell follow from their shares of all rows."""
        sums = np.bincount(merged, weights=shares)
        even = 1 / np.bincount(merged)[merged]  # for a merged cell without any mass
        within = np.divide(shares, sums[merged], out=even, where=sums[merged] > 0)
        return cls(merged, within, edges)

    @property
    def size(self) -> int:
        """How many merged cells there are."""
        return int(self.merged.max()) + 1

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the merged cell of every entry. Each row by itself."""
        return np.asarray(self.merged[cell_of(values, self.edges)])

    def decode(
        self,
        places: npt.NDArray[np.int32],
        rng: np.random.Generator,
        condition: Condition | None = None,
        ranks: Floats | None = None,
    ) -> npt.NDArray[Any]:
        """Return a value for every merged cell: first a cell of it, by its share, then a value in that.

        With ranks, those of higher rank in a merged cell get higher values.
        """
        table = np.zeros((self.size, len(self.merged)))
        table[self.merged, np.arange(len(self.merged))] = self.within * self.open_to(condition)
        fine = _fine(table, places.astype(np.int64), rng, ranks)
        if self.edges is None:
            return np.where(fine == len(self.merged) - 1, -1, fine).astype(np.int32)
        share = rng.random(len(fine))
        return self._inside(fine, share if ranks is None else _by_rank(fine, share, ranks), condition)

    def open_to(self, condition: Condition | None) -> Floats:
        """Return what share of each cell satisfies a condition."""
        if condition is None:
            return np.ones(len(self.merged))
        if isinstance(condition, Among):
            return condition.allowed.astype(np.float64)
        if isinstance(condition, IsMissing):
            return np.append(np.zeros(len(self.merged) - 1), 1.0)
        return np.append(self._overlap(condition), 0.0)

    def evidence(self, condition: Condition) -> Floats:
        """Return what share of each merged cell satisfies a condition."""
        weights = self.within * self.open_to(condition)
        return np.bincount(self.merged, weights=weights, minlength=self.size).astype(np.float64)

    def _overlap(self, condition: Between) -> Floats:
        assert self.edges is not None, "only quantities have bins"
        low, high = self._ends(condition)
        width = self.edges[1:] - self.edges[:-1]
        return np.asarray(np.clip((high - low) / width, 0.0, 1.0), dtype=np.float64)

    def _ends(self, condition: Condition | None) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return where values of each bin begin and end: the last edge is just past the last value."""
        assert self.edges is not None, "only quantities have bins"
        low, high = self.edges[:-1], self.edges[1:]
        if not isinstance(condition, Between):
            return low, high
        if self._whole:
            # Whole numbers beyond 2^53 are told apart only if they never become floats.
            first, last = _step(condition.low, math.ceil), _step(condition.high, math.floor) + 1
            return np.maximum(low, first), np.maximum(np.minimum(high, last), np.maximum(low, first))
        first, last = np.maximum(low, condition.low), np.minimum(high, np.nextafter(condition.high, np.inf))
        return first, np.maximum(last, first)

    @property
    def _whole(self) -> bool:
        return self.edges is not None and self.edges.dtype.kind == "i"

    def _inside(
        self, fine: npt.NDArray[np.int64], share: Floats, condition: Condition | None
    ) -> npt.NDArray[Any]:
        gone = fine == len(self.merged) - 1
        low, high = self._ends(condition)
        at = np.where(gone, 0, fine)
        first, width = low[at], (high - low)[at].astype(np.float64)
        if self._whole:
            steps = first + np.minimum(np.floor(share * width), np.maximum(width - 1, 0)).astype(np.int64)
            return np.where(gone, MISSING_STEP, steps)
        values = np.minimum(first + share * width, np.nextafter(high[at], -np.inf))
        return np.where(gone, np.nan, np.maximum(values, first))


def values_in(
    columns: dict[str, Cells],
    codes: Sequence[npt.NDArray[np.int32]],
    rng: np.random.Generator,
    conditions: Conditions,
) -> dict[str, npt.NDArray[Any]]:
    """Return a value in every drawn cell; inside of bins, quantities that go together do so too."""
    drawn = dict(zip(columns, codes, strict=True))
    bins = {name: _bins_of(cells, drawn[name]) for name, cells in columns.items() if cells.edges is not None}
    together = len(bins) > 1 and len(codes[0]) > 0
    ranks = dict(zip(bins, local_ranks(list(bins.values()), rng), strict=True)) if together else {}
    return {
        name: cells.decode(drawn[name], rng, conditions.get(name), ranks.get(name))
        for name, cells in columns.items()
    }


def cells_in(columns: dict[str, Cells]) -> dict[str, npt.NDArray[Any]]:
    """Return the cells of all columns as named arrays, for a model's folder."""
    found: dict[str, npt.NDArray[Any]] = {}
    for place, cells in enumerate(columns.values()):
        found[f"{place}.merged"], found[f"{place}.within"] = cells.merged, cells.within
        if cells.edges is not None:
            found[f"{place}.edges"] = cells.edges
    return found


def cells_from(arrays: dict[str, npt.NDArray[Any]], names: Sequence[str]) -> dict[str, Cells]:
    """Return the cells that `cells_in` wrote down.

    >>> cells = Cells.of(np.array([0.5, 0.5]), np.array([0, 1], dtype=np.int32))
    >>> cells_from(cells_in({"a": cells}), ["a"])["a"].size
    2
    """
    return {
        name: Cells(arrays[f"{place}.merged"], arrays[f"{place}.within"], arrays.get(f"{place}.edges"))
        for place, name in enumerate(names)
    }


def _bins_of(cells: Cells, places: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return merged cells as places of bins in rising order, -1 for a cell of missing rows alone."""
    alone = np.count_nonzero(cells.merged == cells.merged[-1]) == 1
    return np.where(alone & (places == cells.merged[-1]), -1, places).astype(np.int32)


def _fine(
    table: Floats, places: npt.NDArray[np.int64], rng: np.random.Generator, ranks: Floats | None
) -> npt.NDArray[np.int64]:
    """Return a cell for every row; the last, of missing rows, has no rank and is filled at random."""
    if ranks is None:
        return systematic(table, places, rng)
    here = systematic(np.column_stack([table[:, :-1].sum(1), table[:, -1]]), places, rng) == 0
    fine = np.full(len(places), table.shape[1] - 1)
    fine[here] = systematic(table[:, :-1], places[here], rng, ranks[here])
    return fine


def _by_rank(fine: npt.NDArray[np.int64], share: Floats, ranks: Floats) -> Floats:
    """Return shares of a cell's width such that the rows in it lie evenly, in the order of their ranks."""
    order = np.lexsort((ranks, fine))
    held = np.bincount(fine)
    place = np.arange(len(fine)) - (np.cumsum(held) - held)[fine[order]]
    found = np.empty(len(fine))
    found[order] = (place + share) / held[fine[order]]
    return found


def _step(end: float, rounded: Callable[[float], int]) -> int:
    """Return the first or last step inside of an end that may be boundless."""
    return rounded(max(-(2**62), min(2**62, end)))
