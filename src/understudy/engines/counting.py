"""Counting cells: of one column, of two columns, and of the same columns in two tables.

A cell is a whole number from 0; which one stands for a missing entry is the caller's matter. Two columns make
one: `first * width + second`. So every table of two columns is one `bincount`, and where there would be far
more cells than rows (two columns of many levels) only the cells that occur are counted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Cells", "Counts", "aligned_counts", "count_cells", "join_cells", "total_variation"]

Cells = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]

_DENSE = 1 << 16  # cells that are cheaper to keep, even if empty, than to sort for


def join_cells(first: Cells, second: Cells, width: int) -> Cells:
    """Return the cells of two columns, the second of which has `width` of them.

    >>> join_cells(np.array([0, 1, 1]), np.array([2, 0, 2]), 3).tolist()
    [2, 3, 5]
    """
    return first * np.int64(width) + second


def count_cells(cells: Cells, width: int) -> Counts:
    """Return how often cells occur: of all `width` cells, or of those that occur if they are few.

    >>> count_cells(np.array([2, 0, 2]), 3).tolist()
    [1, 0, 2]
    """
    if width <= max(_DENSE, 4 * len(cells)):
        return np.bincount(cells, minlength=width)
    return np.unique(cells, return_counts=True)[1]


def aligned_counts(first: Cells, second: Cells, width: int) -> tuple[Counts, Counts]:
    """Return how often the cells of two tables occur, place for place the same cell.

    >>> [counts.tolist() for counts in aligned_counts(np.array([0, 0]), np.array([1]), 2)]
    [[2, 0], [0, 1]]
    """
    if width <= max(_DENSE, 4 * (len(first) + len(second))):
        return np.bincount(first, minlength=width), np.bincount(second, minlength=width)
    met, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = places[: len(first)], places[len(first) :]
    return np.bincount(one, minlength=len(met)), np.bincount(other, minlength=len(met))


def total_variation(first: Counts, second: Counts) -> float:
    """Return half the sum of the differences of frequencies, in [0, 1]; it does not see the cells' order.

    >>> total_variation(np.array([2, 2]), np.array([1, 3]))
    0.25
    """
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)
