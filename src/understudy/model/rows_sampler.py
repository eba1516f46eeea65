"""Rows of merged cells as a sampler: those that were made to fit the tables, taken evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Conditions
from understudy.engines.marginals.generate import systematic
from understudy.errors import NothingMatches
from understudy.model.cells import Cells, cells_from, cells_in, values_in
from understudy.model.sampler import Columns, Sampler, State
from understudy.model.tables import Tables

__all__ = ["RowsSampler"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_SELDOM = 1e-9  # rows that a cell without any is taken to hold, where a row must be moved somewhere


@final
@dataclass(frozen=True, eq=False)
class RowsSampler(Sampler):
    """Cells of every column, and rows of them: `codes` has a column to each line.

    As many rows as are asked for are taken at even distances from all rows in order, so each is drawn equally
    often up to one, and as many as there are give exactly these. Under conditions a row weighs what share
    of its cells satisfies them. Where no row satisfies all, those that satisfy most are taken, and the other
    cells moved: conditions hold exactly in every row.
    """

    cells: dict[str, Cells]
    codes: Codes
    rows: int | None = None
    conditional: ClassVar[bool] = True

    @classmethod
    def of(cls, tables: Tables, codes: Codes) -> RowsSampler:
        """Return the sampler of rows that fit these tables, in a fixed order: neighbours are alike."""
        ordered = codes[:, np.lexsort(codes[::-1])] if len(codes) else codes
        return cls(tables.cells, ordered.astype(np.int32), round(tables.rows) if tables.told else None)

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Take rows, given the conditions, and a value in each of their cells."""
        shares = {name: _shares(self.cells[name], name, conditions) for name in conditions}
        places = _evenly(self._weights(shares), rows, rng)
        drawn = []
        for (name, cells), line in zip(self.cells.items(), self.codes, strict=True):
            codes = line[places]
            if name in shares:
                codes = _moved(codes, shares[name], np.bincount(line, minlength=cells.size), rng)
            drawn.append(codes)
        return values_in(self.cells, drawn, rng, conditions)

    def _weights(self, shares: dict[str, Floats]) -> Floats:
        """Return what each row weighs: nothing, unless no row satisfies more conditions; else its shares."""
        weights = np.ones(self.codes.shape[1])
        kept = np.zeros(self.codes.shape[1], dtype=np.int64)
        for name, line in zip(self.cells, self.codes, strict=True):
            if name in shares:
                each = shares[name] / shares[name].max()  # a point has a tiny share of any cell
                kept += (each > 0)[line]
                weights *= np.where(each > 0, each, 1.0)[line]
        return np.where(kept == kept.max(initial=0), weights, 0.0)

    def state(self) -> State:
        """Return cells and rows."""
        tensors = {"codes": self.codes, **cells_in(self.cells)}
        return tensors, {"names": list(self.cells), "rows": self.rows}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""
        return cls(cells_from(tensors, facts["names"]), tensors["codes"], facts["rows"])


def _shares(cells: Cells, name: str, conditions: Conditions) -> Floats:
    shares = cells.evidence(conditions[name])
    if not shares.any():
        raise NothingMatches(f"where: no value of column {name!r} that was learned satisfies its condition.")
    return shares


def _evenly(weights: Floats, rows: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return places in proportion to their weights, each as often as that says up to one, in random order."""
    ends = np.cumsum(weights)
    if not len(ends):
        return np.zeros(0, dtype=np.int64)
    points = (np.arange(rows) + rng.random()) * (ends[-1] / max(rows, 1))
    places = np.searchsorted(ends, points, side="right")
    return rng.permutation(np.minimum(places, len(ends) - 1))


def _moved(codes: Codes, shares: Floats, held: npt.NDArray[np.int64], rng: np.random.Generator) -> Codes:
    """Return codes of which those that cannot satisfy a condition are drawn anew, as the column has them."""
    wrong = shares[codes] <= 0
    if not wrong.any():
        return codes
    allowed = (held + _SELDOM) * (shares / shares.max())
    found = codes.copy()
    found[wrong] = systematic(allowed[None, :], np.zeros(int(wrong.sum()), dtype=np.int64), rng)
    return found
