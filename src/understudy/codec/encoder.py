"""The two things that every encoder is, one way or the other.

A `NumberEncoder` writes a quantity as a real number, perhaps with a one-hot beside it. A
`CodeEncoder` turns a column into whole numbers 0, 1, ..., which are then written as a one-hot
or as they are. Encoding is row-wise: what is learned is fixed before, so a row's coordinates
never depend on the other rows that are encoded with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.codec.layout import Part

__all__ = ["CodeEncoder", "NumberEncoder", "Rng", "filled"]

Rng = np.random.Generator


class NumberEncoder(ABC):
    """A quantity as coordinates of order 1. Missing entries get coordinates too; a flag tells them apart."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """What is written, in order."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The type of the column's array: steps or floats."""

    @abstractmethod
    def encode(self, values: npt.NDArray[Any], rng: Rng | None) -> npt.NDArray[Any]:
        """Return the coordinates, shape (rows, width).

        With an rng, whatever the value leaves open is drawn: a place within a tie, one of several
        likely modes, the filled-in coordinates of a missing entry. Without one, the middle is taken.
        """

    @abstractmethod
    def decode(self, block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the steps or floats of coordinates, shape (rows,)."""


class CodeEncoder(ABC):
    """A column as codes 0 .. count - 1; when it can be missing, the last code stands for that."""

    can_be_missing: bool

    @property
    @abstractmethod
    def count(self) -> int:
        """How many codes there are, the one for missing included."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The type of the column's array: codes, steps or floats."""

    @abstractmethod
    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the code of each entry."""

    @abstractmethod
    def decode(self, codes: npt.NDArray[np.int64], rng: Rng) -> npt.NDArray[Any]:
        """Return an entry for each code, drawn when a code stands for several."""


def filled(
    numbers: npt.NDArray[np.float64], gone: npt.NDArray[np.bool_], rng: Rng | None, *, normal: bool
) -> npt.NDArray[np.float64]:
    """Return the numbers with missing ones replaced: by 0, or by a draw that looks like any other.

    >>> filled(np.array([0.5, 9.0]), np.array([False, True]), None, normal=True).tolist()
    [0.5, 0.0]
    """
    if rng is None:
        return np.where(gone, 0.0, numbers)
    count = int(gone.sum())
    numbers = numbers.copy()
    numbers[gone] = rng.standard_normal(count) if normal else rng.uniform(-1.0, 1.0, count)
    return numbers
