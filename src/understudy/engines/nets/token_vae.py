"""A variational autoencoder of tokens: each cell has a short latent of its own (TabSyn's, Zhang et al. 2024).

cells -> tokens -> blocks -> mean and log deviation of each token's latent -> blocks -> tokens -> cells

Beside the latents their centre and scale are learned, each coordinate's own, by parameters that nothing else
reaches: a normal law of all rows' latents is likeliest at their mean and deviation. So whoever takes latents
on from here needs no look at the rows, which under a budget would have to be paid for.

Differences to the reference: one encoder tells means and deviations, and not two; the decoder is told which
token is which; there is no extra token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.fields import Fields
from understudy.engines.nets.perceptron import linear
from understudy.engines.nets.segments import Segments
from understudy.engines.nets.tokens import Block, Detokenizer, Tokenizer
from understudy.engines.nets.vae import divergence, drawn

__all__ = ["TokenLoss", "TokenSize", "TokenVae"]

_REACH = 5.0  # logarithms of deviations end here, softly
_QUICK = 5.0  # centre and scale are so many times their parameters: they must keep up with the encoder


@final
@dataclass(frozen=True)
class TokenSize:
    """The width of a token, heads and blocks of encoder and decoder, how much wider their inner layer is."""

    token: int = 4
    heads: int = 1
    blocks: int = 1
    feed: int = 8


@final
class TokenVae(nn.Module):
    """Maps rows to latents (b, t, d) and back, a token for each cell: numbers first, then codes."""

    numbers: Tensor
    codes: Tensor
    steps: Tensor

    def __init__(self, fields: Fields, size: TokenSize, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.fields, self.size, self.segments = fields, size, Segments(fields.sizes)
        shape = (fields.width, size.token)
        self.tokenizer = Tokenizer(fields, size.token, generator)
        self.encoder, self.decoder = _blocks(size, generator), _blocks(size, generator)
        self.told = linear(size.token, 2 * size.token, generator)
        self.places = nn.Parameter(0.5 * torch.randn(shape, generator=generator))
        self.detokenizer = Detokenizer(fields, size.token)
        self.law_of_all = nn.Parameter(torch.zeros(2, *shape))
        self.register_buffer("numbers", torch.tensor(fields.numbers, dtype=torch.int64), persistent=False)
        self.register_buffer("codes", torch.tensor(fields.codes, dtype=torch.int64), persistent=False)
        self.register_buffer("steps", torch.zeros(()))  # taken so far: the loss's weights follow them

    def posterior(self, rows: Tensor) -> Tensor:
        """Return (b, t, 2 d): mean and log deviation of each token's latent."""
        numbers, codes = self.split(rows)
        mean, log_sd = self.told(self.encoder(self.tokenizer(numbers, codes))).chunk(2, -1)
        return torch.cat([mean, _REACH * torch.tanh(log_sd / _REACH)], -1)

    def latents(self, rows: Tensor) -> Tensor:
        """Return (b, t d): the means, flat, less their centre and divided by their scale."""
        mean, _ = self.posterior(rows).chunk(2, -1)
        centre, log_scale = self.moments()
        scaled: Tensor = (mean - centre) * torch.exp(-log_scale)
        return scaled.flatten(-2)

    def moments(self) -> tuple[Tensor, Tensor]:
        """Return centre and log scale of all rows' means, (t, d) each, as far as they are learned."""
        centre, log_scale = (_QUICK * self.law_of_all).unbind(0)
        return centre, log_scale

    def law(self, latents: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers and log probabilities of levels, for latents as `latents` gives them."""
        centre, log_scale = self.moments()
        return self.decoded(
            latents.reshape(*latents.shape[:-1], *centre.shape) * torch.exp(log_scale) + centre
        )

    def decoded(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers (..., q) and log probabilities of levels (..., total), for latents as drawn."""
        numbers, logits = self.detokenizer(self.decoder(tokens + self.places))
        return numbers, self.segments.log_softmax(logits)

    def split(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the numbers and the codes of rows."""
        return rows.index_select(-1, self.numbers), rows.index_select(-1, self.codes).long()


@final
@dataclass(frozen=True)
class TokenLoss:
    """Squared error of numbers, surprise at codes, beta times the divergence from N(0, I): means of each.

    While a model is trained, beta falls from `first` to `last` over so many steps, by one factor in each, and
    stays there: a function of the step, where the reference looks at the rows that it is tested on. Rows kept
    aside are judged at `last`. With `falling` 0 beta is `last` throughout, and steps are not counted: under a
    budget a loss may not change anything. The error is the mean over `draws` latents of each record.
    """

    first: float = 1e-2
    last: float = 1e-5
    falling: int = 0
    draws: int = 1

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,)."""
        assert isinstance(model, TokenVae), "this loss is that of an autoencoder of tokens"
        beta = self._beta(model)
        posterior = model.posterior(rows)
        many = posterior[:, None].expand(-1, self.draws, -1, -1)
        numbers, codes = (part[:, None].expand(-1, self.draws, -1) for part in model.split(rows))
        guess, logs = model.decoded(drawn(many, noise))
        error = _mean((guess - numbers).square()) - _mean(model.segments.at(logs, codes))
        return error + beta * divergence(posterior).mean(-1) / model.size.token + _fit(model, posterior)

    def _beta(self, model: TokenVae) -> Tensor | float:
        if not self.falling or not model.training:
            return self.last
        fallen = (model.steps / self.falling).clamp(max=1)
        model.steps.add_(1)
        beta: Tensor = self.first * (self.last / self.first) ** fallen
        return beta


def _fit(model: TokenVae, posterior: Tensor) -> Tensor:
    """Return (b,): how ill the centre and scale fit the means; the encoder learns nothing of it."""
    mean, _ = posterior.detach().chunk(2, -1)
    centre, log_scale = model.moments()
    off = (mean - centre) * torch.exp(-log_scale)
    return (0.5 * off.square() + log_scale).mean((-1, -2))


def _mean(parts: Tensor) -> Tensor:
    """Return (b,): the mean of all parts of a record, 0 where there are none."""
    return parts.flatten(1).sum(1) / max(1, parts[0].numel())


def _blocks(size: TokenSize, generator: torch.Generator) -> nn.Sequential:
    made = (
        Block(size.token, heads=size.heads, feed=size.feed, generator=generator) for _ in range(size.blocks)
    )
    return nn.Sequential(*made)
