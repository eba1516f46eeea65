"""The power of two that a number lies in: a coarse, public ladder on which private bounds are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CELLS", "edges_of", "magnitude"]

SMALLEST, LARGEST = -31, 62  # exponents; below 2^-31 counts as nought, above 2^62 as 2^62
_STEPS = LARGEST - SMALLEST + 1
CELLS = 2 * _STEPS + 1


def magnitude(values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return the cell of each number, in increasing order: negative powers, nought, positive powers.

    A power of two lies in the cell below it, its outer end: rates and scores often end at exactly 1.

    >>> [int(cell) - _STEPS for cell in magnitude(np.array([-3.0, 0.0, 0.75, 1.0, 5.0]))]
    [-33, 0, 31, 31, 34]
    """
    # Boundless and missing numbers have cells too: what is refused for its value would tell it.
    numbers = np.nan_to_num(values.astype(np.float64))
    part, above = np.frexp(numbers)
    exponent = np.clip(above - 1 - (np.abs(part) == 0.5), SMALLEST - 1, LARGEST)
    return np.asarray(_STEPS + np.sign(numbers) * (exponent - SMALLEST + 1), dtype=np.int32)


def edges_of(cell: int) -> tuple[float, float]:
    """Return the least and the largest number of a cell.

    >>> edges_of(_STEPS), edges_of(_STEPS + 34)
    ((0.0, 0.0), (4.0, 8.0))
    """
    rung = cell - _STEPS
    if rung == 0:
        return 0.0, 0.0
    low = 2.0 ** (abs(rung) - 1 + SMALLEST)
    return (low, 2 * low) if rung > 0 else (-2 * low, -low)
