"""Squares of columns: how they go together in either table, and by how much every two of them differ."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.engines.associations import correlation_ratio, pearson
from understudy.engines.binning import bin_cells, quantile_edges
from understudy.engines.counting import aligned_counts, join_cells, total_variation
from understudy.engines.information import joint_entropies
from understudy.measuring.grid import level_cells
from understudy.measuring.relations import quantity_matrix
from understudy.report.dossier import Grid
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["associations", "grids", "pair_differences"]

MOST = 40  # columns of a square that can still be read
_BINS = 10
_MOST_CELLS = 1_000  # of a column of levels; more leave a pair with hardly a row to a cell
Floats = npt.NDArray[np.float64]


def grids(evidence: Evidence) -> tuple[Grid, ...]:
    """Return the association of columns among synthetic rows, among real ones, and the pairs' differences."""
    synthetic, train = (_first(evidence.coded(role)) for role in ("synthetic", "train"))
    names = tuple(column.name for column in synthetic.domain)
    made, real, apart = associations(synthetic), associations(train), pair_differences(train, synthetic)
    worst = float(np.nanmax(apart)) if not np.isnan(apart).all() else 1.0
    return (
        Grid("Associations among synthetic rows", names, _rows(made), 1.0, True, False),
        Grid("Associations among real rows", names, _rows(real), 1.0, True, True),
        Grid(
            "Difference of every pair (total variation)", names, _rows(apart), max(worst, 0.05), False, True
        ),
    )


def associations(table: CodedTable) -> Floats:
    """Return Pearson's r of two quantities, the root of Theil's U of levels, eta of one of each.

    U is the mean of both directions. All three lie within 1, 0 where nothing goes together.
    """
    of_quantities = [place for place, column in enumerate(table.domain) if column.quantity]
    of_levels = [place for place, column in enumerate(table.domain) if not column.quantity]
    found = np.full((len(table.domain), len(table.domain)), np.nan)
    matrix = quantity_matrix(table)
    cells = [level_cells(table, column.name) for column in table.categories]
    widths = [column.levels + 1 for column in table.categories]
    if of_quantities:
        found[np.ix_(of_quantities, of_quantities)] = pearson(matrix)
    if of_levels:
        explained = joint_entropies(cells, widths).theil_u()
        found[np.ix_(of_levels, of_levels)] = np.sqrt(np.clip((explained + explained.T) / 2, 0.0, 1.0))
    if of_quantities and of_levels:
        mixed = correlation_ratio(cells, widths, matrix)  # (levels, quantities)
        found[np.ix_(of_levels, of_quantities)] = mixed
        found[np.ix_(of_quantities, of_levels)] = mixed.T
    return found


def pair_differences(train: CodedTable, synthetic: CodedTable) -> Floats:
    """Return the total variation of every two columns, and of each column by itself on the diagonal.

    Quantities are cut into ten parts at the quantiles of the training rows.
    """
    coded = [_cells(train, synthetic, column.name) for column in train.domain]
    size = len(coded)
    found = np.full((size, size), np.nan)
    for i, (first, other, width) in enumerate(coded):
        found[i, i] = total_variation(*aligned_counts(first, other, width))
        for j in range(i + 1, size):
            second, another, wide = coded[j]
            pair = join_cells(first, second, wide), join_cells(other, another, wide)
            found[i, j] = found[j, i] = total_variation(*aligned_counts(*pair, width * wide))
    return found


def _cells(
    train: CodedTable, synthetic: CodedTable, name: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    column = train.column(name)
    if column.quantity:
        edges = quantile_edges(train[name], _BINS)
        return bin_cells(train[name], edges), bin_cells(synthetic[name], edges), len(edges) + 2
    width = min(column.levels, _MOST_CELLS) + 1
    first, other = (np.minimum(table[name].astype(np.int64) + 1, width - 1) for table in (train, synthetic))
    return first, other, width


def _first(table: CodedTable) -> CodedTable:
    kept = table.domain[:MOST]
    return CodedTable(kept, {column.name: table[column.name] for column in kept})


def _rows(square: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(value), 4) for value in row) for row in square)
