"""Linear layers and activations as one function of autograd, which writes where the step before wrote.

It keeps the same `a` and `d` as the layers one by one and makes no weight gradients. What goes out (the
result, the derivative by the input) is fresh, as somebody may keep it; what stays inside lies in rooms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import nn
from torch.autograd.function import once_differentiable

from understudy.engines.dpsgd.elementwise import Elementwise
from understudy.engines.dpsgd.taped import Keep
from understudy.errors import ParameterError

__all__ = ["Layer", "Rooms", "fused"]

Tensor = torch.Tensor
_NOTHING = torch.empty(0)


@final
@dataclass(frozen=True)
class Layer:
    """An activation (with a bend) or a Linear layer, as it is in one call; recorded if it has a `keep`."""

    module: nn.Module
    bend: Elementwise | None = None
    weight: Tensor = _NOTHING
    bias: Tensor | None = None
    keep: Keep | None = None


@final
class Rooms:
    """Arrays under names, kept from pass to pass, and the number of the pass and of the call in it."""

    def __init__(self) -> None:
        self.number_of_pass = 0
        self._calls = 0
        self._rooms: dict[tuple[int, int, str], Tensor] = {}

    def free(self) -> None:
        """Begin a pass: its first call writes where the first call of the last pass wrote, and so on."""
        self.number_of_pass += 1
        self._calls = 0

    def next_call(self) -> int:
        """Return a number that no other call of this pass has."""
        self._calls += 1
        return self._calls

    def room(self, name: tuple[int, int, str], like: Tensor, width: int) -> Tensor:
        """Return a room as long as `like`; a shorter one than before leaves the memory as it is."""
        shape, found = (len(like), width), self._rooms.get(name)
        if found is None or found.dtype != like.dtype:
            found = self._rooms[name] = _fresh(like, width)
        return found if found.shape == shape else found.resize_(shape)


def fused(x: Tensor, layers: list[Layer], rooms: Rooms) -> Tensor:
    """Return what the layers make of `x`, (batch, width); at least one of them is recorded."""
    parts = [part for layer in layers if layer.bend is None for part in (layer.weight, layer.bias)]
    result: Tensor = _Fused.apply(x, _Call(layers, rooms), *parts)  # type: ignore[no-untyped-call]
    return result


@final
class _Fused(torch.autograd.Function):
    """Weights are inputs, so that torch sees their tangents, and changes in place before the way back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, call: _Call, *parts: Tensor | None) -> Tensor:
        out = call.forwards(x)
        ctx.call = call
        ctx.save_for_backward(x, out if call.needs_result else None, *parts)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *derivatives: Tensor) -> tuple[Tensor | None, ...]:
        x, out, *parts = ctx.saved_tensors
        found = ctx.call.backwards(x.detach(), out, derivatives[0], ctx.needs_input_grad[0])
        return found, None, *[None] * len(parts)


@final
class _Call:
    """What one call keeps between its way forwards and its way back."""

    def __init__(self, layers: list[Layer], rooms: Rooms) -> None:
        self._layers, self._rooms, self._last = layers, rooms, len(layers) - 1
        self._pass, self._number = rooms.number_of_pass, rooms.next_call()
        self._between: list[Tensor] = []  # what goes into each layer but the first

    @property
    def needs_result(self) -> bool:
        """Whether the derivative of the last layer is computed from the result."""
        bend = self._layers[-1].bend
        return bend is not None and bend.from_result

    def forwards(self, x: Tensor) -> Tensor:
        """Return the output."""
        for i in range(self._last):
            x = self._value(i, x)
            self._between.append(x)
        return self._value(self._last, x)

    def _value(self, i: int, x: Tensor) -> Tensor:
        layer = self._layers[i]
        if layer.bend is not None:
            # What a Linear layer has just written is nobody else's, and it does not need it again.
            over = layer.bend.from_result and 0 < i < self._last and self._layers[i - 1].bend is None
            out = x if over else self._room(i, "a", x, x.shape[1])
            layer.bend.value(layer.module, x, out)
            return out
        out = self._room(i, "a", x, len(layer.weight))
        if layer.bias is None:
            return torch.mm(x, layer.weight.t(), out=out)
        return torch.addmm(layer.bias, x, layer.weight.t(), out=out)

    def backwards(self, x: Tensor, out: Tensor | None, d: Tensor, wanted: bool) -> Tensor | None:
        """Hand each Linear layer's input and derivative to its keep; return the derivative by x if wanted."""
        if self._pass != self._rooms.number_of_pass:
            raise ParameterError(
                "dpsgd: the loss uses what the model computed in an earlier pass; detach it."
            )
        values = [x, *self._between, x if out is None else out]
        lowest = -1 if wanted else min(i for i, layer in enumerate(self._layers) if layer.keep is not None)
        for i in range(self._last, max(lowest, 0) - 1, -1):
            keep = self._layers[i].keep
            if keep is not None:
                keep(values[i], d)
            if i > lowest:
                d = self._derivative(i, d, values)
        return d if wanted else None

    def _derivative(self, i: int, d: Tensor, values: list[Tensor]) -> Tensor:
        """Return the derivative by a layer's input from that by its output."""
        layer = self._layers[i]
        if layer.bend is None:
            return torch.mm(d, layer.weight, out=self._room(i, "d", d, layer.weight.shape[1]))
        # But for the last layer's, which is autograd's, d is ours, and no layer has kept it.
        out = d if 0 < i < self._last else self._room(i, "d", d, d.shape[1])
        layer.bend.derivative(layer.module, d, values[i + layer.bend.from_result], out)
        return out

    def _room(self, i: int, kind: str, like: Tensor, width: int) -> Tensor:
        outside = i == self._last if kind == "a" else i == 0
        return _fresh(like, width) if outside else self._rooms.room((self._number, i, kind), like, width)


def _fresh(like: Tensor, width: int) -> Tensor:
    return torch.empty((len(like), width), dtype=like.dtype, device=like.device)
