"""Numbers moved, rank by rank, onto the normal law that they were learned in.

A network learns numbers as ranks that are read as normals, so each column of many drawn rows should be a
standard normal sample; it is one but for what the network got wrong. Putting the i-th smallest of n into the
i-th of n equal parts of the law mends the column and leaves all ranks, and so all relations, as they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = ["FEWEST", "even_ranks"]

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
