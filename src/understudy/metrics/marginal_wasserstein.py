"""Marginal Wasserstein distance: how far each column's values must move, column by column.

Paper 001, section 5.2: the Wasserstein distance between the marginals of the training and the generated
data. Neither its scale nor the mean over columns is stated there. Here: quantities in units of the training
range (or of both tables'), levels at distance 0 or 1, whose distance is total variation, and the plain mean
over columns.

Values outside the range keep their distance, up to a million ranges. A missing cell is a level of its own,
and for a quantity at distance 1 from its whole range. A column whose real values are all equal has no unit:
other values are at distance 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.transport.cells import Cells, Quantity, level_cells
from understudy.engines.transport.flow import one_thread
from understudy.engines.transport.marginal import one_way
from understudy.engines.transport.place import joint_range, placed
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Score
from understudy.measuring.measure import Level
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["MarginalWasserstein"]

_BINS = 256  # of a quantity with missing cells, whose distance is no longer a matter of sorting


@final
@dataclass(frozen=True)
class MarginalWasserstein(Comparison):
    """Mean over columns of the Wasserstein-1 distance of the two tables; 0 is best.

    scale   "real": quantities in units of the training range; "joint": of the range of both tables

    >>> import pyarrow as pa
    >>> from understudy.table.evidence import Evidence
    >>> real, other = pa.table({"a": [0.5, 10.5]}), pa.table({"a": [0.5, 5.5]})
    >>> MarginalWasserstein()(Evidence(train=real, synthetic=other)).value
    0.25
    """

    level: ClassVar[Level] = "quick"

    scale: Literal["real", "joint"] = check.choice("real", "real", "joint")

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Return the mean distance over columns, of each kind, and of the worst column."""
        with one_thread():
            cells = {column.name: self._cells(column, real, synthetic) for column in real.domain}
            apart = {name: one_way(each).value for name, each in cells.items()}
        kinds = {"quantities": real.quantities, "categories": real.categories}
        parts = {
            kind: float(np.mean([apart[column.name] for column in columns])) if columns else math.nan
            for kind, columns in kinds.items()
        }
        known = sum(not math.isnan(part) for part in parts.values())
        parts |= {"worst_column": max(apart.values()), "coverage": known / len(parts)}
        return Score(float(np.mean(sorted(apart.values()))), parts)

    def _cells(self, column: CodedColumn, real: CodedTable, synthetic: CodedTable) -> Cells:
        first, second = real[column.name], synthetic[column.name]
        if not column.quantity:
            return level_cells(first, second)
        low, high = joint_range(first, second) if self.scale == "joint" else (column.low, column.high)
        quantity = Quantity(placed(first, low, high), placed(second, low, high))
        return quantity.cells(_BINS if quantity.has_missing else len(quantity.values))
