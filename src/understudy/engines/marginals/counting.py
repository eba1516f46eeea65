"""Counting: contingency tables of any attributes straight from integer codes, in one pass each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, Sizes, cells, shape_of

__all__ = ["Codes", "count"]

Codes = Sequence[npt.NDArray[np.integer]]


def count(codes: Codes, of: Clique, sizes: Sizes) -> Floats:
    """Return how many rows lie in each cell; codes run from 0 to their size - 1.

    >>> count([np.array([0, 1, 1]), np.array([1, 0, 0])], (0, 1), (2, 2)).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    place = np.zeros(len(codes[0]), dtype=np.int64)
    for attribute in of:
        place *= sizes[attribute]
        place += codes[attribute]
    table = np.bincount(place, minlength=cells(of, sizes)).astype(np.float64)
    return table.reshape(shape_of(of, sizes))
