"""A residual network that is told the time: blocks of norm, layer and activation, each added to its input.

x -> Linear to `width` -> + time -> (h + silu(Linear(norm(h)))) ... -> Linear to the outputs

The layer norm keeps deep and noisy trainings in scale. All parameters belong to Linear or LayerNorm layers,
of which DP-SGD's tape takes gradients per record in one pass. Any number of axes may stand before the last.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.perceptron import linear, sinusoidal
from understudy.errors import ParameterError

__all__ = ["Residual", "once"]

_CLOCK = 64  # coordinates of the time


@final
class Residual(nn.Module):
    """Maps (..., inputs) at times (...), of about 0 to 1000, to (..., outputs); it starts as 0 + `bias`.

    >>> network = Residual(3, 2, width=8, depth=2, generator=torch.Generator().manual_seed(0))
    >>> network(torch.zeros(5, 3), torch.arange(5)).tolist()[0]
    [0.0, 0.0]
    """

    def __init__(
        self, inputs: int, outputs: int, *, width: int, depth: int, generator: torch.Generator
    ) -> None:
        if width < 1 or depth < 0:
            raise ParameterError(
                f"Residual: width must be 1 or more and depth 0 or more; got {width}, {depth}."
            )
        nn.Module.__init__(self)
        self.enter = linear(inputs, width, generator)
        self.clock = nn.Sequential(
            linear(_CLOCK, width, generator), nn.SiLU(), linear(width, width, generator)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))
        self.layers = nn.ModuleList(linear(width, width, generator) for _ in range(depth))
        self.leave = linear(width, outputs, generator, zero=True)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        """Return the outputs."""
        return self.after(self.enter(x), t)

    def after(self, entered: Tensor, t: Tensor, first: int | None = None) -> Tensor:
        """Return the outputs, or the `first` of them, of what came through the first layer."""
        h = nn.functional.silu(entered + self.clock(sinusoidal(once(t), _CLOCK).to(entered.dtype)))
        for norm, layer in zip(self.norms, self.layers, strict=True):
            h = h + nn.functional.silu(layer(norm(h)))
        if first is not None:
            return nn.functional.linear(h, self.leave.weight[:first], self.leave.bias[:first])
        out: Tensor = self.leave(h)
        return out

    def begin_at(self, bias: Tensor) -> None:
        """Let the first outputs, whatever comes in, be these."""
        with torch.no_grad():
            self.leave.bias.copy_(bias)


def once(t: Tensor) -> Tensor:
    """Return a time that was expanded over the last axis, as a sampler's is over its rows, but once.

    What is computed of it first, be it a product by 1,000, would make as many of it as there are rows.
    """
    return t[..., :1] if t.dim() > 0 and t.stride(-1) == 0 else t
