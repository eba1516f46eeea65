"""A generator with its derivatives written out, for a part of a batch.

Each block adds its output before what it was given: all blocks lie side by side in one room from the start,
and what a layer is given is the end of every line of it. Nobody asks for derivatives by noise: none are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, final

import torch
from torch import Tensor

from understudy.engines.gan.networks import Asked, GeneratorNetwork
from understudy.engines.gan.norms import Norm
from understudy.engines.nets.products import put_affine, put_product

__all__ = ["Maker"]


@final
class Maker:
    """So many rows of a batch on their way through the generator, and back.

    Noise is written into `entry`, the generator tells `told`, and derivatives by that are written into
    `by_told`; those by weights are put into `grads`. Norms know all parts of the batch, of which this is the
    one of number `part`: what they join lies between `enter` and `block`, and between `turn` and `back`.
    """

    def __init__(
        self,
        network: GeneratorNetwork,
        grads: Mapping[Tensor, Tensor],
        rows: int,
        norms: tuple[int, Sequence[Norm]],
    ) -> None:
        self._part, self._norms = norms
        self._layers = [_Layer(cast(Asked, each), grads) for each in (*network.layers, network.leave)]
        widest, self._width = self._layers[-1].weight.shape[1], len(self._layers[0].weight)
        self.depth, room = len(self._norms), self._layers[0].weight.new_zeros
        self._all, self._by_all = room(rows, widest), room(rows, self.depth * self._width)
        self._starts = [(self.depth - at) * self._width for at in range(self.depth + 1)]
        self._given = [self._all[:, start:] for start in self._starts]  # what each layer is given
        self._blocks, self._by_blocks = (
            [side[:, start - self._width : start] for start in self._starts[:-1]]
            for side in (self._all, self._by_all)
        )
        self._made = [room(rows, self._width) for _ in range(self.depth)]
        self._down = [room(rows, self._width) for _ in range(self.depth)]
        self.entry = self._given[0]
        self.told, self.by_told = (room(rows, len(self._layers[-1].weight)) for _ in "ab")

    def enter(self, at: int, places: Tensor) -> None:
        """Let rows through a layer, up to its norm."""
        self._layers[at].through(self._given[at], places, self._made[at])
        self._norms[at].tell(self._part, self._made[at])

    def block(self, at: int) -> None:
        """Let rows through the norm and the bend behind a layer."""
        self._norms[at].forward(self._part, self._made[at], self._blocks[at])
        self._blocks[at].relu_()

    def tell(self, places: Tensor) -> None:
        """Let rows through the last layer."""
        self._layers[-1].through(self._all, places, self.told)

    def untell(self, places: Tensor) -> None:
        """Go back through the last layer."""
        self._layers[-1].put(self._all, places, self.by_told)
        put_product(self.by_told, self._layers[-1].weight[:, : self._by_all.shape[1]], self._by_all)

    def turn(self, at: int) -> None:
        """Go back through the bend behind a layer, up to its norm."""
        torch.ops.aten.threshold_backward.grad_input(
            self._by_blocks[at], self._blocks[at], 0, grad_input=self._down[at]
        )
        self._norms[at].tell_back(self._part, self._down[at])

    def back(self, at: int, places: Tensor) -> None:
        """Go back through a norm and the layer before it."""
        down = self._down[at]
        self._norms[at].back(self._part, down)
        self._layers[at].put(self._given[at], places, down)
        if at:  # before the first block there is but noise
            before = self._by_all[:, self._starts[at] :]
            before.addmm_(down, self._layers[at].weight[:, : before.shape[1]])


@final
class _Layer:
    """One layer of rows beside places that are asked for, and where its derivatives are put."""

    def __init__(self, layer: Asked, grads: Mapping[Tensor, Tensor]) -> None:
        linear, table = layer.linear, layer.table
        self.weight, self._bias = linear.weight.detach(), linear.bias.detach()
        self._by_weight, self._by_bias = grads[linear.weight], grads[linear.bias]
        self._table = None if table is None else table.detach()
        self._by_table = self.weight.new_zeros(0) if table is None else grads[table]

    def through(self, rows: Tensor, places: Tensor, out: Tensor) -> None:
        put_affine(rows, self.weight, self._bias, out)
        if self._table is not None:
            out.add_(self._table.index_select(0, places))

    def put(self, rows: Tensor, places: Tensor, down: Tensor) -> None:
        put_product(down.T, rows, self._by_weight)
        torch.sum(down, 0, out=self._by_bias)
        if self._table is not None:
            self._by_table.zero_().index_add_(0, places, down)
