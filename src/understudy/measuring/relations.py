"""How the columns of a table go together: one number for each two of them, by the kinds that they have.

quantities    Pearson's correlation, over the rows that have both
levels        Theil's U, in both directions; missing is a level of its own
one of each   the correlation ratio eta, over the rows that have the quantity; missing is a level of its own

These are the three that papers 000 and 003 name. None of them means anything for a constant column: NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.engines.associations import correlation_ratio, pearson
from understudy.engines.information import joint_entropies
from understudy.measuring.grid import level_cells
from understudy.table.coded import CodedTable

__all__ = ["Relations", "quantity_matrix"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Relations:
    """The associations of one table, as vectors in the order of its domain.

    `levels` is (2, pairs): how much the second column explains of the first, and the other way round.

    >>> from understudy.table.coded import CodedColumn
    >>> one, other = CodedColumn("a", levels=2), CodedColumn("b", levels=2)
    >>> codes = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> Relations.of(CodedTable((one, other), {"a": codes, "b": codes})).levels.round(6).tolist()
    [[1.0], [1.0]]
    """

    quantities: Floats
    levels: Floats
    mixed: Floats

    @classmethod
    def of(cls, table: CodedTable) -> Relations:
        """Return the associations of every two columns."""
        matrix = quantity_matrix(table)
        linear = pearson(matrix)
        cells = [level_cells(table, column.name) for column in table.categories]
        widths = [column.levels + 1 for column in table.categories]
        explained = joint_entropies(cells, widths).theil_u()
        explained[:, np.isnan(np.diag(explained))] = np.nan  # a constant column explains 0 of anything
        above = np.triu_indices(len(explained), 1)
        return cls(
            linear[np.triu_indices(len(linear), 1)],
            np.stack([explained[above], explained.T[above]]),
            correlation_ratio(cells, widths, matrix).ravel(),
        )

    @property
    def all(self) -> Floats:
        """Every association in one vector."""
        return np.concatenate([self.quantities, self.levels.ravel(), self.mixed])


def quantity_matrix(table: CodedTable) -> Floats:
    """Return the quantities of a table, (rows, quantities), NaN where missing."""
    if not table.quantities:
        return np.empty((len(table), 0))
    return np.array([table[column.name] for column in table.quantities]).T
