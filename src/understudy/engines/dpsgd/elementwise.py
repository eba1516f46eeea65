"""Activations as two operations that write where they are told: the value, and the derivative.

The derivatives are torch's own, from what torch itself would keep: the result where that is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import nn

__all__ = ["ELEMENTWISE", "Elementwise"]

Tensor = torch.Tensor
_aten: Any = torch.ops.aten


@final
@dataclass(frozen=True)
class Elementwise:
    """How to compute one kind of activation without autograd; `out` may be the first tensor given.

    `value(module, x, out)` and `derivative(module, d, known, out)`, where `known` is the result if
    `from_result`, else the input.
    """

    from_result: bool
    value: Callable[[Any, Tensor, Tensor], object]
    derivative: Callable[[Any, Tensor, Tensor, Tensor], object]


ELEMENTWISE: dict[type[nn.Module], Elementwise] = {
    nn.ReLU: Elementwise(
        True,
        lambda _, x, out: torch.clamp_min(x, 0, out=out),
        lambda _, d, y, out: _aten.threshold_backward.grad_input(d, y, 0, grad_input=out),
    ),
    nn.Tanh: Elementwise(
        True,
        lambda _, x, out: torch.tanh(x, out=out),
        lambda _, d, y, out: _aten.tanh_backward.grad_input(d, y, grad_input=out),
    ),
    nn.Sigmoid: Elementwise(
        True,
        lambda _, x, out: torch.sigmoid(x, out=out),
        lambda _, d, y, out: _aten.sigmoid_backward.grad_input(d, y, grad_input=out),
    ),
    nn.SiLU: Elementwise(
        False,
        lambda _, x, out: _aten.silu.out(x, out=out),
        lambda _, d, x, out: _aten.silu_backward.grad_input(d, x, grad_input=out),
    ),
    nn.GELU: Elementwise(
        False,
        lambda m, x, out: _aten.gelu.out(x, approximate=m.approximate, out=out),
        lambda m, d, x, out: _aten.gelu_backward.grad_input(d, x, approximate=m.approximate, grad_input=out),
    ),
    nn.LeakyReLU: Elementwise(
        False,
        lambda m, x, out: _aten.leaky_relu.out(x, m.negative_slope, out=out),
        lambda m, d, x, out: _aten.leaky_relu_backward.grad_input(
            d, x, m.negative_slope, False, grad_input=out
        ),
    ),
    nn.ELU: Elementwise(
        False,
        lambda m, x, out: _aten.elu.out(x, m.alpha, 1, 1, out=out),
        lambda m, d, x, out: _aten.elu_backward.grad_input(d, m.alpha, 1, 1, False, x, grad_input=out),
    ),
}
