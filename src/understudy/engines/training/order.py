"""Shuffled batches: every row once an epoch, every step of one size, and a function of the seed alone."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from understudy.engines.training.loop import BLOCK
from understudy.rng import stream

__all__ = ["Order", "seed_of"]


def seed_of(seed: int, *names: str) -> int:
    """Return the seed of a torch generator for this path of names."""
    return int(stream(seed, *names).integers(2**63))


@final
class Order:
    """Which rows are in which step: one shuffle after the other, cut into batches.

    A batch that an epoch has too few rows left for takes the rest from the next epoch.
    """

    def __init__(self, rows: int, batch: int, device: torch.device, seed: tuple[int, str]) -> None:
        self._rows, self._device, self._seed = rows, device, seed
        self.batch = min(batch, rows)
        self._generator = torch.Generator(device)
        self._last: tuple[int, Tensor] | None = None

    def block(self, number: int) -> Tensor:
        """Return the rows of a block's steps: (BLOCK, batch)."""
        start, size = number * BLOCK * self.batch, BLOCK * self.batch
        first, last = start // self._rows, (start + size - 1) // self._rows
        line = torch.cat([self._epoch(epoch) for epoch in range(first, last + 1)])
        begin = start - first * self._rows
        return line[begin : begin + size].view(BLOCK, self.batch)

    def _epoch(self, epoch: int) -> Tensor:
        if self._last is None or self._last[0] != epoch:
            seed, stage = self._seed
            self._generator.manual_seed(seed_of(seed, stage, "epoch", str(epoch)))
            shuffled = torch.randperm(self._rows, generator=self._generator, device=self._device)
            self._last = epoch, shuffled
        return self._last[1]
