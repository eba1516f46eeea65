"""A stack of layers with its derivatives written out, and with room for all that they need.

Memory that is asked for anew in every step costs time by itself, when its pages are seen for the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, final

import torch
from torch import Tensor

__all__ = ["Stack"]


@final
class Stack:
    """Layers of (weight, bias), all but the last with an activation behind, for so many rows at a time.

    `grads` is where the derivatives by each weight and bias are put.
    """

    def __init__(
        self,
        weights: Sequence[Tensor],
        grads: Sequence[Tensor],
        rows: int,
        activation: Literal["silu", "relu"],
    ) -> None:
        self._weights, self._biases = weights[::2], weights[1::2]
        self._by_weights, self._by_biases = grads[::2], grads[1::2]
        self._silu = activation == "silu"
        self._inputs: list[Tensor] = []
        self._made = [weight.new_empty(rows, len(weight)) for weight in self._weights]
        self._slopes = [torch.empty_like(made) for made in self._made[:-1]] if self._silu else []
        self._bent = [torch.empty_like(made) for made in self._made[:-1]] if self._silu else self._made[:-1]
        self._down = [weight.new_empty(rows, weight.shape[1]) for weight in self._weights]

    def through(self, x: Tensor) -> Tensor:
        """Return what the last layer makes of the rows; it is overwritten by the next ones."""
        self._inputs = [x, *self._bent]
        for at, (weight, bias) in enumerate(zip(self._weights, self._biases, strict=True)):
            torch.addmm(bias, self._inputs[at], weight.T, out=self._made[at])
            if at < len(self._bent):
                self._bend(at)
        return self._made[-1]

    def back(self, down: Tensor, *, first: bool) -> Tensor:
        """Put the derivatives by weights, given those by what was made; return those by what was given.

        What comes `first` was given rows: nobody asks for derivatives by these, and none are made.
        """
        for at in reversed(range(len(self._weights))):
            torch.mm(down.T, self._inputs[at], out=self._by_weights[at])
            torch.sum(down, 0, out=self._by_biases[at])
            if at or not first:
                down = torch.mm(down, self._weights[at], out=self._down[at])
            if at:
                self._unbend(down, at - 1)
        return down

    def _bend(self, at: int) -> None:
        made = self._made[at]
        if not self._silu:
            made.relu_()
            return
        slope, bent = torch.sigmoid(made, out=self._slopes[at]), self._bent[at]
        torch.mul(made, slope, out=bent)
        slope.addcmul_(bent, torch.sub(1, slope, out=made))

    def _unbend(self, down: Tensor, at: int) -> None:
        if self._silu:
            down.mul_(self._slopes[at])
        else:
            torch.ops.aten.threshold_backward.grad_input(down, self._bent[at], 0, grad_input=down)
