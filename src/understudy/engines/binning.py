"""Shared bins: edges from one column, applied to any. The outer bins reach to infinity.

Bins that each table cuts for itself make a column that was shifted by 100 look the same as before.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["bin_cells", "quantile_edges", "width_edges"]

Floats = npt.NDArray[np.float64]


def quantile_edges(values: Floats, bins: int) -> Floats:
    """Return inner edges at the quantiles of the values that are there; each is itself a value.

    A value that holds a whole bin's share of the rows gets a bin of its own, so that 0 for nine rows in ten
    is told from everything below it. An increasing map of the values moves the edges along: units do not
    matter.

    >>> quantile_edges(np.array([1.0, 2.0, 3.0, 4.0, np.nan]), 2).tolist()
    [2.0]
    """
    present = np.sort(values[~np.isnan(values)])
    if len(present) == 0:
        return np.empty(0)
    places = np.ceil(len(present) * np.arange(1, bins) / bins).astype(np.int64) - 1
    marks = np.concatenate([present[:1], present[places], present[-1:]])
    heavy = marks[1:][marks[1:] == marks[:-1]]
    return np.unique(np.concatenate([marks[1:-1], _below(heavy), heavy]))


def width_edges(values: Floats, bins: int) -> Floats:
    """Return inner edges of bins of equal width over the values that are there.

    >>> width_edges(np.array([0.0, 10.0]), 5).tolist()
    [2.0, 4.0, 6.0, 8.0]
    """
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return np.empty(0)
    low, high = present.min(keepdims=True), present.max(keepdims=True)
    if low == high:
        return np.concatenate([_below(low), low])
    # Both ends weighted, for their difference may be too large for a float.
    shares = np.arange(1, bins) / bins
    return np.asarray(low * (1 - shares) + high * shares)


def bin_cells(values: Floats, edges: Floats) -> npt.NDArray[np.int64]:
    """Return 0 for missing, then 1 + how many edges lie below a value: up to len(edges) + 1.

    >>> bin_cells(np.array([np.nan, -5.0, 2.0, 99.0]), np.array([2.0, 4.0])).tolist()
    [0, 1, 1, 3]
    """
    found = np.searchsorted(edges, values, side="left").astype(np.int64) + 1
    found[np.isnan(values)] = 0
    return found


def _below(values: Floats) -> Floats:
    """Return the largest floats that are smaller."""
    return np.asarray(np.nextafter(values, -np.inf))
