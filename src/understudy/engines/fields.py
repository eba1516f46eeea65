"""Which coordinates of a row are numbers and which hold codes: all that a network has to know of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError

__all__ = ["Fields"]

Item = TypeVar("Item")

_UNSEEN = 0.5  # rows that a level is taken to have besides those that were seen


@final
@dataclass(frozen=True)
class Fields:
    """The places of numbers, the places of codes, and how many codes each of the latter takes.

    A number is real and of order 1. A code is a whole number from 0, written as a float; whether a number
    is missing is a code of two. `shares` says how common each code of each is, as far as that may be known:
    counted in the open, bought under a budget, even where nobody knows. `names` are those of the columns that
    the codes belong to, where somebody told them. `flags` says of each number where the code stands that is 1
    where the number is missing, and so anything; -1 where there is none.

    >>> fields = Fields(numbers=(0, 2), codes=(1,), sizes=(5,))
    >>> fields.width, fields.levels
    (3, 5)
    """

    numbers: tuple[int, ...]
    codes: tuple[int, ...]
    sizes: tuple[int, ...]
    shares: tuple[npt.NDArray[np.float64], ...] = field(default=(), compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    flags: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if sorted((*self.numbers, *self.codes)) != list(range(self.width)):
            raise ParameterError("Fields: numbers and codes must take every coordinate exactly once.")
        if len(self.sizes) != len(self.codes) or any(size < 1 for size in self.sizes):
            raise ParameterError("Fields: every code needs a number of levels, 1 or more.")
        if not self.shares:
            object.__setattr__(self, "shares", tuple(np.full(size, 1 / size) for size in self.sizes))
        if tuple(len(each) for each in self.shares) != self.sizes:
            raise ParameterError("Fields: every level needs a share.")
        if self.names and len(self.names) != len(self.codes):
            raise ParameterError("Fields: every code needs a name, or none has one.")
        if not self.flags:
            object.__setattr__(self, "flags", (-1,) * len(self.numbers))
        if len(self.flags) != len(self.numbers) or not set(self.flags) <= {-1, *self.codes}:
            raise ParameterError("Fields: a number's flag is the place of a code, or -1.")

    @classmethod
    def of(cls, facts: Mapping[str, Sequence[int]]) -> Self:
        """Return the fields that `facts` wrote down.

        >>> fields = Fields((1,), (0,), (3,))
        >>> Fields.of(fields.facts()) == fields
        True
        """
        numbers, codes, sizes = (tuple(facts[part]) for part in ("numbers", "codes", "sizes"))
        return cls(numbers, codes, sizes, flags=tuple(facts.get("flags", ())))

    def facts(self) -> dict[str, list[int]]:
        """Return what JSON can hold: the places and sizes that a network is built from, without shares."""
        parts = ("numbers", "codes", "sizes", "flags")
        return {part: list(getattr(self, part)) for part in parts}

    def seen(self, matrix: npt.NDArray[np.float32], unseen: float = _UNSEEN) -> Fields:
        """Return the same fields with the shares that codes have in a matrix; by default none is nought.

        >>> Fields((), (0,), (2,)).seen(np.zeros((8, 1), np.float32)).shares[0].tolist()
        [0.9444444444444444, 0.05555555555555555]
        """
        counts = [
            np.bincount(matrix[:, at].astype(np.int64), minlength=size) + unseen
            for at, size in zip(self.codes, self.sizes, strict=True)
        ]
        return replace(self, shares=tuple(each / each.sum() for each in counts))

    def last(self, name: str) -> Fields:
        """Return the same fields with the code of one column behind all others.

        >>> Fields((), (0, 1), (2, 3), names=("sex", "size")).last("sex").codes
        (1, 0)
        """
        if name not in self.names:
            told = ", ".join(map(repr, self.names)) or "none"
            raise ParameterError(
                f"Fields: no code belongs to a column {name!r}; those that have one: {told}."
            )
        place = self.names.index(name)
        return Fields(
            self.numbers,
            _moved_back(self.codes, place),
            _moved_back(self.sizes, place),
            _moved_back(self.shares, place),
            _moved_back(self.names, place),
            self.flags,
        )

    @property
    def width(self) -> int:
        """The number of coordinates of a row."""
        return len(self.numbers) + len(self.codes)

    @property
    def levels(self) -> int:
        """The levels of all codes together: the width of their one-hots side by side."""
        return sum(self.sizes)


def _moved_back(items: tuple[Item, ...], place: int) -> tuple[Item, ...]:
    return (*items[:place], *items[place + 1 :], items[place])
