"""Gradients per record of any module, by torch.func: the road for layers that the tape does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

from understudy.engines.dpsgd.layers import Contribution, Written
from understudy.engines.dpsgd.tape import refuse_odd_losses

__all__ = ["Loss", "largest_microbatch", "written_gradients"]

Tensor = torch.Tensor
Loss = Callable[..., Tensor]

_ROOM = 2**26  # numbers: a quarter of a GiB of written gradients at a time


@final
class _LossOf(nn.Module):
    """A model and its loss as one module, so that parameters can be swapped wherever the loss uses them."""

    def __init__(self, model: nn.Module, loss: Loss) -> None:
        nn.Module.__init__(self)
        self.model = model
        self._loss = loss

    def forward(self, *record: Tensor) -> Tensor:
        losses = self._loss(self.model, *[part[None] for part in record])
        refuse_odd_losses(losses, 1)
        return losses[0]


def largest_microbatch(parameters: int) -> int:
    """Return how many records' gradients may be written down at once.

    >>> largest_microbatch(1_000_000)
    67
    """
    return max(1, _ROOM // max(1, parameters))


def written_gradients(
    model: nn.Module, loss: Loss, rows: tuple[Tensor, ...], parameters: dict[str, nn.Parameter]
) -> dict[nn.Parameter, Contribution]:
    """Return every record's gradient of every parameter, written down: (batch, *shape) each."""
    whole = _LossOf(model, loss)

    def loss_of(values: dict[str, Tensor], *record: Tensor) -> Any:
        return functional_call(whole, values, record)

    values = {f"model.{name}": parameter.detach() for name, parameter in parameters.items()}
    each = vmap(grad(loss_of), in_dims=(None, *[0] * len(rows)), randomness="different")(values, *rows)
    return {parameter: Written([each[f"model.{name}"]]) for name, parameter in parameters.items()}
