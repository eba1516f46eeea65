"""Column and row fidelity of paper 003 (DP-Fed-FinDiff, Eq. 9 and 10), with the gaps of the paper filled.

Columns (Eq. 9). Quantities: 1 - Wasserstein distance. The paper states no unit for it; here it is the range
of the real training rows, and a column further off than that range has 0, not less. Rows by which the missing
rates differ cost 1 each. A column that is constant in the training rows has the share of equal values.
Levels: 1 - Jensen-Shannon divergence, base 2, missing being a level.

Rows (Eq. 10). Two quantities: 1 - |difference of Pearson's correlations|, in [-1, 1] as printed; rescaled it
is 1 - half of it, in [0, 1]. Two columns of levels: the paper does not say how TU(x, s) is a difference; here
it is |difference of Theil's U|, the mean of both directions. One of each has no case in the paper; here
1 - |difference of the correlation ratio|. Where one table alone has an association, the other's is 0; where
neither has one, the pair is not covered.

The score is the mean of columns and rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.counting import aligned_counts
from understudy.engines.information import jensen_shannon
from understudy.engines.line import transport
from understudy.measuring.comparison import Comparison
from understudy.measuring.composite import compose, defined_mean, one_sided_as_zero
from understudy.measuring.finding import Score
from understudy.measuring.grid import level_cells
from understudy.measuring.measure import Level
from understudy.measuring.relations import Relations
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["ColumnRow"]

Floats = npt.NDArray[np.float64]

_FAR = 1e9  # ranges away: what lies beyond cannot be told apart, and squares of it stay finite


@final
@dataclass(frozen=True)
class ColumnRow(Comparison):
    """Mean of column and row fidelity (paper 003, Eq. 9-10); 1 is best.

    form   printed: pairs of quantities count 1 - gap, down to -1; rescaled: 1 - gap / 2, down to 0.
           The parts have both: rows_printed and rows_rescaled.

    >>> from understudy.table.evidence import Evidence
    >>> import pyarrow as pa
    >>> real, half = pa.table({"a": [0.0, 10.0, 3.5]}), pa.table({"a": [0.0, 5.0, 3.5]})
    >>> round(ColumnRow()(Evidence(train=real, synthetic=half)).value, 6)
    0.833333
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (-0.5, 1.0)

    form: str = check.choice("printed", "printed", "rescaled")

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare every column and every two columns."""
        columns = np.array([_column(column, real, synthetic) for column in real.domain])
        one, other = Relations.of(real), Relations.of(synthetic)
        linear = _gaps(one.quantities, other.quantities)
        levels = _gaps(one.levels, other.levels).mean(axis=0)
        mixed = _gaps(one.mixed, other.mixed)
        rows = {
            "printed": 1 - np.concatenate([linear, levels, mixed]),
            "rescaled": 1 - np.concatenate([linear / 2, levels, mixed]),
        }
        more = {f"rows_{form}": defined_mean(entries) for form, entries in rows.items()}
        return compose({"columns": columns, "rows": rows[self.form]}, more)


def _column(column: CodedColumn, real: CodedTable, synthetic: CodedTable) -> float:
    if column.quantity:
        pair = [_in_ranges(table[column.name], column) for table in (real, synthetic)]
        return 1 - min(1.0, transport(*pair))
    one, other = level_cells(real, column.name), level_cells(synthetic, column.name)
    return 1 - jensen_shannon(*aligned_counts(one, other, column.levels + 1))


def _in_ranges(values: Floats, column: CodedColumn) -> Floats:
    if not column.high > column.low:
        # No range to measure by: a value is the constant or is not, whatever the unit.
        return np.where(np.isnan(values), np.nan, values != column.low)
    with np.errstate(over="ignore"):
        return np.clip((values - column.low) / column.span, -_FAR, _FAR)


def _gaps(real: Floats, synthetic: Floats) -> Floats:
    one, other = one_sided_as_zero(real, synthetic)
    return np.asarray(np.abs(one - other))
