"""The cross-entropy of all columns of codes as two Triton kernels: each logit is read once, and once again.

Imported only where there is a device. By tensor operations the same takes some twenty passes over the logits,
a seventh of the time of a step of twenty models side by side.
"""
# ruff: noqa: ANN001 - Triton takes an annotation for a name that it should know

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, final

import torch
from torch import Tensor

__all__ = ["cross_entropy"]

# Without Triton this file can still be read by tools that import every module; nothing can be launched.
_FOUND = importlib.util.find_spec("triton") is not None
triton: Any = importlib.import_module("triton") if _FOUND else None
tl: Any = importlib.import_module("triton.language") if _FOUND else None

Given = tuple[Tensor, ...]


def _kernel(function: Callable[..., Any]) -> Any:
    return triton.jit(function) if _FOUND else function


def cross_entropy(logits: Tensor, codes: Tensor, starts: Tensor, counts: Tensor, widest: int) -> Tensor:
    """Return (..., m): -log of the probability of each code; logits are (..., total) float32.

    `starts` and `counts` are the places and levels of m columns. Under `vmap` they may be each model's own.
    `widest` is at least the most levels of any column of any model.
    """
    rows, columns = logits.shape[:-1], len(starts)
    flat, picked = logits.reshape(1, -1, logits.shape[-1]), codes.expand(*rows, columns)
    found: Given = _Loss.apply(flat, picked.reshape(1, -1, columns), starts[None], counts[None], widest)  # type: ignore[no-untyped-call]
    return found[0].view(*rows, columns)


@_kernel
def _lose(  # type: ignore[no-untyped-def]  # noqa: ANN202, PLR0917 - it can be given nothing else
    logits,
    codes,
    starts,
    counts,
    losses,
    logs,
    rows,
    total,
    columns: tl.constexpr,
    width: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    model = row // rows
    inside = tl.arange(0, width)
    for column in range(columns):
        start = tl.load(starts + model * columns + column)
        count = tl.load(counts + model * columns + column)
        at = logits + row * total + start
        values = tl.load(at + inside, mask=inside < count, other=float("-inf"))
        best = tl.max(values, axis=0)
        log = best + tl.log(tl.sum(tl.exp(values - best), axis=0))
        told = tl.load(at + tl.load(codes + row * columns + column))
        tl.store(logs + row * columns + column, log)
        tl.store(losses + row * columns + column, log - told)


@_kernel
def _slope(  # type: ignore[no-untyped-def]  # noqa: ANN202, PLR0917 - it can be given nothing else
    logits,
    codes,
    starts,
    counts,
    logs,
    grads,
    out,
    rows,
    total,
    columns: tl.constexpr,
    width: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    model = row // rows
    inside = tl.arange(0, width)
    for column in range(columns):
        start = tl.load(starts + model * columns + column)
        count = tl.load(counts + model * columns + column)
        place, at = row * columns + column, row * total + start
        values = tl.load(logits + at + inside, mask=inside < count, other=float("-inf"))
        chances = tl.exp(values - tl.load(logs + place))
        hit = tl.where(inside == tl.load(codes + place), 1.0, 0.0)
        tl.store(out + at + inside, (chances - hit) * tl.load(grads + place), mask=inside < count)


@final
class _Loss(torch.autograd.Function):
    """Logits (k, b, total) and codes (k, b, m) of k models to losses (k, b, m), and the logs of sums."""

    @staticmethod
    def forward(
        logits: Tensor, codes: Tensor, starts: Tensor, counts: Tensor, widest: int
    ) -> tuple[Tensor, Tensor]:
        logits, codes = logits.contiguous(), codes.contiguous()
        losses = logits.new_empty(codes.shape)
        logs = torch.empty_like(losses)
        if losses.numel():
            _launch(_lose, (logits, codes, starts, counts, losses, logs), widest)
        return losses, logs

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*inputs[:4], output[1])
        ctx.widest = inputs[4]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        logits, codes, starts, counts, logs = ctx.saved_tensors
        found: Tensor = _Slope.apply(logits, codes, starts, counts, logs, grads[0], ctx.widest)  # type: ignore[no-untyped-call]
        return found, None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Any) -> tuple[Any, Any]:
        """Take models of `vmap` for models."""
        losses, logs = _Loss.apply(*_merged(info.batch_size, in_dims[:4], given[:4]), given[4])  # type: ignore[no-untyped-call]
        return (_apart(losses, info.batch_size), _apart(logs, info.batch_size)), (0, 0)


@final
class _Slope(torch.autograd.Function):
    """The derivative of `_Loss`; it has none itself, as nobody asks for a second one."""

    @staticmethod
    def forward(*given: Any) -> Tensor:
        """Take logits, codes, starts, counts, logs of sums, the slopes of losses, and the widest."""
        *tensors, widest = given
        logits, codes, starts, counts, logs, grads = (each.contiguous() for each in tensors)
        out = torch.zeros_like(logits)  # spare places have no slope
        if codes.numel():
            _launch(_slope, (logits, codes, starts, counts, logs, grads, out), widest)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep nothing."""

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Any) -> tuple[Tensor, int]:
        """Take models of `vmap` for models."""
        found: Tensor = _Slope.apply(*_merged(info.batch_size, in_dims[:6], given[:6]), given[6])  # type: ignore[no-untyped-call]
        return _apart(found, info.batch_size), 0


def _merged(models: int, axes: tuple[int | None, ...], given: tuple[Tensor, ...]) -> list[Tensor]:
    """Return tensors whose first axis is that of `vmap` and that of models in one."""
    return [
        (tensor.expand(models, *tensor.shape) if axis is None else tensor.movedim(axis, 0)).flatten(0, 1)
        for tensor, axis in zip(given, axes, strict=True)
    ]


def _apart(tensor: Tensor, models: int) -> Tensor:
    return tensor.view(models, -1, *tensor.shape[1:])


def _launch(kernel: Any, tensors: Given, widest: int) -> None:
    logits, codes, starts, counts, *rest = tensors
    models, rows, columns = codes.shape
    held = [each.expand(models, columns).contiguous() for each in (starts, counts)]
    sizes = {"columns": columns, "width": 1 << max(widest - 1, 0).bit_length()}
    with torch.cuda.device(logits.device):  # a launch is on the current one
        kernel[(models * rows,)](logits, codes, *held, *rest, rows, logits.shape[-1], **sizes, num_warps=1)
