"""Residual networks side by side, with their derivatives written out and room for all that they need.

Each product is one for all networks. Memory is asked for once: what a small network costs lies around its
arithmetic, and automatic differentiation is most of that. What is done is made to be part of a `program`.
"""

# No `annotations` from `__future__`: a program asks tuples for the types of their parts, not for names.
from collections.abc import Mapping
from typing import NamedTuple, final

import torch
from torch import Tensor

from understudy.engines.nets.residual import Residual

__all__ = ["Learned", "ResidualTogether", "back", "residual_together", "through"]


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

    def within(self, name: str) -> "Learned":
        """Return those of one part of the networks, by their names in there."""
        parts = [
            {key.removeprefix(name): value for key, value in each.items() if key.startswith(name)}
            for each in self
        ]
        return Learned(*parts)


class Layer(NamedTuple):
    """A layer of all networks: what it is `given`, what it `made` of that, and the derivatives by it."""

    weight: Tensor
    bias: Tensor  # (s, 1, outputs)
    by_weight: Tensor
    by_bias: Tensor
    given: Tensor
    made: Tensor
    by_made: Tensor


class Block(NamedTuple):
    """h + silu(Linear(norm(h))): h stands in `before`, and this is put where the next one finds it."""

    before: Tensor
    after: Tensor
    scale: Tensor  # (s, 1, width), as is the shift
    shift: Tensor
    by_scale: Tensor
    by_shift: Tensor
    layer: Layer
    even: Tensor
    mean: Tensor
    rate: Tensor
    eps: float


class ResidualTogether(NamedTuple):
    """Networks side by side, for so many rows each.

    Rows are written into `enter.given` (s, b, inputs) and the sines of their times into `first.given`
    (s, b, clock); what is told is found in `leave.made`, and derivatives by it are written into
    `leave.by_made`.
    """

    enter: Layer
    first: Layer  # of the clock, as is the second
    second: Layer
    blocks: list[Block]
    leave: Layer
    entered: Tensor
    down: Tensor
    own: Tensor


def residual_together(like: Residual, learned: Learned, rows: int) -> ResidualTogether:
    """Return room for so many rows of each of the networks that `like` is one of."""
    enter = _layer(learned, "enter", rows)
    rooms = [torch.empty_like(enter.made) for _ in range(len(like.layers) + 1)]
    blocks = [_block(like, learned, at, (rooms[at], rooms[at + 1])) for at in range(len(like.layers))]
    first, second = (_layer(learned, f"clock.{at}", rows) for at in (0, 2))
    leave = _layer(learned, "leave", rows, rooms[-1])
    down, own = torch.empty_like(rooms[0]), torch.empty_like(rooms[0])
    return ResidualTogether(enter, first, second, blocks, leave, rooms[0], down, own)


def _layer(learned: Learned, name: str, rows: int, given: Tensor | None = None) -> Layer:
    weight, bias, by_weight, by_bias = learned.under(name)
    count, outputs, inputs = weight.shape
    made, by_made = (bias.new_empty(count, rows, outputs) for _ in range(2))
    given = bias.new_empty(count, rows, inputs) if given is None else given
    return Layer(weight, bias[:, None], by_weight, by_bias, given, made, by_made)


def _block(like: Residual, learned: Learned, at: int, rooms: tuple[Tensor, Tensor]) -> Block:
    scale, shift, by_scale, by_shift = learned.under(f"norms.{at}")
    layer = _layer(learned, f"layers.{at}", rooms[0].shape[1])
    even, mean = torch.empty_like(rooms[0]), rooms[0].new_empty(*rooms[0].shape[:-1], 1)
    eps = like.norms[at].eps
    assert isinstance(eps, float), "a norm has one"
    own = scale[:, None], shift[:, None], by_scale, by_shift
    return Block(*rooms, *own, layer, even, mean, torch.empty_like(mean), eps)


def through(net: ResidualTogether) -> None:
    """Let the rows through all layers."""
    _through(net.first)
    torch.ops.aten.silu(net.first.made, out=net.second.given)
    _through(net.enter)
    net.enter.made.add_(net.second.bias).baddbmm_(net.second.given, net.second.weight.transpose(1, 2))
    torch.ops.aten.silu(net.enter.made, out=net.entered)
    for block in net.blocks:
        _block_through(block)
    _through(net.leave)


def back(net: ResidualTogether) -> None:
    """Put the derivatives by all weights, given those by what was made."""
    _back(net.leave, net.down)
    for above in range(len(net.blocks)):
        _block_back(net.blocks[len(net.blocks) - 1 - above], net.down, net.own)
    torch.ops.aten.silu_backward(net.down, net.enter.made, grad_input=net.enter.by_made)
    _put(net.enter)
    net.second.by_made.copy_(net.enter.by_made)
    _back(net.second, net.down)
    torch.ops.aten.silu_backward(net.down, net.first.made, grad_input=net.first.by_made)
    _put(net.first)


def _through(layer: Layer) -> None:
    torch.baddbmm(layer.bias, layer.given, layer.weight.transpose(1, 2), out=layer.made)


def _put(layer: Layer) -> None:
    torch.bmm(layer.by_made.transpose(1, 2), layer.given, out=layer.by_weight)
    torch.sum(layer.by_made, [1], out=layer.by_bias)


def _back(layer: Layer, room: Tensor) -> None:
    _put(layer)
    torch.bmm(layer.by_made, layer.weight, out=room)  # the derivatives by what was given


def _block_through(block: Block) -> None:
    width = [block.before.size(2)]
    torch.ops.aten.native_layer_norm(
        block.before, width, None, None, block.eps, out0=block.even, out1=block.mean, out2=block.rate
    )
    torch.addcmul(block.shift, block.even, block.scale, out=block.layer.given)
    _through(block.layer)
    torch.ops.aten.silu(block.layer.made, out=block.after)
    block.after.add_(block.before)


def _block_back(block: Block, down: Tensor, own: Tensor) -> None:
    """Turn the derivatives `down` by what the block made into those by h."""
    torch.ops.aten.silu_backward(down, block.layer.made, grad_input=block.layer.by_made)
    _back(block.layer, own)
    torch.sum(own, [1], out=block.by_shift)
    torch.sum(block.even.mul_(own), [1], out=block.by_scale)
    own.mul_(block.scale)
    width = [block.before.size(2)]
    found = torch.ops.aten.native_layer_norm_backward(
        own, block.before, width, block.mean, block.rate, None, None, [True, False, False]
    )
    down.add_(found[0])
