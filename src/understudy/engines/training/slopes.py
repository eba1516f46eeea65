"""A loss that knows its own derivatives: no graph is recorded, and no memory is asked for in a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

__all__ = ["Sloped", "SlopedTogether", "Slopes", "SlopesTogether"]


class Slopes(ABC):
    """The derivatives of a loss by the weights of one model, for batches of one size."""

    @property
    @abstractmethod
    def learned(self) -> list[nn.Parameter]:
        """What an optimizer moves: the parameters of the model, or vectors that they are pieces of."""

    @abstractmethod
    def begin(self) -> None:
        """Forget noise that was drawn ahead: the generator is about to be seeded anew."""

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
    def slopes(self, model: nn.Module, batch: int, *, short: bool) -> Slopes:
        """Return the derivatives, written out, with room for a batch; products may be `short` (bf16)."""


class SlopesTogether(ABC):
    """The derivatives of a loss by the weights of models side by side, for batches of one size."""

    @abstractmethod
    def put(self, rows: Tensor, noises: Sequence[torch.Generator]) -> None:
        """Leave the derivatives of each model's mean loss of its rows (s, b, columns), by its own noise."""


class SlopedTogether(ABC):
    """A loss that offers `SlopesTogether`, on processors, beside what differentiation makes of it."""

    @abstractmethod
    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the loss of each record."""

    @abstractmethod
    def stands(self, models: Sequence[nn.Module]) -> bool:
        """Say whether it has them for these models."""

    @abstractmethod
    def slopes_together(
        self, like: nn.Module, weights: Mapping[str, Tensor], grads: Mapping[str, Tensor], batch: int
    ) -> SlopesTogether:
        """Return the derivatives of models of which `like` is one, by learned weights (s, ...), by names."""
