"""What a whole synthetic set looks like, as a row of numbers: for attacks that tell sets apart.

Every number belongs to one column, or one pair or level of columns, and stands at the same place for each
set. Quantities are told in the range of the records; what lies outside of it counts to the bin at its end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.measuring.encoder import Matrix
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["correlations", "histograms", "moments"]


def moments(matrix: Matrix) -> Matrix:
    """Return mean, median and variance of each column of an encoded set.

    >>> moments(np.array([[0.0], [0.0], [3.0]])).tolist()
    [1.0, 0.0, 2.0]
    """
    return np.concatenate([matrix.mean(axis=0), np.median(matrix, axis=0), matrix.var(axis=0)])


def histograms(table: CodedTable, bins: int) -> Matrix:
    """Return for each column the share of rows in every bin or level, and behind them that of missing cells.

    >>> column = CodedColumn("x", quantity=True, low=0.0, high=3.0)
    >>> held = CodedTable((column,), {"x": np.array([0.5, 0.6, 1.5, 2.5, 2.6, 99.0])})
    >>> (6 * histograms(held, 3)).tolist()
    [2.0, 1.0, 3.0, 0.0]
    """
    return np.concatenate([_shares(column, table[column.name], bins) for column in table.domain])


def correlations(matrix: Matrix) -> Matrix:
    """Return the correlation of every two columns of an encoded set; 0 where one of them is constant.

    >>> correlations(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 5.0]])).round(9).tolist()
    [-1.0, 0.0, 0.0]
    """
    centred = matrix - matrix.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    # The mean of equal floats may miss them by a bit.
    varies = spread > 1e-9 * (1 + np.abs(matrix).max(axis=0, initial=0.0))
    scaled = np.where(varies, centred / np.where(varies, spread, 1.0), 0.0)
    return np.asarray((scaled.T @ scaled)[np.triu_indices(matrix.shape[1], k=1)])


def _shares(column: CodedColumn, values: npt.NDArray[np.generic], bins: int) -> Matrix:
    size = bins if column.quantity else column.levels
    places = _bins(column, values, bins) if column.quantity else values.astype(np.int64)
    missing = places < 0
    counts = np.bincount(np.where(missing, size, places), minlength=size + 1)
    return np.asarray(counts / max(1, len(values)))


def _bins(column: CodedColumn, values: npt.NDArray[np.generic], bins: int) -> npt.NDArray[np.int64]:
    numbers = values.astype(np.float64)
    low = column.low if np.isfinite(column.low) else 0.0
    steps = np.clip(np.floor((numbers - low) / column.span * bins), 0, bins - 1)
    return np.where(np.isnan(numbers), -1, np.nan_to_num(steps)).astype(np.int64)
