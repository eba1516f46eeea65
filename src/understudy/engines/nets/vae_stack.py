"""A stack of layers with its derivatives written out, for rows that stand beside each other: (columns, b).

Made to be part of a `program`, which is told numbers, flags, tensors, and lists and tuples of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.engines.nets.products import product_by, put_product_by

__all__ = ["Passed", "Stack", "back", "by_rows", "stack_of", "through"]


class Stack(NamedTuple):
    """Layers, all but the last with an activation behind, and where derivatives by each are put."""

    weights: list[Tensor]
    biases: list[Tensor]  # (m, 1) each
    by_weights: list[Tensor]
    by_biases: list[Tensor]
    silu: bool  # else relu
    least: int  # of so many multiplications on oneDNN is asked for a product


class Passed(NamedTuple):
    """What the way back needs of the way through: what each layer was given, and slopes of activations."""

    given: list[Tensor]
    slopes: list[Tensor]  # of silu; of relu, what it let through tells them
    made: Tensor


def stack_of(weights: Sequence[Tensor], grads: Sequence[Tensor], least: int, *, silu: bool) -> Stack:
    """Return layers of (weight, bias), told in turns, as are those of `grads`."""
    biases = [bias[:, None] for bias in weights[1::2]]
    return Stack(list(weights[::2]), biases, list(grads[::2]), list(grads[1::2]), silu, least)


def through(stack: Stack, rows: Tensor) -> Passed:
    """Return what the last layer makes of rows, and what was on the way."""
    given, slopes = [rows], [rows][:0]
    last = len(stack.weights) - 1
    for at in range(last):
        made = product_by(stack.least, stack.weights[at], given[-1]).add_(stack.biases[at])
        if stack.silu:
            slope = torch.sigmoid(made)
            bent = made * slope
            slopes.append(slope.addcmul_(bent, torch.sub(torch.ones_like(slope), slope)))
            given.append(bent)
        else:
            given.append(made.relu_())
    return Passed(
        given, slopes, product_by(stack.least, stack.weights[last], given[-1]).add_(stack.biases[last])
    )


def back(stack: Stack, passed: Passed, down: Tensor) -> Tensor:
    """Put all derivatives, given those by what was made; return those by what the first layer made."""
    last = len(stack.weights) - 1
    for above in range(last):
        at = last - above
        _put(stack, passed, at, down)
        down = product_by(stack.least, stack.weights[at].t(), down)
        if stack.silu:
            down.mul_(passed.slopes[at - 1])
        else:
            torch.ops.aten.threshold_backward(down, passed.given[at], 0, grad_input=down)
    _put(stack, passed, 0, down)
    return down


def by_rows(stack: Stack, down: Tensor) -> Tensor:
    """Return the derivatives by rows, given those by what the first layer made of them."""
    return product_by(stack.least, stack.weights[0].t(), down)


def _put(stack: Stack, passed: Passed, at: int, down: Tensor) -> None:
    put_product_by(stack.least, down, passed.given[at].t(), stack.by_weights[at])
    torch.sum(down, [1], out=stack.by_biases[at])
