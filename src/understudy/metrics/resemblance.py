"""Resemblance: the five similarities of paper 000 (DP-TLDM, section 3.2), each in [0, 1].

The paper gives them in prose, times 100, and no rule to combine them; it published no code. Chosen here:

column       "the correlation between each original and synthetic column", whose rows are not paired.
             Quantities: Pearson's of the sorted values, which sees no shift. Levels: Theil's U of the
             frequencies, the rows paired so that as many as possible agree; or the cosine of the frequencies.
correlation  Pearson's of the two vectors of pairwise associations; below 0 counts as 0. NaN for fewer than
             three associations. Of independent columns it is noise, even for perfect rows: see the null.
statistical  Spearman's of minimum, maximum, median, mean and deviation, for each quantity by itself, in units
             of the real range. Pooled over all columns, as the paper may mean it, it is near 1 for anything.
js           1 - Jensen-Shannon distance, base 2; quantities in shared bins of the real rows.
ks           1 - Kolmogorov-Smirnov distance; levels: 1 - total variation, which does not see their order.

Missing cells are a level of their own in column (levels), js and ks, and left out elsewhere. The score is the
mean of the parts that are defined. A column that is constant in one table alone has a similarity of 0 in
column and statistical, one that is constant in both has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.associations import pearson, spearman
from understudy.engines.counting import Counts, total_variation
from understudy.engines.information import coupled_u, jensen_shannon
from understudy.engines.line import kolmogorov_smirnov, paired_quantiles
from understudy.measuring.comparison import Comparison
from understudy.measuring.composite import compose, one_sided_as_zero
from understudy.measuring.finding import Score
from understudy.measuring.grid import Grid
from understudy.measuring.measure import Level
from understudy.measuring.relations import Relations
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["Resemblance"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Resemblance(Comparison):
    """Mean of five similarities (paper 000); 1 is best. Times 100 it is on the paper's scale.

    bins         of the quantities, for js
    statistics   column: each quantity by itself; pooled: one correlation over all of them, in raw units
    categories   coupled: Theil's U of frequencies; cosine: of the two frequency vectors

    >>> from understudy.table.evidence import Evidence
    >>> import pyarrow as pa
    >>> real = pa.table({"a": [1.5, 2.5, 3.5, 4.5], "b": ["x", "x", "y", "y"]})
    >>> round(Resemblance()(Evidence(train=real, synthetic=real)).value, 6)
    1.0
    """

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    bins: int = check.integer(20, low=2, high=1_000)
    statistics: str = check.choice("column", "column", "pooled")
    categories: str = check.choice("coupled", "coupled", "cosine")

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compute the five parts."""
        counts = _counts(Grid.fit(real, self.bins), real, synthetic)
        return compose(
            {
                "column": np.array([self._alike(c, counts[c.name], real, synthetic) for c in real.domain]),
                "correlation": _correlation(real, synthetic),
                "statistical": self._statistical(real, synthetic),
                "js": np.array([1 - jensen_shannon(*pair) ** 0.5 for pair in counts.values()]),
                "ks": np.array([1 - _largest_gap(c, counts[c.name], real, synthetic) for c in real.domain]),
            }
        )

    def _alike(
        self, column: CodedColumn, counts: tuple[Counts, Counts], real: CodedTable, synthetic: CodedTable
    ) -> float:
        if column.quantity:
            return _sorted_correlation(real[column.name], synthetic[column.name])
        constant = [np.count_nonzero(each) == 1 for each in counts]
        if any(constant):
            return np.nan if all(constant) else 0.0
        return coupled_u(*counts) if self.categories == "coupled" else _cosine(*counts)

    def _statistical(self, real: CodedTable, synthetic: CodedTable) -> Floats:
        names = [column.name for column in real.quantities]
        if self.statistics == "column":
            return np.array([_five_alike(real[name], synthetic[name]) for name in names])
        one, other = (np.array([_five(table[name]) for name in names]).ravel() for table in (real, synthetic))
        return _clipped(spearman(np.column_stack([one, other]))[0, 1]) if names else np.empty(0)


def _counts(grid: Grid, real: CodedTable, synthetic: CodedTable) -> dict[str, tuple[Counts, Counts]]:
    one, other = grid.columns(real), grid.columns(synthetic)
    return {name: grid.counts(one[name], other[name], name) for name in one}


def _sorted_correlation(real: Floats, synthetic: Floats) -> float:
    constant = [_is_constant(values) for values in (real, synthetic)]
    if any(constant):
        return np.nan if all(constant) else 0.0
    return float(pearson(paired_quantiles(real, synthetic))[0, 1])


def _correlation(real: CodedTable, synthetic: CodedTable) -> Floats:
    one, other = one_sided_as_zero(Relations.of(real).all, Relations.of(synthetic).all)
    known = ~np.isnan(one)
    if known.sum() < 3:
        return np.array([np.nan])
    constant = [bool(np.ptp(each[known]) == 0) for each in (one, other)]
    if any(constant):
        return np.array([np.nan if all(constant) else 0.0])
    return _clipped(pearson(np.column_stack([one, other])[known])[0, 1])


def _five(values: Floats) -> Floats:
    """Return minimum, maximum, median, mean and deviation; NaN if there is no value."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return np.full(5, np.nan)
    return np.array([present.min(), present.max(), np.median(present), present.mean(), present.std()])


def _five_alike(real: Floats, synthetic: Floats) -> float:
    constant = [_is_constant(values) for values in (real, synthetic)]
    if any(constant):
        return np.nan if all(constant) else 0.0
    low, high = np.nanmin(real), np.nanmax(real)
    # In units of the real range, or the place of the deviation among the others would depend on the units;
    # rounded, for a symmetric column has its mean and its median at one place.
    five = [np.round(_five((values - low) / (high - low)), 9) for values in (real, synthetic)]
    return float(_clipped(spearman(np.column_stack(five))[0, 1])[0])


def _largest_gap(
    column: CodedColumn, counts: tuple[Counts, Counts], real: CodedTable, synthetic: CodedTable
) -> float:
    if column.quantity:
        return kolmogorov_smirnov(real[column.name], synthetic[column.name])
    return total_variation(*counts)


def _cosine(first: Counts, second: Counts) -> float:
    return float(first @ second / np.sqrt(float(first @ first) * float(second @ second)))


def _is_constant(values: Floats) -> bool:
    present = values[~np.isnan(values)]
    return len(present) == 0 or bool(present.min() == present.max())


def _clipped(value: float) -> Floats:
    return np.array([np.clip(value, 0.0, 1.0)])
