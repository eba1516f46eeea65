"""Mutual information: is what the columns tell about each other as much as in the real table, pair by pair?

For each two columns I(x, y) / sqrt(H(x) H(y)) in [0, 1], entropies corrected after Miller and Madow, so
that a small table does not seem to have more association than a large one of the same law. Quantities are in
bins of the real rows, whose outer ends are infinite; missing is a level.

The score is sum of min(real, synthetic) / sum of max(real, synthetic) over the pairs: the ratio of the two
associations of a pair, weighted by the stronger one. Weak pairs weigh little, where an unweighted mean of
1 - gap is near 1 for any table most of whose pairs are weak (notes on SDMetrics' pair trends). Columns drawn
each by itself score near 0. It does not see the shape of single columns, nor which levels go together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.information import joint_entropies
from understudy.measuring.comparison import Comparison
from understudy.measuring.composite import one_sided_as_zero
from understudy.measuring.finding import Finding, Score
from understudy.measuring.grid import Grid
from understudy.measuring.measure import Level
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["MutualInformation"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class MutualInformation(Comparison):
    """Agreement of pairwise normalised mutual information, weighted by strength, in [0, 1]; 1 is best.

    bins        of the quantities
    corrected   whether entropies are corrected for the number of rows

    Parts: kept, the share of the real association that the synthetic table has; invented, what it has beyond
    the real one, as a share of the real; unweighted, the mean of 1 - gap over the pairs; real and synthetic,
    the mean association of each.

    >>> from understudy.table.evidence import Evidence
    >>> import pyarrow as pa
    >>> real = pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"]})
    >>> other = pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]})
    >>> MutualInformation()(Evidence(train=real, synthetic=other)).value
    0.0
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    bins: int = check.integer(10, low=2, high=1_000)
    corrected: bool = check.flag(True)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare the associations of every two columns."""
        grid = Grid.fit(real, self.bins)
        pair = [self._associations(grid, table) for table in (real, synthetic)]
        one, other = one_sided_as_zero(*pair)
        known = ~np.isnan(one)
        parts = _parts(one[known], other[known])
        parts["coverage"] = float(known.mean()) if len(known) else 0.0
        return Score(parts.pop("value"), parts)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Score as every comparison does, and say why if there is nothing to compare."""
        found = Comparison.find(self, evidence, rng)
        if not np.isnan(found.score.value):
            return found
        why = "no two columns are associated in either table: there is nothing to compare"
        return replace(found, notes=(*found.notes, why))

    def _associations(self, grid: Grid, table: CodedTable) -> Floats:
        cells = grid.columns(table)
        joint = joint_entropies(list(cells.values()), [grid.widths[name] for name in cells])
        found = joint.normalised_information(corrected=self.corrected)
        return found[np.triu_indices(len(found), 1)]


def _parts(real: Floats, synthetic: Floats) -> dict[str, float]:
    both, either = float(np.minimum(real, synthetic).sum()), float(np.maximum(real, synthetic).sum())
    whole = float(real.sum())
    return {
        "value": both / either if either > 0 else np.nan,
        "kept": both / whole if whole > 0 else np.nan,
        "invented": (either - whole) / whole if whole > 0 else np.nan,
        "unweighted": 1 - float(np.abs(real - synthetic).mean()) if len(real) else np.nan,
        "real": float(real.mean()) if len(real) else np.nan,
        "synthetic": float(synthetic.mean()) if len(real) else np.nan,
    }
