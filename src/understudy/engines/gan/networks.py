"""The two networks of the game: one makes rows from noise and a condition, one judges them.

The generator is that of CTGAN (Xu et al. 2019, section 4.4): each block adds its output to what it was given,
side by side. Its norm may look at the batch, as in the paper, or at one row alone; the latter it must under a
budget, and it needs no second mode for drawing. The critic may look at several rows at once (PacGAN, Lin et
al. 2018). Weights come from the generator given, never from the global one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.engines.nets.perceptron import linear
from understudy.engines.nets.undrawn import Undrawn
from understudy.errors import ParameterError

__all__ = ["LEAST", "SLOPE", "Asked", "Critic", "GeneratorNetwork", "Size"]

SLOPE = 0.2  # of the critic's layers below zero
LEAST = 1e-12  # under a root, so that its slope is finite


@final
@dataclass(frozen=True)
class Size:
    """How large both networks are.

    `latent` is the width of the noise; `norm` is what stands between the generator's layers; `pac` is how
    many rows the critic sees at once, and `dropout` the share of its units that are left out in training.
    """

    latent: int = 128
    width: int = 256
    depth: int = 2
    norm: Literal["batch", "layer", "none"] = "batch"
    pac: int = 1
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if min(self.latent, self.width, self.depth, self.pac) < 1 or not 0 <= self.dropout < 1:
            raise ParameterError("Size: widths, depth and pac must be 1 or more, dropout from 0 to below 1.")


@final
class GeneratorNetwork(nn.Module):
    """Maps noise (b, entry) and places that are asked for (b,) to (b, outputs).

    A place stands for a one-hot of so many `levels`: its product with a matrix is a row of that matrix.
    """

    def __init__(self, entry: int, levels: int, outputs: int, size: Size, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        widths = [entry + place * size.width for place in range(size.depth + 1)]
        self.layers = nn.ModuleList(Asked(width, levels, size.width, generator) for width in widths[:-1])
        self.norms = nn.ModuleList(_norm(size) for _ in range(size.depth))
        self.leave = Asked(widths[-1], levels, outputs, generator)

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        """Return the outputs, before anything is made of them."""
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = torch.cat([functional.relu(norm(layer(x, places))), x], -1)
        out: Tensor = self.leave(x, places)
        return out


@final
class Asked(nn.Module):
    """A layer of x beside a one-hot, which is told by its place."""

    linear: nn.Linear
    table: nn.Parameter | None

    def __init__(self, inputs: int, levels: int, outputs: int, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.linear = linear(inputs, outputs, generator)
        self.table = nn.Parameter(linear(outputs, levels, generator).weight.detach()) if levels else None

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        """Return the layer of x, with the table's row of each place added."""
        out: Tensor = self.linear(x)
        return out if self.table is None else out + functional.embedding(places, self.table)


@final
class Critic(nn.Module):
    """Maps rows (..., pac inputs), and the places they were asked for (..., pac), to a score each (...).

    Rows stand `pac` side by side. What a place adds to the first layer is a row of a table, as a one-hot's
    product would be; made and real rows are judged for the same places, so that no slope along them counts.
    """

    def __init__(self, inputs: int, levels: int, size: Size, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.pac, self.dropout, self.levels = size.pac, size.dropout, levels
        widths = [inputs * size.pac, *[size.width] * size.depth]
        self.layers = nn.ModuleList(linear(before, after, generator) for before, after in pairwise(widths))
        self.leave = linear(widths[-1], 1, generator)
        self.table = _table(levels * size.pac, size.width, generator) if levels else None

    def forward(self, x: Tensor, places: Tensor, noise: torch.Generator | None = None) -> Tensor:
        """Return the scores; with dropout, `noise` says what is left out, and without it nothing is."""
        for place, layer in enumerate(self.layers):
            h = layer(x) if place else layer(x) + self._asked(places)
            x = self._left(functional.leaky_relu(h, SLOPE), noise)
        scores: Tensor = self.leave(x)[..., 0]
        return scores

    def frozen(self, x: Tensor, places: Tensor, noise: torch.Generator | None = None) -> Tensor:
        """Return the scores of rows that may learn from them; the critic itself does not."""
        for place, layer in enumerate(self.layers):
            h = functional.linear(x, *_still(layer))
            h = h if place else h + self._asked(places).detach()
            x = self._left(functional.leaky_relu(h, SLOPE), noise)
        return functional.linear(x, *_still(self.leave))[..., 0]

    def together(self, rows: Tensor) -> Tensor:
        """Return (b / pac, ...): rows, or places, side by side."""
        return rows.reshape(len(rows) // self.pac, -1)

    def slopes(self, x: Tensor, places: Tensor, noise: torch.Generator | None = None) -> Tensor:
        """Return (b,): the norm of the score's derivative at each x, to be derived by weights once more.

        The layers bend but do not curve, so the derivative is a product of weights, each row's with its own
        pattern of bends: written out, it needs no second pass of automatic differentiation.
        """
        bends = []
        with torch.no_grad():
            for place, layer in enumerate(self.layers):
                h = layer(x) if place else layer(x) + self._asked(places)
                bends.append(self._left(torch.where(h > 0, 1.0, SLOPE), noise))
                x = h * bends[-1]
        slope = self.leave.weight.expand(len(x), -1)
        for layer, bend in zip(reversed(self.layers), reversed(bends), strict=True):
            slope = (slope * bend) @ cast(Tensor, layer.weight)  # a list of modules forgets what they are
        return (slope.square().sum(-1) + LEAST).sqrt()

    def _asked(self, places: Tensor) -> Tensor:
        if self.table is None:
            return self.leave.weight.new_zeros(())
        index = places + self.levels * torch.arange(self.pac, device=places.device)
        told: Tensor = self.table(index)  # (..., pac, width)
        return told.sum(-2) if self.pac > 1 else told[..., 0, :]

    def _left(self, x: Tensor, noise: torch.Generator | None) -> Tensor:
        return x * self._kept(x.shape, noise) if self.dropout and noise is not None else x

    def _kept(self, shape: torch.Size, noise: torch.Generator) -> Tensor:
        chance = torch.rand(shape, generator=noise, device=noise.device)
        return (chance >= self.dropout).to(chance.dtype) / (1 - self.dropout)


def _table(rows: int, width: int, generator: torch.Generator) -> nn.Embedding:
    with Undrawn():
        table = nn.Embedding(rows, width)
    with torch.no_grad():
        table.weight.copy_(linear(width, rows, generator).weight)
    return table


def _still(layer: nn.Module) -> tuple[Tensor, Tensor]:
    assert isinstance(layer, nn.Linear), "all layers of a critic are linear"
    return layer.weight.detach(), layer.bias.detach()


def _norm(size: Size) -> nn.Module:
    if size.norm == "batch":
        return nn.BatchNorm1d(size.width)
    return nn.LayerNorm(size.width) if size.norm == "layer" else nn.Identity()
