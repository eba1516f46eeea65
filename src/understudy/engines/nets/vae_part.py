"""The derivatives of an autoencoder's bound by all its weights, written out, for a part of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from understudy.engines.nets.segments import maxima
from understudy.engines.nets.vae import REACH, Vae, soft
from understudy.engines.nets.vae_stack import Stack

__all__ = ["Part"]

_SAFE = 60.0  # exponentials of up to so much, and sums of them, are numbers in single precision


@final
class Part:
    """So many rows of a batch, and room for all that is computed of them.

    `grads` are as the model's parameters are: the derivatives are put there.
    """

    def __init__(self, model: Vae, grads: Sequence[Tensor], rows: int) -> None:
        self._model, self._segments, size = model, model.segments, model.size
        weights = [parameter.detach() for parameter in model.parameters()]
        depth = 2 * (size.depth + 1)
        self._encoder = Stack(weights[:depth], grads[:depth], rows, size.activation)
        self._decoder = Stack(weights[depth : 2 * depth], grads[depth : 2 * depth], rows, size.activation)
        self._table, self._by_table = weights[2 * depth :], grads[2 * depth :]
        some = weights[0]
        self._flat = some.new_zeros(rows, some.shape[1])
        self._latents, self._log_sd, self._sd = (some.new_empty(rows, size.latent) for _ in range(3))
        self._by_told = some.new_empty(rows, 2 * size.latent)
        self._by_law = some.new_empty(rows, len(weights[2 * depth - 1]))
        self._members = self._segments.members.to(some.dtype)
        self._sums = some.new_empty(rows, self._members.shape[1])
        self._shares = some.new_empty(rows, len(self._members))

    def put(self, rows: Tensor, fresh: Tensor, beta: float, weight: float) -> None:
        """Put the derivatives of `weight` times the sum of the bounds of these rows."""
        if not len(rows):  # half of a batch of one: its derivatives are nothing, as they were made
            return
        numbers = self._shown(rows)
        told = self._encoder.through(self._flat)
        self._by_rows(self._decoder.through(self._drawn(told, fresh)), numbers)
        down = self._decoder.back(self._by_law.mul_(weight), first=False)
        for table in self._by_table:
            table.mul_(weight)
        self._encoder.back(self._by_latents(told, down, fresh, beta * weight), first=True)

    def _shown(self, rows: Tensor) -> Tensor:
        """Lay rows out as the encoder is shown them; return their numbers."""
        numbers, codes = self._model.parts(rows)
        count = numbers.shape[-1]
        self._flat.zero_()
        self._flat[:, :count] = numbers
        self._flat[:, count:].scatter_(-1, codes + self._segments.starts, 1.0)
        return numbers

    def _drawn(self, told: Tensor, fresh: Tensor) -> Tensor:
        """Return z, drawn from what the encoder told."""
        mean, raw = told.chunk(2, -1)
        torch.mul(raw, 2 / REACH, out=self._log_sd).sigmoid_().mul_(2 * REACH).sub_(REACH)
        torch.exp(self._log_sd, out=self._sd)
        return torch.addcmul(mean, self._sd, fresh, out=self._latents)

    def _by_latents(self, told: Tensor, down: Tensor, fresh: Tensor, pull: float) -> Tensor:
        """Return the derivatives by what the encoder told, given those by z; its deviations are used up."""
        mean = told.chunk(2, -1)[0]
        by_mean, by_sd = self._by_told.chunk(2, -1)
        torch.add(down, mean, alpha=pull, out=by_mean)
        torch.mul(down, fresh, out=by_sd).mul_(self._sd)
        by_sd.add_(self._sd.square_(), alpha=pull).sub_(pull)
        by_sd.mul_(self._log_sd.square_().mul_(-1 / REACH**2).add_(1))  # deviations are bent into reach
        return self._by_told

    def _by_rows(self, out: Tensor, numbers: Tensor) -> None:
        """Put the derivatives of -log p(row | z) by what the decoder told."""
        count, total = numbers.shape[-1], self._segments.total
        if total:
            self._chances(out)
            self._by_law[:, -total:].sub_(self._flat[:, count:])
        if count:
            self._by_numbers(out, numbers)

    def _chances(self, out: Tensor) -> None:
        """Put the softmax of each column; what stands in the place of numbers means nothing yet."""
        low, high = torch.aminmax(out)
        if not (low.item() > -_SAFE and high.item() < _SAFE):  # rare, and slow
            logits = out[:, -self._segments.total :]
            logits.sub_(maxima(self._segments, logits).index_select(-1, self._segments.owner))
        chances = torch.exp(out, out=self._by_law)[:, -self._segments.total :]  # whole: lines are slow
        torch.mm(chances, self._members, out=self._sums)
        self._sums[:, : len(self._segments.sizes)].reciprocal_()  # what is behind them stays nothing
        chances.mul_(torch.mm(self._sums, self._members.T, out=self._shares))

    def _by_numbers(self, out: Tensor, numbers: Tensor) -> None:
        count, bounded = numbers.shape[-1], self._model.size.bounded
        mean = out[:, :count].contiguous()
        mean = mean.tanh_() if bounded else mean
        log_sd = soft(self._table[0] if self._table else out[:, count : 2 * count])
        sharp = torch.exp(-log_sd)
        off = (numbers - mean).mul_(sharp)
        slope = mean.square_().sub_(1) if bounded else -1.0
        torch.mul(off * sharp, slope, out=self._by_law[:, :count])
        by_sd, bent = 1 - off.square_(), 1 - (log_sd / REACH).square_()
        if self._table:
            torch.mul(by_sd.sum(0, keepdim=True), bent, out=self._by_table[0])
        else:
            torch.mul(by_sd, bent, out=self._by_law[:, count : 2 * count])
