"""Cells that all sites count in: cut by the merged margins, merged where noise would drown them.

What is cut where follows from released margins alone. A site's own tables of single columns, and those of all
sites together, follow from their margins too: nothing more is read for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import LevelMargin, Margin, QuantityMargin
from understudy.engines.marginals.cliques import Clique
from understudy.engines.marginals.estimate import Measured
from understudy.errors import InputError
from understudy.federated.domain import Domain
from understudy.federated.mixture import law_of
from understudy.model.cells import Cells, cells_from
from understudy.model.merged import bins_that_pay, fitting_cells
from understudy.model.outlook import most_cells
from understudy.table.columns import modelled
from understudy.table.raw import ends_of
from understudy.table.schema import Column, Schema

__all__ = ["one_way_of", "read_cells", "read_pairs", "shared_cells"]

Floats = npt.NDArray[np.float64]

_TAIL = 1e-9  # of a law: the values beyond have no mass worth a bin
MOST_CELLS = 2**14  # of one column, merged


def shared_cells(domain: Domain, *, fine: int, bins: int, sigma: float, enough: float) -> dict[str, Cells]:
    """Return the cells of every column: `fine` bins at most, merged into `bins`, none drowned by noise.

    `sigma` is the deviation that a count of all sites together will have; a cell needs `enough` of those.
    """
    counted = {}
    for column in modelled(domain.schema):
        margin = domain.margins[column.name]
        edges = _edges(column, margin, fine) if isinstance(margin, QuantityMargin) else None
        counted[column.name] = (_shares(margin, edges) * domain.rows, edges)
    most = bins_that_pay(domain.rows, sigma, bins)
    return fitting_cells(counted, least=max(1.0, enough * sigma), bins=most)


def one_way_of(
    margins: Mapping[str, Margin], cells: Mapping[str, Cells], rows: float, sigma: float
) -> tuple[Measured, ...]:
    """Return the table of every column in merged cells, as its margin says."""
    found = []
    for place, (name, each) in enumerate(cells.items()):
        counts = np.bincount(each.merged, weights=_shares(margins[name], each.edges) * rows)
        found.append(Measured((place,), counts.astype(np.float64), max(sigma, 1e-3)))
    return tuple(found)


def read_cells(arrays: Mapping[str, npt.NDArray[Any]], schema: Schema) -> dict[str, Cells]:
    """Read cells from a message; refuse those that do not fit the schema: they come from outside."""
    columns = modelled(schema)
    try:
        cells = cells_from(dict(arrays), [column.name for column in columns])
    except KeyError:
        raise InputError("cells: a column has none.") from None
    for column in columns:
        _refuse_odd(column, cells[column.name])
    sizes = [each.size for each in cells.values()]
    if max(sizes, default=0) > most_cells(sizes):  # no honest server asks for what it would not make itself
        raise InputError("cells: they are so many that the tables of all pairs do not fit; merge more.")
    return cells


def read_pairs(cliques: Sequence[Any], columns: int) -> list[Clique]:
    """Read which pairs of columns are asked for; no more than tie all of them together are planned."""
    good = all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(place, int) and not isinstance(place, bool) for place in pair)
        and 0 <= pair[0] < pair[1] < columns
        for pair in cliques
    )
    if not good or not 0 < len(cliques) < columns:
        raise InputError(f"pairs: expected at most {columns - 1} pairs of columns, in order.")
    return [(pair[0], pair[1]) for pair in cliques]


def _edges(column: Column, margin: QuantityMargin, fine: int) -> npt.NDArray[Any]:
    """Return where a quantity is cut: at its bounds, around all that has mass, and at even steps of that.

    A heavy value has a bin of its own: spread over what lies beside it, it would be gone.
    """
    low, high = ends_of(column)
    kind: type[Any] = np.float64 if isinstance(high, float) else np.int64
    heavy = margin.values[margin.upper - margin.lower > 1 / (2 * fine)].astype(kind)
    inner = np.empty(0, kind)
    if margin.upper[-1] > 0:
        inner = margin.quantile(np.linspace(0, 1, fine + 1).clip(_TAIL, 1 - _TAIL)).astype(kind)
    ends = _after(np.concatenate([heavy, inner[-1:], [kind(max(low, high))]]).astype(kind))
    cuts = np.concatenate([[low], inner, heavy, ends]).astype(kind)
    return np.unique(np.clip(cuts, low, ends[-1]))


def _after(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the next value after each: bins end just past the last value in them."""
    return values + 1 if values.dtype.kind == "i" else np.nextafter(values, np.inf)


def _shares(margin: Margin, edges: npt.NDArray[Any] | None) -> Floats:
    """Return the share of every cell, missing last."""
    if isinstance(margin, LevelMargin):
        found = np.empty(len(margin.codes))
        found[margin.codes] = margin.upper - margin.lower  # the code -1 is the last place
        return np.maximum(found, 0.0)
    assert edges is not None, "quantities have edges"
    below = law_of(margin, edges)[0]
    below[0], below[-1] = 0.0, 1.0  # all values lie between the bounds
    return np.append(np.maximum(np.diff(below), 0.0) * (1 - margin.missing), margin.missing)


def _refuse_odd(column: Column, cells: Cells) -> None:
    whole = cells.merged.dtype == np.int32 and cells.merged.ndim == 1 and len(cells.merged) > 0
    known = np.unique(cells.merged) if whole else np.zeros(0, np.int32)
    # All numbers up to the last are in use: a table has no more cells than there are levels or bins.
    if not len(known) or known[0] != 0 or known[-1] != len(known) - 1 or len(known) > MOST_CELLS:
        raise InputError(f"cells: column {column.name!r}: they must be counted from 0, with none left out.")
    edges = cells.edges
    if (edges is None) != (column.levels is not None):
        raise InputError(f"cells: column {column.name!r}: a quantity has edges, levels have none.")
    count = len(column.levels.values) if column.levels is not None else len(_ascending(column, edges)) - 1
    if len(cells.merged) != count + 1:
        raise InputError(
            f"cells: column {column.name!r}: there must be one for each level or bin, and missing."
        )


def _ascending(column: Column, edges: npt.NDArray[Any] | None) -> Sequence[Any]:
    low, _ = ends_of(column)
    kind = "f" if isinstance(low, float) else "i"
    good = edges is not None and edges.dtype.kind == kind and edges.ndim == 1 and len(edges) > 1
    if edges is None or not good or not (edges[1:] > edges[:-1]).all():
        raise InputError(f"cells: column {column.name!r}: its edges must be ascending.")
    return list(edges.tolist())
