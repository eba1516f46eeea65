"""Associations of quantities: with each other (Pearson, Spearman) and with levels (correlation ratio).

All pairs at once by matrix products. A missing entry leaves out its row for the pairs of its column and for
no other; it never becomes a number (dython's default is 0.0). What is undefined, because a column is constant
or has fewer than two rows, is NaN: the caller decides what that means.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import rankdata

from understudy.engines.counting import Cells

__all__ = ["correlation_ratio", "pearson", "spearman"]

Floats = npt.NDArray[np.float64]

_FLAT = 1e-13  # variance of a column scaled to [0, 1], below which it is constant but for rounding


def pearson(matrix: Floats) -> Floats:
    """Return Pearson's correlation of every two columns over the rows that have both: (columns, columns).

    >>> pearson(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [np.nan, 0.0]]))[0, 1].round(12)
    np.float64(1.0)
    """
    there = ~np.isnan(matrix)
    z, w = _centred(matrix, there), there.astype(np.float64)  # (rows, columns), 0 where missing
    n, sums, squares = w.T @ w, z.T @ w, (z * z).T @ w  # [i, j]: of column i where column j is there too
    count = np.maximum(n, 1)
    spread = squares - sums * sums / count
    # Rounding leaves a trace of the square mean in a column that is constant where its partner is there.
    flat = spread <= count * (_FLAT + 1e-14 * squares / count)
    known = (n >= 2) & ~flat & ~flat.T
    scale = np.sqrt(np.where(known, spread * spread.T, 1.0))
    return np.where(known, np.clip((z.T @ z - sums * sums.T / count) / scale, -1.0, 1.0), np.nan)


def spearman(matrix: Floats) -> Floats:
    """Return Spearman's correlation of every two columns: Pearson's of ranks among the rows that have both.

    >>> spearman(np.array([[1.0, 1.0], [2.0, 8.0], [3.0, 27.0]]))[0, 1].round(12)
    np.float64(1.0)
    """
    if not np.isnan(matrix).any():
        return pearson(rankdata(matrix, axis=0))
    size = matrix.shape[1]
    found = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i, size):
            both = matrix[:, [i, j]]
            both = both[~np.isnan(both).any(axis=1)]
            if len(both):
                found[i, j] = found[j, i] = pearson(rankdata(both, axis=0))[0, 1]
    return found


def correlation_ratio(columns: Sequence[Cells], widths: Sequence[int], matrix: Floats) -> Floats:
    """Return eta of each column of levels with each quantity: sqrt(between / total sum of squares).

    NaN where the quantity is constant, or where all rows that have it are of one level.

    >>> levels, values = np.array([0, 0, 1, 1]), np.array([[1.0], [3.0], [5.0], [7.0]])
    >>> correlation_ratio([levels], [2], values).round(6).tolist()
    [[0.894427]]
    """
    if not columns:
        return np.empty((0, matrix.shape[1]))
    there = ~np.isnan(matrix)
    z, w = _centred(matrix, there), there.astype(np.float64)
    starts, marks = np.cumsum([0, *widths[:-1]]), _one_hot(columns, widths)
    counts, sums = marks.T @ w, marks.T @ z  # (levels of all columns, quantities)
    between = np.add.reduceat(sums * sums / np.maximum(counts, 1), starts, axis=0)
    groups = np.add.reduceat((counts > 0).astype(np.int64), starts, axis=0)
    total = (z * z).sum(axis=0)  # about the mean, for the columns are centred
    known = (total > _FLAT * np.maximum(w.sum(axis=0), 1)) & (groups > 1)
    share = between / np.where(total > 0, total, 1.0)
    return np.where(known, np.sqrt(np.clip(share, 0.0, 1.0)), np.nan)


def _one_hot(columns: Sequence[Cells], widths: Sequence[int]) -> sparse.csr_matrix:
    """Return (rows, levels of all columns) with a 1 for each cell: one product then sums by every level."""
    starts = np.cumsum([0, *widths[:-1]])
    places = np.column_stack(columns) + starts  # (rows, columns)
    ends = np.arange(0, places.size + 1, len(widths))
    shape = (len(places), int(sum(widths)))
    return sparse.csr_matrix((np.ones(places.size), places.ravel(), ends), shape=shape)


def _centred(matrix: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """Return columns brought to [0, 1] by their range, less their mean; 0 where missing or constant."""
    low, high = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    scaled = (matrix - low) / np.where(high > low, high - low, 1.0)
    scaled[~there] = 0.0
    scaled -= scaled.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    scaled[~there] = 0.0
    return np.asarray(scaled)
