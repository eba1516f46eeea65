"""The perceptron that denoises: layers that are told the time and perhaps a label (Kotelnikov et al. 2023).

x -> Linear to `entry` -> + time -> + label -> hidden layers -> Linear to the outputs

Every parameter belongs to a Linear or Embedding layer, and the hidden layers are Sequentials of Linear and
activation: kinds of which DP-SGD's tape takes gradients per record in one pass. There is no batch norm, since
one record would see the others. Weights come from the generator given, never from the global one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor, nn

from understudy.engines.nets.undrawn import Undrawn
from understudy.errors import ParameterError

__all__ = ["Perceptron", "Shape", "linear", "sinusoidal"]

_ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "silu": nn.SiLU,
    "leaky": lambda: nn.LeakyReLU(0.4),
}


@final
@dataclass(frozen=True)
class Shape:
    """How large the network is, and what happens between its layers.

    `residual` adds each layer's input to its output where both have one width. `quiet` starts the output
    layer at zero, so that the first guess is 0 whatever comes in. `dropout` needs the noise of `forward`.
    """

    hidden: tuple[int, ...] = (512, 512, 512)
    entry: int = 128
    activation: Literal["relu", "silu", "leaky"] = "relu"
    residual: bool = False
    dropout: float = 0.0
    quiet: bool = False

    def __post_init__(self) -> None:
        if min((self.entry, *self.hidden)) < 1 or not 0 <= self.dropout < 1:
            raise ParameterError("Shape: widths must be 1 or more, and dropout at least 0 and less than 1.")
        if self.activation not in _ACTIVATIONS:
            raise ParameterError(f"Shape: activation must be one of {', '.join(_ACTIVATIONS)}.")


@final
class Perceptron(nn.Module):
    """Maps (b, inputs) at times (b,), and labels (b,) if there are any, to (b, outputs).

    >>> network = Perceptron(3, 2, Shape(hidden=(8, 8), entry=4), torch.Generator().manual_seed(0))
    >>> network(torch.zeros(5, 3), torch.arange(5)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self, inputs: int, outputs: int, shape: Shape, generator: torch.Generator, *, labels: int = 0
    ) -> None:
        nn.Module.__init__(self)
        self.shape = shape
        self.enter = linear(inputs, shape.entry, generator)
        self.time = nn.Sequential(
            linear(shape.entry, shape.entry, generator),
            nn.SiLU(),
            linear(shape.entry, shape.entry, generator),
        )
        self.label = _embedding(labels, shape.entry, generator) if labels else None
        self.blocks = _blocks(shape, generator)
        self.leave = linear((shape.entry, *shape.hidden)[-1], outputs, generator, zero=shape.quiet)

    def forward(
        self,
        x: Tensor,
        t: Tensor,
        label: Tensor | None = None,
        noise: torch.Generator | None = None,
    ) -> Tensor:
        """Return the outputs; with dropout, `noise` says what is dropped, and without it nothing is."""
        if (label is None) != (self.label is None):
            raise ParameterError("Perceptron: labels must be given if and only if it was made with labels.")
        x = self.enter(x) + self.time(sinusoidal(t, self.shape.entry).to(x.dtype))
        if self.label is not None and label is not None:
            x = x + nn.functional.silu(self.label(label))
        for block in self.blocks:
            out = self._dropped(block(x), noise)
            x = x + out if self.shape.residual and out.shape == x.shape else out
        return self.leave(x)  # type: ignore[no-any-return]

    def _dropped(self, x: Tensor, noise: torch.Generator | None) -> Tensor:
        share = self.shape.dropout
        if share == 0 or noise is None:
            return x
        return x * (torch.rand(x.shape, generator=noise, device=x.device) >= share) / (1 - share)


def sinusoidal(t: Tensor, width: int) -> Tensor:
    """Return (b, width): cosines and sines of the times (b,), of periods 2 pi to 20,000 pi (Vaswani 2017).

    A time that is not counted in steps should be scaled to about 0 .. 1000.
    """
    half = width // 2
    places = torch.arange(half, device=t.device)
    angles = t[..., None] * torch.exp(-math.log(10_000) / max(half, 1) * places)
    both = torch.cat([angles.cos(), angles.sin()], -1)
    return nn.functional.pad(both, (0, width % 2))


def linear(inputs: int, outputs: int, generator: torch.Generator, *, zero: bool = False) -> nn.Linear:
    """Return a layer with torch's usual uniform weights, or zeros, that leaves the global generator alone."""
    with Undrawn():
        layer = nn.Linear(inputs, outputs)
    reach = 0.0 if zero else 1 / math.sqrt(max(inputs, 1))
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.rand(parameter.shape, generator=generator) * 2 * reach - reach)
    return layer


def _embedding(levels: int, width: int, generator: torch.Generator) -> nn.Embedding:
    with Undrawn():
        table = nn.Embedding(levels, width)
    with torch.no_grad():
        table.weight.copy_(torch.randn(levels, width, generator=generator))
    return table


def _blocks(shape: Shape, generator: torch.Generator) -> nn.ModuleList:
    """Return all hidden layers as one Sequential, or one for each where something happens in between."""
    widths = (shape.entry, *shape.hidden)
    layers = [
        nn.Sequential(linear(before, after, generator), _ACTIVATIONS[shape.activation]())
        for before, after in itertools.pairwise(widths)
    ]
    if shape.residual or shape.dropout:
        return nn.ModuleList(layers)
    return nn.ModuleList([nn.Sequential(*(member for layer in layers for member in layer))] if layers else [])
