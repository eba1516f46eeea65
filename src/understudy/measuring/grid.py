"""A grid: every column of a coded table as cells, with bins of the real rows for the quantities of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from understudy.engines.binning import bin_cells, quantile_edges, width_edges
from understudy.engines.counting import Cells, Counts, aligned_counts, join_cells
from understudy.table.coded import CodedTable

__all__ = ["Binning", "Grid", "level_cells"]

Binning = Literal["quantile", "width"]


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of columns: 0 is missing, then the levels or the bins; `widths` says how many there are of each.

    >>> from understudy.table.coded import CodedColumn
    >>> column = (CodedColumn("age", quantity=True),)
    >>> real, far = (CodedTable(column, {"age": np.arange(4.0) + shift}) for shift in (0, 100))
    >>> grid = Grid.fit(real, 2)
    >>> grid.cells(real, "age").tolist(), grid.cells(far, "age").tolist()
    ([1, 1, 2, 2], [2, 2, 2, 2])
    """

    edges: dict[str, npt.NDArray[np.float64]]
    widths: dict[str, int]

    @classmethod
    def fit(cls, real: CodedTable, bins: int, by: Binning = "quantile") -> Grid:
        """Return the grid of these real rows: at most so many bins, the outer ones without an end."""
        cut = quantile_edges if by == "quantile" else width_edges
        edges = {column.name: cut(real[column.name], bins) for column in real.quantities}
        # One cell for missing, and one bin more than there are inner edges.
        widths = {name: len(inner) + 2 for name, inner in edges.items()}
        return cls(edges, widths | {column.name: column.levels + 1 for column in real.categories})

    def cells(self, table: CodedTable, name: str) -> Cells:
        """Return one column of a table of the same domain."""
        if name in self.edges:
            return bin_cells(table[name], self.edges[name])
        return level_cells(table, name)

    def columns(self, table: CodedTable) -> dict[str, Cells]:
        """Return every column of a table of the same domain."""
        return {column.name: self.cells(table, column.name) for column in table.domain}

    def counts(self, first: Cells, second: Cells, name: str) -> tuple[Counts, Counts]:
        """Return how often the cells of one column occur in two tables."""
        return aligned_counts(first, second, self.widths[name])

    def pair_counts(
        self, first: dict[str, Cells], second: dict[str, Cells], names: tuple[str, str]
    ) -> tuple[Counts, Counts]:
        """Return how often the cells of two columns occur together, in each of two tables' columns."""
        one, other = names
        width = self.widths[other]
        joined = [join_cells(columns[one], columns[other], width) for columns in (first, second)]
        return aligned_counts(joined[0], joined[1], self.widths[one] * width)


def level_cells(table: CodedTable, name: str) -> Cells:
    """Return the codes of a column of levels as cells: 0 is missing, unseen levels lie behind the known."""
    return table[name].astype(np.int64) + 1
