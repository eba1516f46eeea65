"""pMSE: how well a logistic regression tells synthetic rows from real ones (Snoke et al. 2018).

The mean of (p - c)^2 over the rows of both tables, where p is the fitted probability of being synthetic and c
the share of synthetic rows. It is fitted in sample: for this its law under the null is known. With k
parameters, intercept included, and N rows it is a multiple of a chi-squared variable of k - 1 degrees:

    (1 - c)^2 c / N   if the synthetic rows come from a correct model fitted to these very real rows
                      (Snoke et al.: mean (k - 1)(1 - c)^2 c / N): `expected`, `ratio`, `z`
    c (1 - c) / N     if they are a fresh sample of the law that the real rows came from:
                      `expected_fresh`, `ratio_fresh`, `z_fresh`; twice as much at c = 1/2

A ratio of 1 is best, z counts deviations above the mean. The null of the result is measured, on two tables
of real rows, and so should be near `expected_fresh`. Features are the encoded columns (levels one-hot,
quantities standardised, marks for missing cells); k counts those that the others do not explain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy import linalg, special

from understudy import check
from understudy.engines.glm import independent
from understudy.measuring.comparison import Comparison
from understudy.measuring.encoder import Encoder, Matrix
from understudy.measuring.finding import Score
from understudy.measuring.measure import Level
from understudy.table.coded import CodedTable

__all__ = ["PMSE", "pmse"]

_STEPS = 40
_RIDGE = 1e-6  # per row; keeps the steps finite where a level tells the tables apart


@final
@dataclass(frozen=True)
class PMSE(Comparison):
    """Mean squared deviation of propensity scores; 0 is best, `ratio` and `z` compare with chance."""

    level: ClassVar[Level] = "standard"
    bounds: ClassVar[tuple[float, float]] = (0.0, 0.25)

    rows: int = check.integer(10_000, low=100, high=1_000_000)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Fit the propensities of all rows and compare them with the share of synthetic ones."""
        encoder = Encoder.fit(real)
        design = np.concatenate([encoder.matrix(real), encoder.matrix(synthetic)])
        labels = np.repeat([0.0, 1.0], [len(real), len(synthetic)])
        design = design[:, independent(design)]
        share, terms = float(labels.mean()), design.shape[1]
        value = pmse(_propensities(design, labels), share)
        unit = share * (1 - share) / len(labels)
        parts = {"parameters": terms + 1.0}
        parts |= _against(value, terms, unit * (1 - share), len(labels), "")
        parts |= _against(value, terms, unit, len(labels), "_fresh")
        parts["coverage"] = float(np.mean([not np.isnan(part) for part in parts.values()]))
        return Score(value, parts)


def pmse(propensities: Matrix, share: float) -> float:
    """Return the mean squared deviation of propensities from the share of synthetic rows.

    >>> round(pmse(np.array([0.9, 0.6, 0.4, 0.1]), 0.5), 9)
    0.085
    """
    return float(np.mean((propensities - share) ** 2))


def _against(value: float, terms: int, unit: float, rows: int, name: str) -> dict[str, float]:
    """Compare with a multiple of a chi-squared variable; NaN where no row or no column is left for chance."""
    expected, deviation = terms * unit, np.sqrt(2 * terms) * unit
    known = 0 < terms < rows - 1
    ratio, z = (value / expected, (value - expected) / deviation) if known else (np.nan, np.nan)
    return {f"expected{name}": expected, f"ratio{name}": ratio, f"z{name}": float(z)}


def _propensities(design: Matrix, labels: Matrix) -> Matrix:
    """Return the fitted probabilities of a logistic regression with intercept, by Newton's method."""
    terms = np.column_stack([np.ones(len(design)), design])
    ridge = np.diag([0.0, *np.full(design.shape[1], _RIDGE * len(design))])
    weights = np.zeros(terms.shape[1])
    found = np.full(len(labels), labels.mean())
    weights[0] = special.logit(labels.mean())
    for _ in range(_STEPS):
        slope = terms.T @ (labels - found) - ridge @ weights
        curve = (terms * (found * (1 - found))[:, None]).T @ terms + ridge
        weights = weights + _short(linalg.solve(curve, slope, assume_a="pos"), terms)
        before, found = found, special.expit(terms @ weights)
        if np.abs(found - before).max() < 1e-9:
            break
    return found


def _short(step: Matrix, terms: Matrix) -> Matrix:
    """Return the step, cut so that no row's log-odds move by more than 5: Newton overshoots otherwise."""
    reach = np.abs(terms @ step).max()
    return step * min(1.0, 5.0 / reach) if reach > 0 else step
