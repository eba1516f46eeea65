"""Residual networks side by side, with their derivatives written out and room for all that they need.

Each product is one for all networks. Memory and views of it are made once: what a small network costs lies
around its arithmetic, and automatic differentiation is most of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, final

import torch
from torch import Tensor

from understudy.engines.nets.residual import Residual

__all__ = ["Learned", "ResidualTogether"]

_bend, _unbend = torch.ops.aten.silu.out, torch.ops.aten.silu_backward.grad_input
_norm, _unnorm = torch.ops.aten.native_layer_norm.out, torch.ops.aten.native_layer_norm_backward
_BY_ROWS = [True, False, False]  # which derivatives of a norm are asked for


@final
class Learned(NamedTuple):
    """Weights of all networks by their names, networks along the first axis, and their derivatives."""

    weights: Mapping[str, Tensor]
    grads: Mapping[str, Tensor]

    def under(self, name: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return weight and bias of a layer, and the derivatives by both."""
        names = f"{name}.weight", f"{name}.bias"
        weight, bias = (self.weights[each] for each in names)
        by_weight, by_bias = (self.grads[each] for each in names)
        return weight, bias, by_weight, by_bias

    def within(self, name: str) -> Learned:
        """Return those of one part of the networks, by their names in there."""
        parts = [
            {key.removeprefix(name): value for key, value in each.items() if key.startswith(name)}
            for each in self
        ]
        return Learned(*parts)


@final
class ResidualTogether:
    """The networks that `like` is one of, for so many rows each.

    Rows are written into `given` (s, b, inputs) and the sines of their times into `sines` (s, b, clock); what
    is told is found in `made`, and derivatives by it are written into `by_made`.
    """

    def __init__(self, like: Residual, learned: Learned, rows: int) -> None:
        self._enter, self._first = _Layer(learned, "enter", rows), _Layer(learned, "clock.0", rows)
        self._second = _Layer(learned, "clock.2", rows)
        rooms = [torch.empty_like(self._enter.made) for _ in range(len(like.layers) + 1)]
        self._blocks = [
            _Block(like, learned, at, (rooms[at], rooms[at + 1])) for at in range(len(like.layers))
        ]
        self._leave = _Layer(learned, "leave", rows, rooms[-1])
        self._entered, self._down = rooms[0], torch.empty_like(rooms[0])
        self.given, self.sines = self._enter.given, self._first.given
        self.made, self.by_made = self._leave.made, self._leave.by_made

    def through(self) -> None:
        """Let the rows through all layers."""
        self._first.through()
        _bend(self._first.made, out=self._second.given)
        self._enter.through()
        self._second.through(self._enter.made)
        _bend(self._enter.made, out=self._entered)
        for block in self._blocks:
            block.through()
        self._leave.through()

    def back(self) -> None:
        """Put the derivatives by all weights, given those by what was made."""
        down = self._leave.back(self._down)
        for block in reversed(self._blocks):
            block.back(down)
        _unbend(down, self._enter.made, grad_input=self._enter.by_made)
        self._enter.put()
        torch.mul(self._enter.by_made, 1, out=self._second.by_made)
        self._second.back(down)
        _unbend(down, self._first.made, grad_input=self._first.by_made)
        self._first.put()


@final
class _Layer:
    """A layer of all networks: what it is `given`, what it `made` of that, and the derivatives by it."""

    def __init__(self, learned: Learned, name: str, rows: int, given: Tensor | None = None) -> None:
        self._weight, bias, self._by_weight, self._by_bias = learned.under(name)
        count, outputs, inputs = self._weight.shape
        self.given = bias.new_empty(count, rows, inputs) if given is None else given
        self.made, self.by_made = (bias.new_empty(count, rows, outputs) for _ in range(2))
        self._bias, self._across, self._turned = bias[:, None], self._weight.mT, self.by_made.mT

    def through(self, more: Tensor | None = None) -> None:
        """Let rows through, into `made`, or add what comes out to something that is there already."""
        if more is None:
            torch.baddbmm(self._bias, self.given, self._across, out=self.made)
        else:
            more.add_(self._bias).baddbmm_(self.given, self._across)

    def put(self) -> None:
        """Put the derivatives by weight and bias."""
        torch.bmm(self._turned, self.given, out=self._by_weight)
        torch.sum(self.by_made, 1, out=self._by_bias)

    def back(self, room: Tensor) -> Tensor:
        """Put these, and those by what was given into a room."""
        self.put()
        return torch.bmm(self.by_made, self._weight, out=room)


@final
class _Block:
    """h + silu(Linear(norm(h))): `rooms` are where h stands, and where this is put."""

    def __init__(self, like: Residual, learned: Learned, at: int, rooms: tuple[Tensor, Tensor]) -> None:
        self._before, self._after = rooms
        scale, shift, self._by_scale, self._by_shift = learned.under(f"norms.{at}")
        self._scale, self._shift = scale[:, None], shift[:, None]
        self._layer = _Layer(learned, f"layers.{at}", self._before.shape[1])
        self._even, self._down = (torch.empty_like(self._before) for _ in range(2))
        self._moments = [self._before.new_empty(*self._before.shape[:-1], 1) for _ in range(2)]
        self._shape, self._eps = self._before.shape[-1:], like.norms[at].eps

    def through(self) -> None:
        """Put what the block makes of h."""
        mean, rate = self._moments
        _norm(self._before, self._shape, None, None, self._eps, out0=self._even, out1=mean, out2=rate)
        torch.addcmul(self._shift, self._even, self._scale, out=self._layer.given)
        self._layer.through()
        _bend(self._layer.made, out=self._after).add_(self._before)

    def back(self, down: Tensor) -> None:
        """Put the derivatives by weights, and turn those by what was made into those by h."""
        _unbend(down, self._layer.made, grad_input=self._layer.by_made)
        own = self._layer.back(self._down)
        torch.sum(own, 1, out=self._by_shift)
        torch.sum(self._even.mul_(own), 1, out=self._by_scale)
        own.mul_(self._scale)
        down.add_(_unnorm(own, self._before, self._shape, *self._moments, None, None, _BY_ROWS)[0])
