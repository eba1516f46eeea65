"""What a student was told of made rows: all of it stays true, and is learned again and again at no price."""

from __future__ import annotations

from typing import NamedTuple, final

import torch
from torch import Tensor, nn

from understudy.errors import ParameterError

__all__ = ["Memory", "Notes"]


@final
class Notes(NamedTuple):
    """Made rows, the places that they were made for, and the share of votes that was told of each."""

    rows: Tensor
    places: Tensor
    shares: Tensor


@final
class Memory(nn.Module):
    """Keeps the last `size` notes; they are part of the state, so that a school that is taken up has them."""

    rows: Tensor
    places: Tensor
    shares: Tensor
    told: Tensor

    def __init__(self, size: int, width: int) -> None:
        nn.Module.__init__(self)
        if size < 1:
            raise ParameterError(f"Memory: size must be 1 or more; got {size}.")
        self.size = size
        self.register_buffer("rows", torch.zeros(size, width))
        self.register_buffer("places", torch.zeros(size, dtype=torch.int64))
        self.register_buffer("shares", torch.zeros(size))
        self.register_buffer("told", torch.zeros((), dtype=torch.int64))

    def note(self, notes: Notes) -> None:
        """Keep notes, the last of them, in the place of the oldest where there is no room."""
        rows = len(notes.rows)
        first = max(rows - self.size, 0)  # no place is written twice: a device would choose which one stays
        at = torch.remainder(self.told + torch.arange(first, rows, device=self.told.device), self.size)
        for held, new in zip((self.rows, self.places, self.shares), notes, strict=True):
            held.index_copy_(0, at, new[first:])
        self.told.add_(rows)

    def recall(self, count: int, noise: torch.Generator) -> Notes:
        """Return so many of the notes, each drawn by itself."""
        chance = torch.rand(count, generator=noise, device=noise.device)
        at = (chance * self.told.clamp(max=self.size)).long()
        return Notes(*(held.index_select(0, at) for held in (self.rows, self.places, self.shares)))
