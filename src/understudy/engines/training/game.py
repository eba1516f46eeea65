"""A game of two networks: one makes rows, the other tells them from real ones, and each learns from that.

Both learn at the same time, from one loss in which each is told its own part. Under a budget real rows reach
the critic through noisy gradients alone; the generator then learns from the critic, which is post-processing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

__all__ = ["Game", "Picks"]

Picks = Callable[[int, torch.Generator], Tensor]


class Game(ABC):
    """What `Fit.play` plays. Losses are the game's own: it says who learns from what."""

    @property
    @abstractmethod
    def both(self) -> nn.Module:
        """One module that holds both networks, and all that must be kept of them."""

    @property
    @abstractmethod
    def critic(self) -> nn.Module:
        """The network that is shown rows."""

    @property
    @abstractmethod
    def generator(self) -> nn.Module:
        """The network that is shown nothing but the critic."""

    @abstractmethod
    def picks(self, rows: Tensor) -> Picks:
        """Return how rows are picked for a step in the open, and what is written beside them."""

    @abstractmethod
    def duel(self, both: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,) in the open: numbers whose mean both networks learn from, each its own part."""

    @abstractmethod
    def judge(self, critic: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,) under a budget: the critic's loss of each record, from that record and noise alone."""

    @abstractmethod
    def answer(self, noise: torch.Generator) -> Tensor:
        """Return one number under a budget: the loss of the generator, from the critic and noise alone."""
