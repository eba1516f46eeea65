"""Column shapes and pair trends: the two properties of SDMetrics' quality report, defined anew.

Shapes. Quantities: 1 - Kolmogorov-Smirnov distance, levels: 1 - total variation. Missing cells are a place of
their own in both, so that a column whose cells went missing scores less.

Trends. Two quantities: 1 - |difference of correlations| / 2 over the rows that have both, times 1 - total
variation of the four ways in which two cells can be missing. Any other pair: 1 - total variation of the table
of the two columns, quantities in bins of the real rows whose outer ends are infinite, missing being a level.

The peer drops missing cells from shapes, lets each table cut its own bins in its report (a column shifted by
100 is then perfect), gives no score to constant columns, and draws rows without a seed. Here both tables are
read in the real rows' bins; a correlation that one table alone has is 0 in the other, and a pair that neither
can correlate is not covered. Pairs count alike, weak ones too: `mutual_information` weighs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal, cast, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.associations import pearson, spearman
from understudy.engines.counting import Cells, aligned_counts, total_variation
from understudy.engines.line import kolmogorov_smirnov
from understudy.measuring.comparison import Comparison
from understudy.measuring.composite import compose, defined_mean, one_sided_as_zero
from understudy.measuring.finding import Score
from understudy.measuring.grid import Binning, Grid
from understudy.measuring.measure import Level
from understudy.measuring.relations import quantity_matrix
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["ShapeTrend"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class ShapeTrend(Comparison):
    """Mean of column shapes and pair trends, in [0, 1]; 1 is best.

    bins          of a quantity that is paired with levels
    binning       quantile: of equal counts, units do not matter; width: of equal width, as the peer has them
    coefficient   of two quantities

    >>> from understudy.table.evidence import Evidence
    >>> import pyarrow as pa
    >>> real, other = pa.table({"a": ["x", "x", "y", "y"]}), pa.table({"a": ["x", "y", "y", "y"]})
    >>> ShapeTrend()(Evidence(train=real, synthetic=other)).value
    0.75
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    bins: int = check.integer(10, low=2, high=1_000)
    binning: str = check.choice("quantile", "quantile", "width")
    coefficient: str = check.choice("pearson", "pearson", "spearman")

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare every column and every two columns."""
        grid = Grid.fit(real, self.bins, cast(Binning, self.binning))
        one, other = grid.columns(real), grid.columns(synthetic)
        shapes = {column.name: _shape(column, real, synthetic, grid) for column in real.domain}
        linear = self._linear(real, synthetic)
        trends: dict[str, list[float]] = {"quantities": [], "levels": [], "mixed": []}
        for first, second in real.pairs():
            names = (first.name, second.name)
            if first.quantity and second.quantity:
                trends["quantities"].append(linear[names] * _same_holes(one, other, names))
            else:
                kind = "mixed" if first.quantity or second.quantity else "levels"
                trends[kind].append(1 - total_variation(*grid.pair_counts(one, other, names)))
        entries = {"shapes": np.array(list(shapes.values())), "trends": np.array([*chain(*trends.values())])}
        return compose(entries, _details(entries, trends))

    def _linear(self, real: CodedTable, synthetic: CodedTable) -> dict[tuple[str, str], float]:
        """Return 1 - half the difference of correlations, for each two quantities."""
        correlate = pearson if self.coefficient == "pearson" else spearman
        one, other = one_sided_as_zero(
            correlate(quantity_matrix(real)), correlate(quantity_matrix(synthetic))
        )
        alike = 1 - np.abs(one - other) / 2
        names = [column.name for column in real.quantities]
        return {(a, b): float(alike[i, j]) for i, a in enumerate(names) for j, b in enumerate(names) if i < j}


def _shape(column: CodedColumn, real: CodedTable, synthetic: CodedTable, grid: Grid) -> float:
    name = column.name
    if column.quantity:
        return 1 - kolmogorov_smirnov(real[name], synthetic[name])
    return 1 - total_variation(*grid.counts(grid.cells(real, name), grid.cells(synthetic, name), name))


def _same_holes(one: dict[str, Cells], other: dict[str, Cells], names: tuple[str, str]) -> float:
    """Return 1 - total variation of which of two cells are missing (cell 0)."""
    holes = [2 * (columns[names[0]] == 0) + (columns[names[1]] == 0) for columns in (one, other)]
    return 1 - total_variation(*aligned_counts(holes[0], holes[1], 4))


def _details(entries: dict[str, Floats], trends: dict[str, list[float]]) -> dict[str, float]:
    found = {f"trends_{kind}": defined_mean(np.array(of_kind)) for kind, of_kind in trends.items() if of_kind}
    for part, word in (("shapes", "worst_column"), ("trends", "worst_pair")):
        known = entries[part][~np.isnan(entries[part])]
        found[word] = float(known.min()) if len(known) else np.nan
    return found
