"""One column's place in the matrix: its encoder, and what happens to missing entries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import CodeEncoder, NumberEncoder, Rng
from understudy.codec.layout import Part
from understudy.missing import is_missing, missing_like

__all__ = ["CodeSlot", "Gaps", "NumberSlot", "Slot"]

Gaps = Literal["never", "indicator", "at_random"]
Block = npt.NDArray[Any]


class Slot(ABC):
    """A named column and the block of coordinates that it is written into."""

    name: str
    encoder: NumberEncoder | CodeEncoder

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """What is written, in order."""

    @property
    @abstractmethod
    def gaps(self) -> bool:
        """Whether missing entries can be written."""

    @abstractmethod
    def write(self, values: npt.NDArray[Any], block: Block, rng: Rng | None) -> None:
        """Fill the block, shape (rows, width), which comes full of zeros."""

    @abstractmethod
    def read(self, block: Block, rng: Rng) -> npt.NDArray[Any]:
        """Return the entries that a block stands for."""

    @abstractmethod
    def refill(self, block: Block, rng: Rng) -> None:
        """Write anew, as `write` does, what stands where an entry is missing and nobody reads it."""


@final
@dataclass(frozen=True, eq=False)
class NumberSlot(Slot):
    """A quantity as a number, with a flag beside it or with gaps made at random at `rate`."""

    name: str
    encoder: NumberEncoder
    missing: Gaps
    rate: float

    @property
    def parts(self) -> tuple[Part, ...]:
        """The encoder's parts, then the flag."""
        return self.encoder.parts + ((Part("flag", 1),) if self.missing == "indicator" else ())

    @property
    def gaps(self) -> bool:
        """Whether missing entries can be written."""
        return self.missing != "never"

    def write(self, values: npt.NDArray[Any], block: Block, rng: Rng | None) -> None:
        """Fill in numbers, and 1 in the flag where an entry is missing."""
        width = block.shape[1] - (self.missing == "indicator")
        block[:, :width] = self.encoder.encode(values, rng)
        if self.missing == "indicator":
            block[:, width] = is_missing(values)

    def read(self, block: Block, rng: Rng) -> npt.NDArray[Any]:
        """Decode the numbers, then take out what the flag or the rate says is missing."""
        if self.missing == "never":
            return self.encoder.decode(block)
        width = block.shape[1] - (self.missing == "indicator")
        values = self.encoder.decode(block[:, :width])
        gone = block[:, width] > 0.5 if self.missing == "indicator" else rng.random(len(block)) < self.rate
        values[gone] = missing_like(values)
        return values

    def refill(self, block: Block, rng: Rng) -> None:
        """Do so where there is a flag."""
        if self.missing != "indicator":
            return
        gone = np.flatnonzero(block[:, -1] > 0.5)
        nothing = np.zeros(len(gone), dtype=self.encoder.dtype)
        nothing[:] = missing_like(nothing)
        block[gone, :-1] = self.encoder.encode(nothing, rng)


@final
@dataclass(frozen=True, eq=False)
class CodeSlot(Slot):
    """A column of codes, one-hot or as they are; missing is the last code."""

    name: str
    encoder: CodeEncoder
    onehot: bool

    @property
    def parts(self) -> tuple[Part, ...]:
        """One coordinate for each code, or one for all."""
        count = self.encoder.count
        return (Part("levels", count),) if self.onehot else (Part("code", 1, count),)

    @property
    def gaps(self) -> bool:
        """Whether missing entries can be written."""
        return self.encoder.can_be_missing

    def write(self, values: npt.NDArray[Any], block: Block, rng: Rng | None) -> None:
        """Write a 1 into the coordinate of each code, or the code itself."""
        del rng  # a code leaves nothing open
        codes = self.encoder.encode(values)
        if self.onehot:
            block[np.arange(len(codes)), codes] = 1.0
        else:
            block[:, 0] = codes

    def read(self, block: Block, rng: Rng) -> npt.NDArray[Any]:
        """Decode the largest coordinate of each row, or the nearest code.

        A method that wants a draw from soft one-hots instead draws before it decodes.
        """
        if self.onehot:
            codes = block.argmax(axis=1)
        else:
            codes = np.rint(np.clip(block[:, 0], 0, self.encoder.count - 1)).astype(np.int64)
        return self.encoder.decode(codes, rng)

    def refill(self, block: Block, rng: Rng) -> None:
        """Leave all as it is: missing is a code."""
