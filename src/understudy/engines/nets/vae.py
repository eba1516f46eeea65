"""A variational autoencoder of rows (Kingma & Welling 2014), with the heads of paper 000, section 5.2.1.

Each number has a Gaussian with a mean and a deviation of its own, each code a distribution over its levels.
In TVAE (Xu et al. 2019, section 4.4) a deviation is learned for each column and not told by the latent, and
means are bounded, as numbers that are measured from a mode are.
The parameters are those of `encoder.` and of `decoder.`: Algorithm 1 of the paper clips the two apart.

The scale of the latents need not be learned from rows: whatever weight the divergence from N(0, I) has, it
is least where the latents of all rows together, as drawn and not as means, have variance 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, final

import numpy as np
import torch
from torch import Tensor, nn

from understudy.engines.fields import Fields
from understudy.engines.nets.perceptron import linear
from understudy.engines.nets.segments import SPARE, Segments
from understudy.engines.nets.undrawn import Undrawn
from understudy.engines.training.widened import NEVER, Spare

__all__ = ["REACH", "Elbo", "Law", "Vae", "VaeSize", "divergence", "drawn", "soft"]

REACH = 5.0  # logarithms of deviations end here, softly: e^-5 to e^5
_NEAR = math.log(0.1)  # a column's deviation at first, where 1 is four deviations of a mode


class Law(NamedTuple):
    """What a latent says of a row: mean and log deviation of each number, log probability of each level."""

    mean: Tensor
    log_sd: Tensor
    logs: Tensor


@final
@dataclass(frozen=True)
class VaeSize:
    """The length of a latent, and the hidden layers of encoder and decoder: how wide, how many.

    `spread` says whose the deviations of numbers are: each row's, as its latent tells, or the column's alone.
    If `bounded`, means lie between -1 and 1, and so do the numbers that are learned from. The decoder begins
    with `shares`, or at `random`: what it can say without latents is then no better than what it can with.
    """

    latent: int = 16
    width: int = 256
    depth: int = 2
    activation: Literal["silu", "relu"] = "silu"
    spread: Literal["row", "column"] = "row"
    bounded: bool = False
    begins: Literal["shares", "random"] = "shares"


@final
class Vae(nn.Module):
    """Maps rows to latents and back; the initial weights come from the generator given.

    The decoder starts out with numbers of mean 0 and deviation 1, as ranks are, and with codes as common as
    the fields say: what is known of each column by itself need not be learned. (Where numbers are modes, as
    in TVAE, that is too good a start: the latents are given up, and columns stay independent.)
    """

    numbers: Tensor
    codes: Tensor

    def __init__(self, fields: Fields, size: VaeSize, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.fields, self.size = fields, size
        self.segments = Segments(fields.sizes)
        self.register_buffer("numbers", torch.tensor(fields.numbers, dtype=torch.int64), persistent=False)
        self.register_buffer("codes", torch.tensor(fields.codes, dtype=torch.int64), persistent=False)
        count, heads = len(fields.numbers), 2 if size.spread == "row" else 1
        self.encoder = _layers(count + fields.levels, size, 2 * size.latent, generator)
        self.decoder = _layers(size.latent, size, heads * count + fields.levels, generator)
        if size.begins == "shares":
            _begin_at_shares(self.decoder[-1], fields)
        # One row of a table, and not a bare parameter: of tables DP-SGD's tape takes gradients per record.
        self.log_sds = _table(count, _NEAR if size.bounded else 0.0) if heads == 1 and count else None

    def room(self) -> dict[str, Spare]:
        """Return what stands at spare places behind all levels."""
        last = f"decoder.{len(self.decoder) - 1}"
        layers = {"encoder.0.weight": Spare(1), f"{last}.weight": Spare(0), f"{last}.bias": Spare(0, NEVER)}
        return layers | {f"segments.{name}": spare for name, spare in SPARE.items()}

    def posterior(self, rows: Tensor) -> Tensor:
        """Return (b, 2 latent): mean and log deviation of q(z | row), each row by itself."""
        mean, log_sd = self.encoder(self.flat(rows)).chunk(2, -1)
        return torch.cat([mean, soft(log_sd)], -1)

    def law(self, latents: Tensor) -> Law:
        """Return p(row | z)."""
        mean, log_sd, logits = self._heads(latents)
        return Law(mean, log_sd, self.segments.log_softmax(logits))

    def log_likelihood(self, rows: Tensor, latents: Tensor) -> Tensor:
        """Return (b,): log p(row | z); of numbers it is a density."""
        numbers, codes = self.parts(rows)
        mean, log_sd, logits = self._heads(latents)
        lost = self.segments.cross_entropy(logits, codes).sum(-1)
        return _log_normal(numbers, mean, log_sd).sum(-1) - lost

    def likelihoods(self, rows: Tensor, known: Tensor, law: Law) -> Tensor:
        """Return (b, p): log p(known cells of row i | z_j) for every pair, up to what j has no part in.

        A Gaussian is a quadratic of its number, so that all pairs are four products of matrices.
        """
        (values, codes), there = self.parts(rows), known[:, self.numbers].to(rows.dtype)
        sharp = torch.exp(-2 * law.log_sd)  # (p, q)
        constant = -0.5 * law.mean.square() * sharp - law.log_sd
        found = (values.square() * there) @ (-0.5 * sharp).T + (values * there) @ (law.mean * sharp).T
        found = found + there @ constant.T
        told = self.segments.spread(known[:, self.codes].to(rows.dtype))
        return found + (self.segments.onehot(codes) * told) @ law.logs.T

    def decode(self, latents: Tensor, generator: torch.Generator, *, means: bool = False) -> Tensor:
        """Return (b, width): a row drawn from p(row | z), or with numbers at their means."""
        law = self.law(latents)
        rows = latents.new_zeros(len(latents), self.fields.width)
        rows[:, self.codes] = self.segments.draw(law.logs, generator).to(rows.dtype)
        rows[:, self.numbers] = law.mean if means else _normal(law.mean, law.log_sd, generator)
        return rows

    def _heads(self, latents: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        heads = [len(self.fields.numbers)] * (2 if self.size.spread == "row" else 1)
        mean, *rest, logits = self.decoder(latents).split([*heads, self.segments.total], -1)
        log_sd = rest[0] if rest else _columns_own(self.log_sds, mean)
        return torch.tanh(mean) if self.size.bounded else mean, soft(log_sd), logits

    def flat(self, rows: Tensor) -> Tensor:
        """Return (b, numbers + levels): what the encoder is shown."""
        numbers, codes = self.parts(rows)
        return torch.cat([numbers, self.segments.onehot(codes)], -1)

    def parts(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers, as they are learned from, and codes."""
        values = rows.index_select(-1, self.numbers)
        numbers = values.clamp(-1.0, 1.0) if self.size.bounded else values
        return numbers, rows.index_select(-1, self.codes).long()


