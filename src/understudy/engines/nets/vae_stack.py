"""A stack of layers with its derivatives written out, for rows that stand beside each other: (columns, b)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, final

import torch
from torch import Tensor

from understudy.engines.nets.products import product, put_product

__all__ = ["Stack"]


@final
class Stack:
    """Layers of (weight, bias), all but the last with an activation behind.

    `grads` is where the derivatives by each weight and bias are put.
    """

    def __init__(
        self, weights: Sequence[Tensor], grads: Sequence[Tensor], activation: Literal["silu", "relu"]
    ) -> None:
        self._weights, self._biases = weights[::2], [bias[:, None] for bias in weights[1::2]]
        self._by_weights, self._by_biases = grads[::2], grads[1::2]
        self._silu = activation == "silu"
        self._given: list[Tensor] = []  # to each layer
        self._slopes: list[Tensor] = []  # of each activation; of relu, what it let through tells them

    def through(self, rows: Tensor) -> Tensor:
        """Return what the last layer makes of rows."""
        self._given, self._slopes = [rows], []
        for weight, bias in zip(self._weights[:-1], self._biases[:-1], strict=True):
            made = product(weight, self._given[-1]).add_(bias)
            self._given.append(self._bend(made) if self._silu else made.relu_())
        return product(self._weights[-1], self._given[-1]).add_(self._biases[-1])

    def back(self, down: Tensor) -> Tensor:
        """Put all derivatives, given those by what was made; return those by what the first layer made."""
        last = len(self._weights) - 1
        for at in range(last, -1, -1):
            put_product(down, self._given[at].T, self._by_weights[at])
            torch.sum(down, 1, out=self._by_biases[at])
            if at:
                down = self._unbend(product(self._weights[at].T, down), at)
        return down

    def by_rows(self, down: Tensor) -> Tensor:
        """Return the derivatives by rows, given those by what the first layer made of them."""
        return product(self._weights[0].T, down)

    def _bend(self, made: Tensor) -> Tensor:
        slope = torch.sigmoid(made)
        bent = made * slope
        self._slopes.append(slope.addcmul_(bent, torch.sub(1, slope, out=made)))
        return bent

    def _unbend(self, down: Tensor, at: int) -> Tensor:
        """Return the derivatives by what stood before the activation that layer `at` was given."""
        if self._silu:
            return down.mul_(self._slopes[at - 1])
        torch.ops.aten.threshold_backward.grad_input(down, self._given[at], 0, grad_input=down)
        return down
