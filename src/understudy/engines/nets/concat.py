"""A perceptron that never forgets its input: each layer's output is put beside what came in (as in CTGAN).

x -> [relu(norm(Linear(x))) | x] -> ... -> Linear to the outputs

The norm is a layer norm: a batch norm would let one record see the others, and DP-SGD's tape knows the
gradients of Linear and LayerNorm layers per record. Any number of axes may stand before the last.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.perceptron import linear
from understudy.errors import ParameterError

__all__ = ["Concat"]


@final
class Concat(nn.Module):
    """Maps (..., inputs) to (..., outputs); it starts as 0 + `bias`, whatever comes in.

    >>> network = Concat(3, 2, width=8, depth=2, generator=torch.Generator().manual_seed(0))
    >>> network(torch.ones(5, 3)).tolist()[0], network.leave.in_features
    ([0.0, 0.0], 19)
    """

    def __init__(
        self, inputs: int, outputs: int, *, width: int, depth: int, generator: torch.Generator
    ) -> None:
        if width < 1 or depth < 0:
            raise ParameterError(
                f"Concat: width must be 1 or more and depth 0 or more; got {width}, {depth}."
            )
        nn.Module.__init__(self)
        widths = [inputs + width * place for place in range(depth)]
        self.layers = nn.ModuleList(linear(each, width, generator) for each in widths)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))
        self.leave = linear(inputs + width * depth, outputs, generator, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs."""
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = torch.cat([torch.relu(norm(layer(x))), x], -1)
        out: Tensor = self.leave(x)
        return out

    def begin_at(self, bias: Tensor) -> None:
        """Let the first outputs, whatever comes in, be these."""
        with torch.no_grad():
            self.leave.bias.copy_(bias)
