"""A stack of layers with its derivatives written out, and with room for all that they need.

Memory that is asked for anew in every step costs time by itself, when its pages are seen for the first time;
so does every look at a matrix from another side. Both are made once.
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

    Rows are written into `given`, and the last layer tells `made`; derivatives by that are written into
    `by_made`, and those by rows are found in `by_given`. `grads` is where the derivatives by each weight and
    bias are put.
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
        self._made = [weight.new_empty(rows, len(weight)) for weight in self._weights]
        self._slopes = [torch.empty_like(made) for made in self._made[:-1]] if self._silu else []
        self._bent = [torch.empty_like(made) for made in self._made[:-1]] if self._silu else self._made[:-1]
        self._inputs = [self._weights[0].new_empty(rows, self._weights[0].shape[1]), *self._bent]
        self._down = [torch.empty_like(each) for each in (*self._inputs, self._made[-1])]
        self._across = [weight.T for weight in self._weights], [down.T for down in self._down]
        self.given, self.made = self._inputs[0], self._made[-1]
        self.by_given, self.by_made = self._down[0], self._down[-1]

    def through(self) -> None:
        """Let the rows through all layers."""
        for at, (across, bias) in enumerate(zip(self._across[0], self._biases, strict=True)):
            torch.addmm(bias, self._inputs[at], across, out=self._made[at])
            if at < len(self._bent):
                self._bend(at)

    def back(self, *, first: bool) -> None:
        """Put the derivatives by weights and by rows, given those by what was made.

        What comes `first` was given rows: nobody asks for derivatives by these, and none are made.
        """
        for at in reversed(range(len(self._weights))):
            down = self._down[at + 1]
            torch.mm(self._across[1][at + 1], self._inputs[at], out=self._by_weights[at])
            torch.sum(down, 0, out=self._by_biases[at])
            if at or not first:
                torch.mm(down, self._weights[at], out=self._down[at])
            if at:
                self._unbend(self._down[at], at - 1)

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
