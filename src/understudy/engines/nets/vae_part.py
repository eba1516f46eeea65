"""The derivatives of an autoencoder's bound by all its weights, written out, for a part of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from understudy.engines.nets.vae import REACH, Vae
from understudy.engines.nets.vae_heads import Levels, Numbers
from understudy.engines.nets.vae_shown import Laid
from understudy.engines.nets.vae_stack import Stack

__all__ = ["Part"]


@final
class Part:
    """So many rows of a batch, and room for what heads compute of them.

    `weights` are the model's parameters, or short copies of those of its layers: products are as exact as
    these are, and so is what goes from layer to layer; the rest is as exact as the model. `grads` are as the
    weights are: the derivatives are put there.
    """

    def __init__(self, model: Vae, weights: Sequence[Tensor], grads: Sequence[Tensor], rows: int) -> None:
        size, segments = model.size, model.segments
        depth, count = 2 * (size.depth + 1), len(model.fields.numbers)
        self._encoder = Stack(weights[:depth], grads[:depth], size.activation)
        self._decoder = Stack(weights[depth : 2 * depth], grads[depth : 2 * depth], size.activation)
        self._exact, self._short = next(model.parameters()).dtype, weights[0].dtype
        exact = torch.empty(len(weights[2 * depth - 1]), rows, dtype=self._exact)
        self._law, self._by_law = exact, torch.empty_like(exact)
        table = (weights[-1], grads[-1]) if len(weights) > 2 * depth else ()
        of_law = self._law, self._by_law
        self._levels = Levels(segments, *of_law) if segments.total else None
        self._numbers = Numbers(*of_law, count, table, bounded=size.bounded) if count else None

    def put(self, laid: Laid, fresh: Tensor, beta: float, weight: float) -> None:
        """Put the derivatives of `weight` times the sum of the bounds of these rows."""
        told = self._encoder.through(laid.seen).to(self._exact)
        mean, raw = told.chunk(2)
        bends = torch.mul(raw, 2 / REACH).sigmoid_()  # deviations are bent into reach
        sd = torch.mul(bends, 2 * REACH).sub_(REACH).exp_()
        latents = torch.addcmul(mean, sd, fresh)
        self._law.copy_(self._decoder.through(latents.to(self._short)))
        self._judge(laid.numbers, laid.places, weight)
        first = self._decoder.back(self._by_law.mul_(weight).to(self._short))
        by_latents, pull = self._decoder.by_rows(first).to(self._exact), beta * weight
        by_told = torch.empty_like(told)
        by_mean, by_raw = by_told.chunk(2)
        torch.add(by_latents, mean, alpha=pull, out=by_mean)
        by_log_sd = by_latents.mul_(fresh).add_(sd, alpha=pull).mul_(sd).sub_(pull)
        torch.ops.aten.sigmoid_backward.grad_input(by_log_sd.mul_(4), bends, grad_input=by_raw)
        self._encoder.back(by_told.to(self._short))

    def _judge(self, numbers: Tensor, places: Tensor, weight: float) -> None:
        """Put the derivatives by what the decoder told; all but those by a table are still to be weighed."""
        if self._levels is not None:
            self._levels.put(places)
        if self._numbers is not None:
            self._numbers.put(numbers, weight)
