"""The derivatives of an autoencoder's bound by all its weights, written out, for a part of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.engines.nets.products import least_quick
from understudy.engines.nets.vae import REACH, Vae
from understudy.engines.nets.vae_heads import Levels, Numbers, levels_of, numbers_of, put_levels, put_numbers
from understudy.engines.nets.vae_shown import Shown, laid, shown_of
from understudy.engines.nets.vae_stack import Stack, back, by_rows, stack_of, through

__all__ = ["Part", "part_of", "put_part"]


class Part(NamedTuple):
    """So many rows of a batch: the model's layers, and room for what heads compute of these rows."""

    shown: Shown
    encoder: Stack
    decoder: Stack
    law: Tensor
    by_law: Tensor
    levels: Levels
    numbers: Numbers
    beta: float  # the weight of the divergence


def part_of(model: Vae, weights: Sequence[Tensor], grads: Sequence[Tensor], rows: int, beta: float) -> Part:
    """Return room for so many rows.

    `weights` are the model's parameters, or short copies of those of its layers: products are as exact as
    these are, and so is what goes from layer to layer; the rest is as exact as the model. `grads` are as the
    weights are: the derivatives are put there.
    """
    size, count = model.size, len(model.fields.numbers)
    depth, silu, least = 2 * (size.depth + 1), size.activation == "silu", least_quick()
    law = torch.empty(len(weights[2 * depth - 1]), rows, dtype=next(model.parameters()).dtype)
    by_law = torch.empty_like(law)
    table = (weights[-1], grads[-1]) if len(weights) > 2 * depth else ()
    return Part(
        shown_of(model, rows, weights[0].dtype),
        stack_of(weights[:depth], grads[:depth], least, silu=silu),
        stack_of(weights[depth : 2 * depth], grads[depth : 2 * depth], least, silu=silu),
        law,
        by_law,
        levels_of(model.segments, law, by_law),
        numbers_of(law, by_law, count, table, bounded=size.bounded),
        beta,
    )


def put_part(part: Part, rows: Tensor, drawn: Tensor, weight: float, reach: float = REACH) -> None:
    """Put the derivatives of `weight` times the sum of these rows' bounds, by noise drawn (b, latent).

    To be made a `program`.
    """
    exact, short = part.law.dtype, part.encoder.weights[0].dtype
    shown = laid(part.shown, rows)
    there = through(part.encoder, shown.seen)
    told = there.made.to(exact)
    mean, raw = told.chunk(2)
    fresh = drawn.t().contiguous().to(exact)
    bends = torch.mul(raw, 2 / reach).sigmoid_()  # deviations are bent into reach
    sd = torch.mul(bends, 2 * reach).sub_(reach).exp_()
    latents = torch.addcmul(mean, sd, fresh)
    again = through(part.decoder, latents.to(short))
    part.law.copy_(again.made)
    if shown.places.size(0) > 0:
        put_levels(part.levels, shown.places)
    if shown.numbers.size(0) > 0:
        put_numbers(part.numbers, shown.numbers, weight)
    first = back(part.decoder, again, part.by_law.mul_(weight).to(short))
    by_latents, pull = by_rows(part.decoder, first).to(exact), part.beta * weight
    by_told = torch.empty_like(told)
    by_mean, by_raw = by_told.chunk(2)
    torch.add(by_latents, mean, alpha=pull, out=by_mean)
    by_log_sd = by_latents.mul_(fresh).add_(sd, alpha=pull).mul_(sd).sub_(pull)
    torch.ops.aten.sigmoid_backward(by_log_sd.mul_(4.0), bends, grad_input=by_raw)
    back(part.encoder, there, by_told.to(short))
