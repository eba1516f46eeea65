"""Numbers moved, rank by rank, onto the normal law that they were learned in.

A network learns numbers as ranks that are read as normals, so each column of many drawn rows should be a
standard normal sample; it is one but for what the network got wrong. Putting the i-th smallest of n into the
i-th of n equal parts of the law mends the column and leaves all ranks, and so all relations, as they are.

Where numbers are distances from the modes of a mixture, those of a mode are seldom normal: a mode may be one
value that most rows share. So each mode has a law of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = ["FEWEST", "Law", "even_ranks", "even_within", "places_among"]

Law = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

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
    laws: Mapping[int, Law],
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    """Do the same to one column within each group, by the group's own law: what it has at each rank.

    A group without a law stays as it is.

    >>> tens = {0: lambda ranks: np.floor(10 * ranks)}
    >>> numbers, groups = np.array([5, 9, -3], dtype=np.float32), np.array([0, 0, 1])
    >>> found = even_within(numbers, groups, tens, np.random.default_rng(0))
    >>> bool(found[0] < 5 <= found[1]), float(found[2])
    (True, -3.0)
    """
    order = np.lexsort((numbers, groups))
    counts = np.bincount(groups)
    found, ends = numbers.copy(), np.cumsum(counts)
    for group, law in laws.items():
        if group < len(counts) and counts[group]:
            own, count = order[ends[group] - counts[group] : ends[group]], counts[group]
            found[own] = law((np.arange(count) + rng.random(count)) / count)
    return found


def places_among(
    numbers: npt.NDArray[np.float32], others: npt.NDArray[np.float32], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return where numbers stand among others, from 0 to 1: rows of a kind keep the places of their kind.

    >>> places = places_among(np.array([15.0]), np.array([10.0, 20.0, 30.0]), np.random.default_rng(0))
    >>> bool(0.25 < places[0] < 0.5)
    True
    """
    order = np.sort(others)
    first, last = (np.searchsorted(order, numbers, side) for side in ("left", "right"))
    return np.asarray((first + rng.random(len(numbers)) * (last - first + 1)) / (len(order) + 1))
