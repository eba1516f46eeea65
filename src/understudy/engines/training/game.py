"""A play of several networks: one makes rows, others tell them from real ones, and each learns from that.

In the open all learn at the same time, from one loss in which each is told its own part. Under a budget there
are two ways for rows to have a say: a `Game`, whose critic sees rows through noisy gradients alone, and one
that is `Taught`, whose critic sees no row but is told noisy votes. The generator learns from the critic,
which is post-processing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

__all__ = ["Game", "Loss", "Picks", "Play", "Taught", "Told"]

Picks = Callable[[int, torch.Generator], Tensor]
Told = Callable[[Tensor], Tensor]
Loss = Callable[[nn.Module, Tensor, torch.Generator], Tensor]


class Play(ABC):
    """What `Fit.play` plays. Losses are the play's own: it says who learns from what."""

    written: Loss | None = None  # `duel` with its derivatives written out, where somebody did that

    @property
    @abstractmethod
    def both(self) -> nn.Module:
        """One module that holds all networks, and all that must be kept of them."""

    @property
    def released(self) -> nn.Module:
        """The part of `both` that may leave; all of it, where nothing else is said."""
        return self.both

    @abstractmethod
    def picks(self, rows: Tensor) -> Picks:
        """Return how rows are picked for a step in the open, and what is written beside them."""

    @abstractmethod
    def duel(self, both: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,) in the open: numbers whose mean all networks learn from, each its own part."""

    @property
    def loss(self) -> Loss:
        """What is learned from in the open: `duel`, or the same with its derivatives written out."""
        return self.duel if self.written is None else self.written


class Game(Play):
    """A generator against a critic that is shown rows."""

    @property
    @abstractmethod
    def critic(self) -> nn.Module:
        """The network that is shown rows."""

    @property
    @abstractmethod
    def generator(self) -> nn.Module:
        """The network that is shown nothing but the critic."""

    @abstractmethod
    def judge(self, critic: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,) under a budget: the critic's loss of each record, from that record and noise alone."""

    @abstractmethod
    def answer(self, noise: torch.Generator) -> Tensor:
        """Return one number under a budget: the loss of the generator, from the critic and noise alone."""


class Taught(Play):
    """A generator against a student that is shown made rows, and what teachers take them for.

    Each row belongs to one teacher, and each teacher learns from its own rows and from made ones. Nothing of
    the teachers reaches student or generator but counts of votes, and those through `told` alone.
    """

    @property
    @abstractmethod
    def queries(self) -> int:
        """How many made rows are voted on in a step."""

    @abstractmethod
    def parts(self, rows: Tensor, key: bytes) -> Picks:
        """Return how rows are picked when a key says which teacher each belongs to."""

    @abstractmethod
    def lesson(self, both: nn.Module, rows: Tensor, noise: torch.Generator, told: Told) -> Tensor:
        """Return (b,), as `duel` does; `told` turns counts of votes into what is told of them."""
