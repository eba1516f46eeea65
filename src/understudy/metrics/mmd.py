"""Maximum mean discrepancy: how far two laws are apart for a Gaussian kernel (paper 001, sec. 5.2).

With k(x, y) = exp(-gamma |x - y|^2) on encoded rows (levels one-hot, quantities standardised; all fitted on
the real rows), the square of the discrepancy is estimated as by Gretton et al. (2012):

    unbiased   mean of k(x, x') + mean of k(y, y') - 2 mean of k(x, y), no row paired with itself
    biased     the same with every row paired with itself too, which is never below 0

The unbiased one is the value. Its mean is 0 for two samples of one law, so it may fall below 0; it does for
a copy, which is nearer than any two samples are. gamma is 1 over the median squared distance of two real rows
(Garreau et al. 2017). A fixed gamma on unscaled columns, as in public code, tends to 1/n + 1/m whatever the
tables hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.measuring.canonical import canonical
from understudy.measuring.comparison import Comparison
from understudy.measuring.encoder import Encoder, Matrix
from understudy.measuring.finding import Finding, Score
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["MMD", "discrepancies"]

_BLOCK = 1024
_FOR_MEDIAN = 1_000


@final
@dataclass(frozen=True)
class MMD(Comparison):
    """The squared maximum mean discrepancy, unbiased; 0 is what two real tables have.

    gamma   of the kernel; 0 takes 1 / median squared distance of up to 1,000 real rows

    The unbiased statistic of a table of a single row is undefined; the part `biased` is still given.

    >>> import pyarrow as pa
    >>> from understudy.table.schema import Column, Schema
    >>> number = Schema(columns=(Column(name="x", kind="numerical", type="double"),))
    >>> zero, one = pa.table({"x": [0.0]}), pa.table({"x": [1.0]})
    >>> points = Evidence(train=zero, synthetic=one, schema=number)
    >>> round(MMD(gamma=1.0)(points).parts["biased"], 6)
    1.264241
    """

    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    rows: int = check.integer(3_000, low=100, high=1_000_000)
    gamma: float = check.number(0.0, low=0.0, high=1e12)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Compare, and say why where there is no value."""
        found = Comparison.find(self, evidence, rng)
        if not math.isnan(found.score.value):
            return found
        return replace(found, notes=("undefined: a table has fewer than 2 rows", *found.notes))

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Estimate both statistics in the terms of the real rows."""
        encoder = Encoder.fit(real)
        gamma = self.gamma or _by_median(encoder.matrix(canonical([real])[0].draw(_FOR_MEDIAN, rng)))
        unbiased, biased = discrepancies(encoder.matrix(real), encoder.matrix(synthetic), gamma)
        return Score(unbiased, {"biased": biased, "gamma": gamma})


def discrepancies(first: Matrix, second: Matrix, gamma: float) -> tuple[float, float]:
    """Return the unbiased and the biased square of the discrepancy (Gretton et al. 2012, eq. 3 and 5).

    >>> unbiased, biased = discrepancies(np.array([[0.0]]), np.array([[1.0]]), 1.0)
    >>> round(biased, 6), bool(np.isnan(unbiased))
    (1.264241, True)
    """
    n, m = len(first), len(second)
    within, without = _kernel_sum(first, first, gamma), _kernel_sum(second, second, gamma)
    across = 2 * _kernel_sum(first, second, gamma) / (n * m)
    biased = within / n**2 + without / m**2 - across
    if min(n, m) < 2:
        return float("nan"), biased
    return (within - n) / (n * (n - 1)) + (without - m) / (m * (m - 1)) - across, biased


def _kernel_sum(first: Matrix, second: Matrix, gamma: float) -> float:
    """Sum the kernel over all pairs, a block of rows at a time."""
    return float(
        sum(
            np.exp(-gamma * _squares(first[start : start + _BLOCK], second)).sum()
            for start in range(0, len(first), _BLOCK)
        )
    )


def _squares(first: Matrix, second: Matrix) -> Matrix:
    """Return the squared distances of all pairs: (first, second)."""
    sizes = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)
    return np.asarray(np.maximum(sizes - 2 * first @ second.T, 0.0))


def _by_median(rows: Matrix) -> float:
    if len(rows) < 2:
        return 1.0  # one row has no distance to another
    squares = _squares(rows, rows)[np.triu_indices(len(rows), 1)]
    # Where most rows are equal the median says nothing; where all are, any kernel does.
    scale = float(np.median(squares)) or float(squares.mean()) or 1.0
    return 1.0 / scale
