"""The evidence lower bound of an autoencoder, with its derivatives by all weights written out.

It is what `vae.Elbo` computes, as one function in place of some sixty: on a processor, half of a step of
500 rows of Adult is products of matrices, and most of the rest is what automatic differentiation takes to
remember small functions. Records are looked at together here, and one model at a time: it is for training in
the open, alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from torch import Tensor, nn

from understudy.engines.nets.segments import Segments, maxima, summed
from understudy.engines.nets.vae import REACH, Vae, soft

__all__ = ["WholeElbo"]

_HALF_LOG = 0.5 * math.log(2 * math.pi)


@final
@dataclass(frozen=True)
class WholeElbo:
    """The negative evidence lower bound of each record, its divergence from N(0, I) weighed by `beta`."""

    beta: float = 1.0

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): -log p(row | z) for one drawn z, and beta KL(q(z | row), N(0, I))."""
        assert isinstance(model, Vae), "the bound is that of an autoencoder"
        fresh = torch.randn(len(rows), model.size.latent, generator=noise, device=rows.device)
        facts = _Facts(self.beta, model.size.activation, model.size.bounded, model.segments)
        numbers, codes = model.parts(rows)
        weights: list[Tensor] = [p for stack in (model.encoder, model.decoder) for p in stack.parameters()]
        if model.log_sds is not None:
            weights.append(model.log_sds.weight)
        out: Tensor = _Bound.apply(facts, numbers, codes, fresh, *weights)  # type: ignore[no-untyped-call]
        return out


class _Facts(NamedTuple):
    beta: float
    activation: str
    bounded: bool
    segments: Segments


class _Passed(NamedTuple):
    """What a stack of layers was given, layer by layer, and the slopes of what it made of it."""

    inputs: list[Tensor]
    slopes: list[Tensor]


class _Told(NamedTuple):
    """What a decoder says of rows: how far numbers are off, in deviations, and the chances of levels."""

    mean: Tensor
    log_sd: Tensor
    off: Tensor
    chances: Tensor


@final
class _Bound(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, facts: _Facts, *tensors: Tensor) -> Tensor:
        numbers, codes, fresh, *weights = tensors
        depth = len(weights) // 4 * 2
        flat = torch.cat([numbers, facts.segments.onehot(codes)], -1)
        told, encoder = _through(flat, weights[:depth], facts)
        mean, raw = told.chunk(2, -1)
        log_sd = soft(raw)
        sd = log_sd.exp()
        out, decoder = _through(torch.addcmul(mean, sd, fresh), weights[depth : 2 * depth], facts)
        places = codes + facts.segments.starts
        lost, law = _lost(out, numbers, places, weights[2 * depth :], facts)
        apart = 0.5 * (mean.square().sum(-1) + sd.square().sum(-1) - mean.shape[-1]) - log_sd.sum(-1)
        ctx.facts, ctx.law, ctx.stacks, ctx.places = facts, law, (encoder, decoder), places
        ctx.latent, ctx.weights = (mean, log_sd, sd, fresh), weights
        return facts.beta * apart + lost

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        weight, facts, weights = grads[0][:, None], ctx.facts, ctx.weights
        depth, (encoder, decoder) = len(weights) // 4 * 2, ctx.stacks
        down, table = _turned(ctx.law, ctx.places, weight, facts, told=len(weights) == 2 * depth)
        after, down = _back(down, decoder, weights[depth : 2 * depth], facts, first=False)
        mean, log_sd, sd, fresh = ctx.latent
        pull = facts.beta * weight
        turned = (down * fresh).mul_(sd).add_(sd.square().sub_(1).mul_(pull))
        turned.mul_(1 - (log_sd * (1 / REACH)).square_())
        told = torch.cat([down.add_(pull * mean), turned], -1)
        before, _ = _back(told, encoder, weights[:depth], facts, first=True)
        return None, None, None, None, *before, *after, *table


def _through(x: Tensor, weights: Sequence[Tensor], facts: _Facts) -> tuple[Tensor, _Passed]:
    """Return the outputs of a stack of layers, and what is needed to go back."""
    passed = _Passed([], [])
    pairs = list(zip(weights[::2], weights[1::2], strict=True))
    for place, (matrix, bias) in enumerate(pairs):
        passed.inputs.append(x)
        x = torch.addmm(bias, x, matrix.T)
        if place == len(pairs) - 1:
            break
        if facts.activation == "relu":
            x = x.relu_()
            passed.slopes.append(x)
        else:
            share = x.sigmoid()
            made = x * share
            passed.slopes.append(share.add_(made * (1 - share)))
            x = made
    return x, passed


def _back(
    down: Tensor, passed: _Passed, weights: Sequence[Tensor], facts: _Facts, *, first: bool
) -> tuple[list[Tensor], Tensor]:
    """Return the derivatives by the weights, and by what the stack was given unless it is the first."""
    found: list[Tensor] = []
    for place in range(len(passed.inputs) - 1, -1, -1):
        found = [down.T @ passed.inputs[place], down.sum(0), *found]
        if place or not first:
            down = down @ weights[2 * place]
        if place:
            slope = passed.slopes[place - 1]
            down = down.mul_(slope) if facts.activation != "relu" else _kept(down, slope)
    return found, down


def _kept(down: Tensor, made: Tensor) -> Tensor:
    found: Tensor = torch.ops.aten.threshold_backward(down, made, 0)
    return found


def _lost(
    out: Tensor, numbers: Tensor, places: Tensor, table: Sequence[Tensor], facts: _Facts
) -> tuple[Tensor, _Told]:
    """Return (b,): -log p(row | z), and what its derivatives are made of."""
    count = numbers.shape[-1]
    mean = out[:, :count].tanh() if facts.bounded else out[:, :count]
    raw = table[0] if table else out[:, count : 2 * count]
    log_sd = soft(raw).expand(numbers.shape)
    off = (numbers - mean).mul_(torch.exp(-log_sd))
    logits = out[:, len(out[0]) - facts.segments.total :]
    shifted = logits - maxima(facts.segments, logits).index_select(-1, facts.segments.owner)
    chances = shifted.exp()
    sums = summed(chances, facts.segments.members)
    lost = sums[:, : places.shape[-1]].log().sum(-1) - shifted.gather(-1, places).sum(-1)
    lost = lost + (0.5 * off.square() + log_sd).sum(-1) + _HALF_LOG * count
    return lost, _Told(mean, log_sd, off, chances.div_(sums.index_select(-1, facts.segments.owner)))


def _turned(
    law: _Told, places: Tensor, weight: Tensor, facts: _Facts, *, told: bool
) -> tuple[Tensor, list[Tensor]]:
    """Return the derivatives by what the decoder told, and by deviations that it did not tell."""
    mean, log_sd, off, chances = law
    by_mean = -off * torch.exp(-log_sd) * weight
    if facts.bounded:
        by_mean = by_mean * (1 - mean.square())
    by_sd = (1 - off.square()) * weight * (1 - (log_sd * (1 / REACH)).square())
    by_logits = (chances * weight).scatter_add_(-1, places, -weight.expand(places.shape))
    if told:
        return torch.cat([by_mean, by_sd, by_logits], -1), []
    return torch.cat([by_mean, by_logits], -1), [by_sd.sum(0, keepdim=True)]
