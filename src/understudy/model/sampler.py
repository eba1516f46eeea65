"""What a recipe learns: something that draws columns and can be written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Conditions

__all__ = ["Columns", "Sampler", "State"]

Columns = dict[str, npt.NDArray[Any]]
State = tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]


class Sampler(ABC):
    """The learned part of a model. `conditional` says whether `draw` can honour conditions itself."""

    conditional: ClassVar[bool]

    @abstractmethod
    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw so many rows; conditions are empty unless the sampler is `conditional`."""

    @abstractmethod
    def state(self) -> State:
        """Return tensors and plain JSON facts that `restore` turns back into an equal sampler."""

    @classmethod
    @abstractmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""
