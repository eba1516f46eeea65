"""Are train and holdout rows of one law? Attacks that compare them mean nothing if they are not.

Every column by itself: Kolmogorov and Smirnov's test of quantities, Pearson's of levels and of how often a
cell is missing, at a level that is divided by the number of tests. And all together, for columns may be alike
and go together otherwise: what boosted trees learned on one half of the rows must not tell the tables apart
on the other half. Either calls at most about one pair of halves in a thousand unlike.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2_contingency, ks_2samp, mannwhitneyu

from understudy.rng import stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["unlike_columns"]

LEVEL = 0.001
_FEWEST = 5  # rows that a level must lead to expect of the smaller table; rarer ones are put together
_FEWEST_ROWS = 50
_ROWS = 4_000  # of each table, for the classifier
WHOLE = "rows as a whole"


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
    columns = sorted(below, key=lambda name: below[name])
    return columns or ([WHOLE] if _told_apart(train, holdout) else [])


def _told_apart(train: CodedTable, holdout: CodedTable) -> bool:
    """Say whether a classifier that learned on one half tells the tables apart on the other."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    draws = stream(0, "alike")
    tables = [table.draw(_ROWS, draws) for table in (train, holdout)]
    if min(len(table) for table in tables) < _FEWEST_ROWS:
        return False
    rows = np.concatenate([np.column_stack([t[c.name] for c in t.domain]).astype(np.float64) for t in tables])
    labels = np.repeat([1, 0], [len(table) for table in tables])
    order = draws.permutation(len(rows))
    first, second = order[::2], order[1::2]
    with threadpool_limits(1):
        trees = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(rows[first], labels[first])
        scores = trees.predict_proba(rows[second])[:, 1]
    members = labels[second] == 1
    return float(mannwhitneyu(scores[members], scores[~members], alternative="greater").pvalue) < LEVEL


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
    rare = counts.sum(0) * min(len(one), len(other)) < _FEWEST * (len(one) + len(other))
    table = np.column_stack([counts[:, ~rare], counts[:, rare].sum(1)]) if rare.any() else counts
    table = table[:, table.sum(0) > 0]
    return float(chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0
