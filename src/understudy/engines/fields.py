"""Which coordinates of a row are numbers and which hold codes: all that a network has to know of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from understudy.errors import ParameterError

__all__ = ["Fields"]


@final
@dataclass(frozen=True)
class Fields:
    """The places of numbers, the places of codes, and how many codes each of the latter takes.

    A number is real and of order 1. A code is a whole number from 0, written as a float; whether a number
    is missing is a code of two.

    >>> fields = Fields(numbers=(0, 2), codes=(1,), sizes=(5,))
    >>> fields.width, fields.levels
    (3, 5)
    """

    numbers: tuple[int, ...]
    codes: tuple[int, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted((*self.numbers, *self.codes)) != list(range(self.width)):
            raise ParameterError("Fields: numbers and codes must take every coordinate exactly once.")
        if len(self.sizes) != len(self.codes) or any(size < 1 for size in self.sizes):
            raise ParameterError("Fields: every code needs a number of levels, 1 or more.")

    @property
    def width(self) -> int:
        """The number of coordinates of a row."""
        return len(self.numbers) + len(self.codes)

    @property
    def levels(self) -> int:
        """The levels of all codes together: the width of their one-hots side by side."""
        return sum(self.sizes)
