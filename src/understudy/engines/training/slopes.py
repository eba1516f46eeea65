"""A loss that knows its own derivatives: no graph is recorded, and no memory is asked for in a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

__all__ = ["Sloped", "Slopes"]


class Slopes(ABC):
    """The derivatives of a loss by the weights of one model, for batches of one size."""

    @abstractmethod
    def put(self, rows: Tensor, noise: torch.Generator) -> None:
        """Leave the derivatives of the mean loss of these rows in the gradients of the model."""

    @abstractmethod
    def computing(self) -> AbstractContextManager[object]:
        """Return what must hold while steps are taken."""


class Sloped(ABC):
    """A loss of records that offers `Slopes` beside what automatic differentiation makes of it."""

    @abstractmethod
    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the loss of each record."""

    @abstractmethod
    def slopes(self, model: nn.Module, batch: int) -> Slopes:
        """Return the derivatives, written out, with room for a batch."""
