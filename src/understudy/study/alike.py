"""Are train and holdout rows of one law? Attacks that compare them mean nothing if they are not.

Every column by itself: Kolmogorov and Smirnov's test of quantities, Pearson's of levels, and of how often a
cell is missing. The level is divided by the number of tests: of two halves of one table at most one pair in
a thousand is called unlike.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2_contingency, ks_2samp

from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["unlike_columns"]

LEVEL = 0.001
_FEWEST = 5  # rows of a level; rarer ones are put together


def unlike_columns(evidence: Evidence) -> list[str]:
    """Return the columns by which train and holdout differ, the most certain first; none without a holdout.

    >>> import pyarrow as pa
    >>> one, other = pa.table({"x": list(range(100))}), pa.table({"x": list(range(500, 600))})
    >>> unlike_columns(Evidence(train=one, holdout=other, synthetic=one))
    ['x']
    """
    if not evidence.has("holdout"):
        return []
    train, holdout = evidence.coded("train"), evidence.coded("holdout")
    found = {column.name: _p_value(column.name, train, holdout) for column in train.domain}
    below = {name: p for name, p in found.items() if p < LEVEL / max(1, 2 * len(found))}
    return sorted(below, key=lambda name: below[name])


def _p_value(name: str, train: CodedTable, holdout: CodedTable) -> float:
    """Return the smaller p-value of the two tests of a column."""
    one, other = train[name], holdout[name]
    if not train.column(name).quantity:
        return _of_levels(one, other)
    there = [values[~np.isnan(values)] for values in (one, other)]
    gaps = _of_levels(np.isnan(one).astype(np.int64), np.isnan(other).astype(np.int64))
    if not len(there[0]) or not len(there[1]):
        return gaps
    with warnings.catch_warnings():
        # With many ties the exact law is not known, and the asymptotic one is close enough.
        warnings.simplefilter("ignore", RuntimeWarning)
        return min(gaps, float(ks_2samp(there[0], there[1], method="asymp").pvalue))


def _of_levels(one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]) -> float:
    levels, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    counts = np.stack(
        [np.bincount(part, minlength=len(levels)) for part in (places[: len(one)], places[len(one) :])]
    )
    rare = counts.sum(0) < 2 * _FEWEST
    table = np.column_stack([counts[:, ~rare], counts[:, rare].sum(1)]) if rare.any() else counts
    table = table[:, table.sum(0) > 0]
    return float(chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0
