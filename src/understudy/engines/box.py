"""Quantities between known ends, moved into [-1, 1] and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing

__all__ = ["Box"]

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class Box:
    """Quantities by name, and the two ends of each; whole ends mean that it is counted in whole steps.

    >>> box = Box(("age",), ((0, 100),))
    >>> box.inside({"age": np.array([0, 50, 200])}).ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> box.outside(np.array([[0.5]]))["age"].tolist()
    [75]
    """

    names: tuple[str, ...]
    ends: tuple[tuple[float, float], ...]

    def inside(self, columns: Mapping[str, npt.NDArray[Any]]) -> Floats:
        """Return (rows, d) numbers in [-1, 1]: what lies beyond an end counts as the end, missing as 0.

        Each row by itself, so neighbouring tables stay neighbouring.
        """
        rows = len(columns[self.names[0]]) if self.names else 0
        found = np.zeros((rows, len(self.names)))
        for place, (name, ends) in enumerate(zip(self.names, self.ends, strict=True)):
            middle, half = _scale(ends)
            present = ~is_missing(columns[name])
            # Clipped before and after: a value far outside must not overflow, nor rounding leave the box.
            clipped = np.clip(columns[name][present], *ends).astype(np.float64)
            found[present, place] = np.clip((clipped - middle) / half, -1.0, 1.0)
        return found

    def outside(self, numbers: Floats) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that (rows, d) numbers stand for, between their ends."""
        pairs = zip(self.names, self.ends, strict=True)
        return {name: _column(ends, numbers[:, place]) for place, (name, ends) in enumerate(pairs)}


def _scale(ends: tuple[float, float]) -> tuple[float, float]:
    # Halves first: the ends of a float column may be so far apart that their difference overflows.
    low, high = ends[0] / 2, ends[1] / 2
    return low + high, (high - low) or 1.0


def _column(ends: tuple[float, float], numbers: Floats) -> npt.NDArray[Any]:
    middle, half = _scale(ends)
    values = middle + half * np.clip(numbers, -1, 1)
    if isinstance(ends[0], int):
        # Clipped last: beyond 2^53 a float64 is a few steps off, and may lie past an end.
        return np.clip(np.rint(values).astype(np.int64), ends[0], ends[1])
    return np.asarray(np.clip(values, ends[0], ends[1]))
