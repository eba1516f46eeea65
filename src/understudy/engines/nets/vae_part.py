"""The derivatives of an autoencoder's bound by all its weights, written out, for a part of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from understudy.engines.nets.vae import REACH, Vae
from understudy.engines.nets.vae_heads import Levels, Numbers
from understudy.engines.nets.vae_stack import Stack

__all__ = ["Part"]


@final
class Part:
    """So many rows of a batch, and room for all that is computed of them.

    `weights` are the model's parameters, or short copies of those of its layers: products are as exact as
    these are, and so is what goes from layer to layer; the rest is as exact as the model. `grads` are as the
    weights are: the derivatives are put there.
    """

    def __init__(self, model: Vae, weights: Sequence[Tensor], grads: Sequence[Tensor], rows: int) -> None:
        self._model, size, segments = model, model.size, model.segments
        depth, count, self._starts = 2 * (size.depth + 1), len(model.fields.numbers), segments.starts
        self._encoder = Stack(weights[:depth], grads[:depth], rows, size.activation)
        self._decoder = Stack(weights[depth : 2 * depth], grads[depth : 2 * depth], rows, size.activation)
        dtype = next(model.parameters()).dtype
        self._told, self._by_told = _exact(dtype, self._encoder.made, self._encoder.by_made)
        self._law, self._by_law = _exact(dtype, self._decoder.made, self._decoder.by_made)
        self._latents, self._down = _exact(dtype, self._decoder.given, self._decoder.by_given)
        self._bends, self._sd = torch.empty_like(self._down), torch.empty_like(self._down)
        self._posterior, self._by_posterior = self._told.chunk(2, -1), self._by_told.chunk(2, -1)
        table = (weights[-1], grads[-1]) if len(weights) > 2 * depth else ()
        of_law = self._law, self._by_law
        self._levels = Levels(segments, *of_law) if segments.total else None
        self._numbers = Numbers(*of_law, count, table, bounded=size.bounded) if count else None
        seen = self._encoder.given
        self._shown, self._flat = seen[:, :count], seen.view(-1)
        self._lines = torch.arange(rows)[:, None] * seen.shape[1] + count  # where each row's levels begin

    def put(self, rows: Tensor, fresh: Tensor, beta: float, weight: float) -> None:
        """Put the derivatives of `weight` times the sum of the bounds of these rows."""
        if not len(rows):  # half of a batch of one: its derivatives are nothing, as they were made
            return
        numbers, places = self._lay(rows)
        self._encoder.through()
        self._draw(fresh)
        self._decoder.through()
        _move(self._decoder.made, self._law)
        if self._levels is not None:
            self._levels.put(places)
        if self._numbers is not None:
            self._numbers.put(numbers, weight)
        _move(self._by_law.mul_(weight), self._decoder.by_made)
        self._decoder.back(first=False)
        self._return(fresh, beta * weight)
        self._encoder.back(first=True)

    def _lay(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Lay rows out as the encoder is shown them; return their numbers, and the places of their levels."""
        numbers, codes = self._model.parts(rows)
        places = codes.add_(self._starts)
        self._flat.zero_()
        self._shown.copy_(numbers)
        self._flat.index_fill_(0, (places + self._lines).view(-1), 1.0)
        return numbers, places

    def _draw(self, fresh: Tensor) -> None:
        """Draw z from what the encoder told."""
        _move(self._encoder.made, self._told)
        mean, raw = self._posterior
        torch.mul(raw, 2 / REACH, out=self._bends).sigmoid_()  # deviations are bent into reach
        torch.mul(self._bends, 2 * REACH, out=self._sd).sub_(REACH).exp_()
        _move(torch.addcmul(mean, self._sd, fresh, out=self._latents), self._decoder.given)

    def _return(self, fresh: Tensor, pull: float) -> None:
        """Put the derivatives by what the encoder told, given those by z, which are used up."""
        _move(self._decoder.by_given, self._down)
        by_mean, by_raw = self._by_posterior
        torch.add(self._down, self._posterior[0], alpha=pull, out=by_mean)
        by_log_sd = self._down.mul_(fresh).add_(self._sd, alpha=pull).mul_(self._sd).sub_(pull)
        torch.ops.aten.sigmoid_backward.grad_input(by_log_sd.mul_(4), self._bends, grad_input=by_raw)
        _move(self._by_told, self._encoder.by_made)


def _exact(dtype: torch.dtype, *rooms: Tensor) -> list[Tensor]:
    """Return the rooms themselves where they are so exact, and others beside them where not."""
    return [room if room.dtype == dtype else torch.empty_like(room, dtype=dtype) for room in rooms]


def _move(made: Tensor, room: Tensor) -> None:
    if made is not room:
        room.copy_(made)
