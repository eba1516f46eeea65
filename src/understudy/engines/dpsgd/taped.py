"""Linear, LayerNorm and Embedding as functions that keep what a tape needs and make no weight gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, final

import torch
from torch import nn
from torch.autograd import forward_ad
from torch.nn import functional

from understudy.errors import ParameterError

__all__ = ["QUICK", "TAPED", "Keep"]

Tensor = torch.Tensor
Keep = Callable[[Tensor, Tensor], None]


@final
class _Linear(torch.autograd.Function):
    """x W^T + b; keeps x and the derivative of the output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, keep: Keep) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.keep = keep
        return functional.linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *derivatives: Tensor) -> tuple[Tensor | None, None, None, None]:
        x, weight = ctx.saved_tensors
        ctx.keep(x.detach(), derivatives[0])
        return (derivatives[0] @ weight if ctx.needs_input_grad[0] else None), None, None, None


@final
class _LayerNorm(torch.autograd.Function):
    """The normalised input times weight plus bias; keeps the normalised input and the derivative."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor | None, bias: Tensor | None, more: tuple[Any, ...]
    ) -> Tensor:
        shape, eps, ctx.keep = more
        ctx.shape = shape
        out, mean, scale = torch.native_layer_norm(x, shape, weight, bias, eps)
        ctx.save_for_backward(x, weight, bias, mean, scale)
        return out

    @staticmethod
    def backward(ctx: Any, *derivatives: Tensor) -> tuple[Tensor | None, None, None, None]:
        x, weight, bias, mean, scale = ctx.saved_tensors
        ctx.keep((x - mean) * scale, derivatives[0])
        if not ctx.needs_input_grad[0]:
            return None, None, None, None
        inputs_only = [True, False, False]
        found = torch.ops.aten.native_layer_norm_backward(
            derivatives[0].contiguous(), x, ctx.shape, mean, scale, weight, bias, inputs_only
        )
        return found[0], None, None, None


@final
class _Embedding(torch.autograd.Function):
    """Rows of a matrix; keeps the indices and the derivative."""

    @staticmethod
    def forward(ctx: Any, index: Tensor, weight: Tensor, keep: Keep) -> Tensor:
        ctx.save_for_backward(index)
        ctx.keep = keep
        return functional.embedding(index, weight)

    @staticmethod
    def backward(ctx: Any, *derivatives: Tensor) -> tuple[None, None, None]:
        (index,) = ctx.saved_tensors
        ctx.keep(index, derivatives[0])
        return None, None, None


def _linear(module: nn.Module, x: Tensor, keep: Keep) -> Tensor:
    return _apply(_Linear, x, module.weight, module.bias, keep)


def _quick_linear(module: nn.Module, x: Tensor, keep: Keep) -> Tensor:
    """Do what `_Linear` does by a hook on torch's own layer, which spares most of the calls into Python.

    Torch passes the derivative on to `x` by itself, so there must be one; tangents of forward-mode
    derivatives would pass too, which `_Linear` refuses.
    """
    weight, bias = cast("tuple[Tensor, Tensor | None]", (module.weight, module.bias))
    if not x.requires_grad or forward_ad.unpack_dual(x).tangent is not None:  # type: ignore[no-untyped-call]
        return _apply(_Linear, x, weight, bias, keep)
    out = functional.linear(x, weight.detach(), None if bias is None else bias.detach())
    if out.requires_grad:
        out.register_hook(_kept_with(x.detach(), keep))  # type: ignore[no-untyped-call]
    return out


def _kept_with(a: Tensor, keep: Keep) -> Callable[[Tensor], None]:
    """Return a hook that keeps `a` and the derivative, and refuses an `a` that is not what was multiplied."""
    version = a._version  # noqa: SLF001 - how often it was changed in place

    def hook(d: Tensor) -> None:
        # Torch saves no `a` here that it would look after, and the norm of another one would clip too little.
        if a._version != version:  # noqa: SLF001
            raise ParameterError("dpsgd: the input of a Linear was changed in place; change a copy of it.")
        keep(a, d)

    return hook


def _layer_norm(module: nn.Module, x: Tensor, keep: Keep) -> Tensor:
    shape = list(module.normalized_shape)  # type: ignore[arg-type]
    return _apply(_LayerNorm, x, module.weight, module.bias, (shape, module.eps, keep))


def _embedding(module: nn.Module, index: Tensor, keep: Keep) -> Tensor:
    return _apply(_Embedding, index, module.weight, keep)


def _apply(function: Any, *arguments: object) -> Tensor:
    result: Tensor = function.apply(*arguments)
    return result


TAPED: dict[type[nn.Module], Callable[[nn.Module, Tensor, Keep], Tensor]] = {
    nn.Linear: _linear,
    nn.LayerNorm: _layer_norm,
    nn.Embedding: _embedding,
}
QUICK = TAPED | {nn.Linear: _quick_linear}
