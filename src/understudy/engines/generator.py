"""What a learned network is to the rest of the house: something that draws rows of a matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError

__all__ = ["DenseGenerator", "Generator", "Known", "Matrix", "State"]

Matrix = npt.NDArray[np.float32]
State = tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]


@final
@dataclass(frozen=True, eq=False)
class Known:
    """Cells that are given, row by row: where the mask is true, the value is what a drawn row must have.

    Other values mean nothing, unless they are `fitting`: then each row is one that was drawn with its known
    cells, and a generator may begin there.
    """

    values: Matrix
    mask: npt.NDArray[np.bool_]
    fitting: bool = False

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape != self.mask.shape:
            raise ParameterError("Known: values and mask must be two matrices of one shape.")

    def part(self, start: int, stop: int) -> Known:
        """Return some of the rows."""
        return Known(self.values[start:stop], self.mask[start:stop], self.fitting)


class Generator(ABC):
    """Draws rows: numbers as they are, codes as whole numbers; known cells come back as they were given."""

    @abstractmethod
    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Return a matrix of so many rows; `known` has as many."""

    @property
    def quick(self) -> bool:
        """Whether a row takes one pass of a network, so that rows may be drawn to be thrown away."""
        return False

    @abstractmethod
    def state(self) -> State:
        """Return tensors and plain JSON facts that `restore` turns back into an equal generator."""

    @classmethod
    @abstractmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator that `state` wrote down."""


class DenseGenerator(Generator):
    """A generator that knows the density of a row exactly."""

    @abstractmethod
    def log_density(
        self, rows: Matrix, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return the log density of each row: codes by their probability, numbers by their density.

        A number whose ends, a column of `low` and of `high` for each, are no NaN counts by the probability of
        what lies between them, as a value that owns an interval does.
        """
