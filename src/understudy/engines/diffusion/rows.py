"""Rows of a matrix, taken apart into numbers and codes, and put together again."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.samplers import Fixed
from understudy.engines.fields import Fields
from understudy.engines.generator import Known, Matrix

__all__ = ["Rows", "noise_of"]


@final
class Rows(nn.Module):
    """Where numbers and codes stand in a row, as indices on the device of a network.

    >>> rows = Rows(Fields(numbers=(1,), codes=(0,), sizes=(3,)))
    >>> [part.tolist() for part in rows.split(torch.tensor([[2.0, 0.5]]))]
    [[[0.5]], [[2]]]
    """

    numbers: Tensor
    codes: Tensor

    def __init__(self, fields: Fields) -> None:
        nn.Module.__init__(self)
        self.fields = fields
        self.register_buffer("numbers", torch.tensor(fields.numbers, dtype=torch.int64), persistent=False)
        self.register_buffer("codes", torch.tensor(fields.codes, dtype=torch.int64), persistent=False)

    def split(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers (b, k) and codes (b, m)."""
        return rows.index_select(1, self.numbers), rows.index_select(1, self.codes).long()

    def join(self, numbers: Tensor, codes: Tensor) -> Matrix:
        """Return the matrix of numbers and codes."""
        matrix = np.empty((len(numbers), self.fields.width), dtype=np.float32)
        matrix[:, list(self.fields.numbers)] = numbers.float().cpu().numpy()
        matrix[:, list(self.fields.codes)] = codes.cpu().numpy()
        return matrix

    def fixed(self, known: Known | None) -> Fixed | None:
        """Return known cells as the samplers want them."""
        if known is None:
            return None
        device = self.numbers.device
        values = self.split(torch.from_numpy(np.ascontiguousarray(known.values)).to(device))
        mask = torch.from_numpy(np.ascontiguousarray(known.mask)).to(device)
        return Fixed(values[0], mask[:, self.numbers], values[1], mask[:, self.codes])


def noise_of(rng: np.random.Generator, device: torch.device) -> torch.Generator:
    """Return a generator of torch's on a device, under a seed that `rng` draws."""
    return torch.Generator(device=device).manual_seed(int(rng.integers(2**63)))
