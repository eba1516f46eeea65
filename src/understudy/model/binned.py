"""Bought margins with the cells that they were counted in: what further private reads can build on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import LevelMargin, Margin
from understudy.missing import is_missing
from understudy.privacy.mechanism import Columns

__all__ = ["Binned", "cell_of"]


@final
@dataclass(frozen=True)
class Binned:
    """Margins, the edges that quantities are cut at, the share of every cell, and about how many rows.

    The cells of a quantity are its bins, those of levels the levels in the order of their margin; the last
    cell is for missing. `noise` is the deviation of a cell's count, all counts together. All of it is public.
    """

    margins: dict[str, Margin]
    edges: dict[str, npt.NDArray[Any]]
    shares: dict[str, npt.NDArray[np.float64]]
    rows: float
    noise: dict[str, float] = field(default_factory=dict)

    def codes(self, columns: Columns) -> dict[str, npt.NDArray[np.int32]]:
        """Return the cell of every row in every column. Each row by itself."""
        return {name: self._code(name, values) for name, values in columns.items()}

    def reordered(self, orders: dict[str, npt.NDArray[np.int64]]) -> Binned:
        """Return the same with the levels of some columns in another order."""
        margins, shares = dict(self.margins), dict(self.shares)
        for name, order in orders.items():
            margin = margins[name]
            assert isinstance(margin, LevelMargin), "only levels can be put into another order"
            margins[name] = margin.reordered(order)
            shares[name] = shares[name][order]
        return replace(self, margins=margins, shares=shares)

    def _code(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        margin = self.margins.get(name)
        if not isinstance(margin, LevelMargin):
            return cell_of(values, self.edges.get(name))
        place = np.empty(len(margin.codes), dtype=np.int32)
        place[margin.codes] = np.arange(len(margin.codes))  # the code -1 is the last place: missing
        return np.asarray(place[values])


def cell_of(values: npt.NDArray[Any], edges: npt.NDArray[Any] | None) -> npt.NDArray[np.int32]:
    """Return the bin of every value, -1 where it is missing; levels are their own cells.

    >>> cell_of(np.array([3.0, 99.0, np.nan]), np.array([0.0, 5.0, 10.0])).tolist()
    [0, 1, -1]
    """
    if edges is None:
        return values.astype(np.int32)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return np.where(is_missing(values), -1, place).astype(np.int32)
