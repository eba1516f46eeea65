"""Kernel estimator: a record where synthetic rows are dense was learned from (TAPAS; paper 000).

The score is the logarithm of a Gaussian kernel density of the synthetic rows at the record. Levels are
one-hot and quantities standardised, so that one width suits all columns; the logarithm does not underflow.

The kernels are narrow: a record that was copied is then told from one in a dense place. Of a table that is
cut, the nearest of all rows counts as if it had been drawn: else most copies would go unseen. Of one to three
quantities rows lie as close as copies do, and copies are not told.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from understudy import check
from understudy.engines.density import KernelDensity
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["KernelEstimator"]


@final
@dataclass(frozen=True)
class KernelEstimator(Membership):
    """How dense the synthetic rows are at a record, by Gaussian kernels of one width.

    bandwidth   of the kernels, in deviations of a quantity; two levels are the square root of 2 apart
    rows        synthetic rows that are looked at, if there are more, beside the nearest to each record
    """

    bandwidth: float = check.number(0.1, low=1e-3, high=1e3)
    rows: int = check.integer(4_000, low=1, high=1_000_000)

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the logarithm of the density."""
        view = look(evidence, self.sees)
        table = view.table("synthetic")
        density = KernelDensity.fixed(view.matrix(table.draw(self.rows, rng)), self.bandwidth)
        found = density.log_density(view.matrix(view.of(targets)))
        if len(table) <= self.rows:
            return found
        apart = view.nearest(targets, "synthetic").distances[:, 0] / self.bandwidth
        return np.maximum(found, density.log_peak - apart**2 / 2 - math.log(self.rows))
