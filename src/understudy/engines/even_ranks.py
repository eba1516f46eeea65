"""Numbers moved, rank by rank, onto the normal law that they were learned in.

A network learns numbers as ranks that are read as normals, so each column of many drawn rows should be a
standard normal sample; it is one but for what the network got wrong. Putting the i-th smallest of n into the
i-th of n equal parts of the law mends the column and leaves all ranks, and so all relations, as they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = ["FEWEST", "even_ranks", "even_within"]

FEWEST = 500  # rows; of fewer, ranks say too little about where a number belongs


def even_ranks(numbers: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return columns of the same ranks, each a normal sample with one number in every n-th of the law.

    >>> column = np.array([[30.0], [10.0], [20.0]], dtype=np.float32)
    >>> found = even_ranks(column, np.random.default_rng(0))
    >>> bool(found[1] < -0.43 < found[2] < 0.44 < found[0])
    True
    """
    rows = len(numbers)
    place = numbers.argsort(axis=0, kind="stable").argsort(axis=0)
    return np.asarray(ndtri((place + rng.random(numbers.shape)) / rows), dtype=np.float32)


def even_within(
    numbers: npt.NDArray[np.float32],
    groups: npt.NDArray[np.int64],
    rng: np.random.Generator,
    scale: float,
) -> npt.NDArray[np.float32]:
    """Do the same to one column within each group: ranks stay, and each group becomes a normal sample.

    >>> found = even_within(
    ...     np.array([5, 9, -3], dtype=np.float32), np.array([0, 0, 1]), np.random.default_rng(0), 0.25
    ... )
    >>> bool(found[0] < 0 < found[1])
    True
    """
    order = np.lexsort((numbers, groups))
    counts = np.bincount(groups)
    starts = np.cumsum(counts) - counts
    held = groups[order]
    share = (np.arange(len(order)) - starts[held] + rng.random(len(order))) / counts[held]
    found = np.empty(len(order), dtype=np.float32)
    found[order] = scale * ndtri(share)
    return found
