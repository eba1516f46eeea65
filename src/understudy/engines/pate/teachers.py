"""Teachers: many small networks side by side, each of which tells the rows of its own part from made ones."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import final

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.errors import ParameterError

__all__ = ["Teachers"]

PACE = 5.0  # all networks of a play have one rate; what stands here five times as small learns as much faster


@final
class Teachers(nn.Module):
    """So many networks of one hidden layer, in one product of matrices; none sees what another does.

    A width of 0 leaves the hidden layer out: logistic regressions, as in the public code of PATE-GAN.
    """

    def __init__(self, count: int, inputs: int, width: int, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        if count < 1 or width < 0:
            raise ParameterError("Teachers: needs a teacher or more, and a width of 0 or more.")
        self.count = count
        sizes = (inputs, width, 1) if width else (inputs, 1)
        self.weights = nn.ParameterList(
            _even((count, before, after), before, generator) for before, after in pairwise(sizes)
        )
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(count, 1, after)) for after in sizes[1:])

    def forward(self, rows: Tensor) -> Tensor:
        """Return (count, b): how real each takes its own rows (count, b, w) for, or those of all (b, w)."""
        x = rows if rows.ndim == 3 else rows.expand(self.count, *rows.shape)
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(PACE * bias, functional.relu(x) if place else x, PACE * weight)
        return x[..., 0]

    def losses(self, own: Tensor, there: Tensor, made: Tensor) -> Tensor:
        """Return (count,): the cross-entropy of own rows, where there are any, and of made ones."""
        real = functional.softplus(-self(own)) * there
        lost: Tensor = real.mean(-1) + functional.softplus(self(made)).mean(-1)
        return lost

    @torch.no_grad()
    def votes(self, made: Tensor) -> Tensor:
        """Return (b,): how many teachers take each row for a real one; each has one vote."""
        cast: Tensor = self(made) > 0
        return cast.sum(0)


def _even(shape: tuple[int, int, int], inputs: int, generator: torch.Generator) -> nn.Parameter:
    bound = 1 / math.sqrt(inputs) / PACE
    return nn.Parameter((torch.rand(shape, generator=generator) * 2 - 1) * bound)
