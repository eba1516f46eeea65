"""Associations of quantities: with each other (Pearson, Spearman) and with levels (correlation ratio).

All pairs at once by matrix products. A missing entry leaves out its row for the pairs of its column and for
no other; it never becomes a number (dython's default is 0.0). What is undefined, because a column is constant
or has fewer than two rows, is NaN: the caller decides what that means.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
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


def correlation_ratio(cells: Cells, matrix: Floats, width: int) -> Floats:
    """Return eta of one column of levels with each quantity: sqrt(between / total sum of squares).

    NaN where the quantity is constant, or where all rows that have it are of one level.

    >>> eta = correlation_ratio(np.array([0, 0, 1, 1]), np.array([[1.0], [3.0], [5.0], [7.0]]), 2)
    >>> eta.round(6).tolist()
    [0.894427]
    """
    there, size = ~np.isnan(matrix), matrix.shape[1]
    z, w = _centred(matrix, there), there.astype(np.float64)
    keys = (cells[:, None] * size + np.arange(size)).ravel()
    counts = np.bincount(keys, w.ravel(), width * size).reshape(width, size)
    sums = np.bincount(keys, z.ravel(), width * size).reshape(width, size)
    # The columns are centred: the sum of squares about 0 is the total one.
    between, total = (sums * sums / np.maximum(counts, 1)).sum(axis=0), (z * z).sum(axis=0)
    known = (total > _FLAT * np.maximum(counts.sum(axis=0), 1)) & ((counts > 0).sum(axis=0) > 1)
    share = np.where(known, between / np.where(known, total, 1.0), 0.0)
    return np.where(known, np.sqrt(np.clip(share, 0.0, 1.0)), np.nan)


def _centred(matrix: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """Return columns brought to [0, 1] by their range, less their mean; 0 where missing or constant."""
    low = np.where(there, matrix, np.inf).min(axis=0, initial=np.inf)
    high = np.where(there, matrix, -np.inf).max(axis=0, initial=-np.inf)
    width = np.where(high > low, high - low, 1.0)
    base = np.where(np.isfinite(low), low, 0.0)
    scaled = np.where(there, (np.where(there, matrix, base) - base) / width, 0.0)
    mean = scaled.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.where(there, scaled - mean, 0.0)
