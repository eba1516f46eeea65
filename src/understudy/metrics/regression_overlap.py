"""Would a regression say the same? Overlap of the confidence intervals of its coefficients.

One model is fitted to both tables: the target from all other columns, by least squares for a quantity, by
logistic regression for levels (the most frequent level against all others). For each coefficient the overlap
of the two 95 % intervals, averaged relative to both lengths (Karr, Kohnen, Oganian, Reiter and Sanil 2006,
The American Statistician 60: section 3.2); 0 where they do not meet. The score is the mean over coefficients.
Two independent samples of one law overlap by 0.71 on average, not by 1: that is what the null shows.

Quantities are in deviations of the real rows, levels stand against the most frequent one, and levels rarer
than `rare` are one. A column of whose variance in the real table the columns before it (by name) explain 99 %
is left out of both models: Adult's years of schooling repeat its education, and one level that only the
repetition tells apart would take the estimates of all. Coefficients without an estimate in the real table
(separation; see engines/glm.py) are left out of the mean, and `coverage` is the share of those kept. One that
the real table has and the synthetic one has not (a column that became constant) overlaps by 0;
`not_estimable` is the share of these. Both models see the same number of rows, for intervals narrow with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.glm import Estimate, independent, least_squares, logistic
from understudy.measuring.canonical import canonical
from understudy.measuring.comparison import Comparison
from understudy.measuring.design import Design
from understudy.measuring.finding import Finding, Score
from understudy.measuring.task import target_of
from understudy.measuring.trials import one_thread
from understudy.missing import is_missing
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["RegressionOverlap"]

_TWIN = 0.01

Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@final
@dataclass(frozen=True)
class RegressionOverlap(Comparison):
    """Mean overlap of the coefficients' confidence intervals; 1 is a copy, 0.71 a fresh sample.

    target   the response; the evidence's own if empty
    rare     levels with a smaller share of the real rows are joined

    >>> import pyarrow as pa
    >>> real = pa.table({"x": [0.1, 0.9, 0.2, 0.8, 0.4, 0.6], "y": [1.0, 9.5, 2.5, 8.0, 4.2, 5.9]})
    >>> RegressionOverlap()(Evidence(train=real, synthetic=real)).value
    1.0
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"
    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    null_by: ClassVar[Literal["redraw", "split"]] = "split"

    rows: int = check.integer(20_000, low=100, high=1_000_000_000)
    target: str = check.text("")
    rare: float = check.number(0.01, low=0.0, high=0.5)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Settle the target, and compare."""
        column = target_of(evidence, self.target)
        with one_thread():
            found = Comparison.find(replace(self, target=column.name), evidence, rng)
        notes = list(found.notes)
        if not self.target and not evidence.chose_target:
            notes.append(f"target: the last column, {column.name!r}")
        if not column.quantity and column.known > 2:
            notes.append("the most frequent level of the target against all others")
        if math.isnan(found.score.value):
            notes.append("undefined: no coefficient can be estimated in the real table")
        return replace(found, notes=tuple(notes))

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare the coefficients of two tables."""
        name = self.target or real.domain[-1].name
        real, synthetic = (_known(table, name) for table in (real, synthetic))
        size = min(len(real), len(synthetic))
        if size < 2:
            return Score(math.nan, {"coverage": 0.0})
        if len(real) != len(synthetic):
            # Which rows are drawn must not hang on the order they came in.
            real, synthetic = (table.draw(size, rng) for table in canonical([real, synthetic]))
        design = Design.fit(real, name, self.rare)
        first, second = design.matrix(real), design.matrix(synthetic)
        kept = independent(first, _TWIN)
        fit = least_squares if real.column(name).quantity else logistic
        return _compared(
            fit(first[:, kept], design.response(real)), fit(second[:, kept], design.response(synthetic))
        )


def _known(table: CodedTable, name: str) -> CodedTable:
    return table.take(np.flatnonzero(~is_missing(table[name])))


def _compared(real: Estimate, synthetic: Estimate) -> Score:
    known, both = real.known, real.known & synthetic.known
    coverage = float(known.mean()) if len(known) else 0.0
    if not known.any():
        return Score(math.nan, {"coverage": coverage})
    # What synthetic rows cannot tell is not undefined: nothing of it overlaps.
    meeting, overlap = (np.where(both, each, 0.0)[known] for each in _overlaps(real, synthetic))
    one, other = real.coefficients[both], synthetic.coefficients[both]
    away = _in_errors(np.abs(one - other), real.errors[both])
    parts = {
        "overlapping": float(meeting.mean()),
        "same_sign": float((np.sign(one) == np.sign(other)).sum() / known.sum()),
        "standardised_difference": float(away.mean()) if len(away) else math.nan,
        "worst_difference": float(away.max()) if len(away) else math.nan,
        "coefficients": float(known.sum()),
        "not_estimable": float(1 - both.sum() / known.sum()),
        "coverage": coverage,
    }
    return Score(float(overlap.mean()), parts)


def _overlaps(
    real: Estimate, synthetic: Estimate
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.bool_]], Matrix]:
    """Return which intervals meet, and their overlap: the mean share of each that lies in the other."""
    common = np.minimum(real.high, synthetic.high) - np.maximum(real.low, synthetic.low)
    shares = [_share(common, each.high - each.low) for each in (real, synthetic)]
    return common >= 0, (shares[0] + shares[1]) / 2


def _share(common: Matrix, width: Matrix) -> Matrix:
    """Return common / width in [0, 1]; an interval that is a point lies in the other or it does not."""
    inside = (common >= 0).astype(np.float64)
    return np.where(width > 0, np.maximum(common, 0.0) / np.where(width > 0, width, 1.0), inside)


def _in_errors(gap: Matrix, errors: Matrix) -> Matrix:
    """Return differences in standard errors of the real estimate; 0 / 0 is none."""
    return np.where(gap > 0, gap / np.maximum(errors, np.finfo(np.float64).tiny), 0.0)