@final
@dataclass(frozen=True)
class Elbo:
    """The negative evidence lower bound of each record, its divergence from N(0, I) weighed by `beta`."""

    beta: float = 1.0

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): -log p(row | z) for one drawn z, and beta KL(q(z | row), N(0, I))."""
        assert isinstance(model, Vae), "the bound is that of an autoencoder"
        told = model.encoder(model.flat(rows))
        fresh = torch.randn(told.chunk(2, -1)[0].shape, generator=noise, device=told.device)
        latents, apart = _Drawn.apply(told, fresh)[:2]  # type: ignore[no-untyped-call]
        lost: Tensor = self.beta * apart - model.log_likelihood(rows, latents)
        return lost


@final
class _Drawn(torch.autograd.Function):
    """Draws z from q(z | row) and tells KL(q(z | row), N(0, I)), with one exponential and no copies.

    What follows is that of `drawn` and `divergence` by the chain rule, written out.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(told: Tensor, fresh: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        mean, raw = told.chunk(2, -1)
        log_sd = soft(raw)
        sd = log_sd.exp()
        apart = 0.5 * (mean.square().sum(-1) + sd.square().sum(-1) - mean.shape[-1]) - log_sd.sum(-1)
        return mean + sd * fresh, apart, log_sd, sd

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, ...]) -> None:
        ctx.mark_non_differentiable(*output[2:])
        ctx.save_for_backward(*inputs, *output[2:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (latents, apart), (told, fresh, log_sd, sd) = grads[:2], ctx.saved_tensors
        mean, weight = told.chunk(2, -1)[0], apart[..., None]
        turned = latents * fresh * sd + weight * (sd.square() - 1)
        return torch.cat([latents + weight * mean, turned * (1 - (log_sd / REACH).square())], -1), None


def drawn(posterior: Tensor, noise: torch.Generator) -> Tensor:
    """Draw z from q(z | row), as `Vae.posterior` tells it."""
    mean, log_sd = posterior.chunk(2, -1)
    return _normal(mean, log_sd, noise)


def divergence(posterior: Tensor) -> Tensor:
    """Return (b,): KL(q(z | row), N(0, I)).

    >>> divergence(torch.tensor([[0.0, 0.0], [2.0, 0.0]])).tolist()
    [0.0, 2.0]
    """
    mean, log_sd = posterior.chunk(2, -1)
    return 0.5 * (mean.square() + torch.exp(2 * log_sd) - 1).sum(-1) - log_sd.sum(-1)


def _normal(mean: Tensor, log_sd: Tensor, noise: torch.Generator) -> Tensor:
    return mean + log_sd.exp() * torch.randn(mean.shape, generator=noise, device=mean.device)


def _columns_own(table: nn.Embedding | None, mean: Tensor) -> Tensor:
    if table is None:  # there are no numbers
        return mean
    out: Tensor = table(torch.zeros(mean.shape[:-1], dtype=torch.int64, device=mean.device))
    return out


def _log_normal(values: Tensor, mean: Tensor, log_sd: Tensor) -> Tensor:
    return -0.5 * (((values - mean) * torch.exp(-log_sd)).square() + math.log(2 * math.pi)) - log_sd


def soft(log_sd: Tensor) -> Tensor:
    """Return logarithms of deviations bent softly into [-REACH, REACH]."""
    # A tanh, in the form that processors compute seven times as fast.
    return REACH * (2 * torch.sigmoid(log_sd * (2 / REACH)) - 1)


def _layers(inputs: int, size: VaeSize, outputs: int, generator: torch.Generator) -> nn.Sequential:
    widths = [inputs, *[size.width] * size.depth]
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [linear(before, after, generator), nn.SiLU() if size.activation == "silu" else nn.ReLU()]
    return nn.Sequential(*layers, linear(widths[-1], outputs, generator))


def _begin_at_shares(last: nn.Module, fields: Fields) -> None:
    assert isinstance(last, nn.Linear), "a decoder ends in a layer"
    shares = [np.log(each) for each in fields.shares]
    with torch.no_grad():
        last.weight.zero_()
        numbers = np.zeros(len(last.bias) - fields.levels)
        last.bias.copy_(torch.from_numpy(np.concatenate([numbers, *shares])))


def _table(width: int, value: float) -> nn.Embedding:
    with Undrawn():
        table = nn.Embedding(1, width)
    with torch.no_grad():
        table.weight.fill_(value)
    return table
