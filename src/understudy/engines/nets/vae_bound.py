"""The evidence lower bound of an autoencoder, with its derivatives by all weights written out.

On a processor, half of a step of 500 rows of Adult is products of matrices, and most of the rest is what
automatic differentiation takes to remember small functions, and memory asked for anew. Here a batch is
divided into two halves, each of which is computed on a core of its own where there are two. Batches are
divided alike where there is one, so that every bit of what is learned is the same.

Products may be `short`: of numbers of 16 bits (bfloat16), added up in single precision. What goes from layer
to layer, and each layer's derivatives, are such numbers then; weights, what the optimizer does to them, and
latents, heads and losses stay as exact as the model is.

Records are looked at together, and one model at a time: it is for training in the open, alone.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.ahead import Ahead
from understudy.engines.nets.beside import Beside
from understudy.engines.nets.one_vector import pieces_of, put_together
from understudy.engines.nets.program import program
from understudy.engines.nets.vae import Elbo, Vae
from understudy.engines.nets.vae_part import part_of, put_part
from understudy.engines.training.slopes import Sloped, Slopes

__all__ = ["WholeElbo"]

_ABOVE = 52  # of 100 rows: the core that takes the others draws the next noise too


@final
@dataclass(frozen=True)
class WholeElbo(Sloped):
    """The negative evidence lower bound of each record, its divergence from N(0, I) weighed by `beta`."""

    beta: float = 1.0

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): -log p(row | z) for one drawn z, and beta KL(q(z | row), N(0, I))."""
        return Elbo(self.beta)(model, rows, noise)

    def slopes(self, model: nn.Module, batch: int, *, short: bool) -> Slopes:
        """Return the derivatives of the mean bound of a batch."""
        assert isinstance(model, Vae), "the bound is that of an autoencoder"
        return _Halves(model, self.beta, batch, short=short)


@final
class _Halves(Slopes):
    def __init__(self, model: Vae, beta: float, batch: int, *, short: bool) -> None:
        self._beside, self._cut = Beside(), -(-_ABOVE * batch // 100)
        self._drawn, self._next = (torch.empty(batch, model.size.latent) for _ in range(2))
        self._noise = Ahead(self._draw, self._beside)
        self._weights = _Weights(model, short=short)
        self._above = _Half(self._weights, self._cut, beta)
        self._below = _Half(self._weights, batch - self._cut, beta)
        self._weights.hold(self._above)

    @property
    def learned(self) -> list[nn.Parameter]:
        return [self._weights.whole]

    def begin(self) -> None:
        self._noise.forget()

    def computing(self) -> AbstractContextManager[object]:
        return self._beside.open()

    def put(self, rows: Tensor, noise: torch.Generator) -> None:
        with torch.no_grad():
            self._weights.shorten()
            self._noise.ready(noise)
            self._drawn, self._next = self._next, self._drawn
            self._beside.both(lambda: self._put_above(rows, noise), lambda: self._put_below(rows))
            self._above.whole.add_(self._below.whole)

    def _put_above(self, rows: Tensor, noise: torch.Generator) -> None:
        self._noise.go_on(noise)  # behind the other half, while gradients are added up and weights are moved
        self._above.put(rows[: self._cut], self._drawn[: self._cut], 1 / len(rows))

    def _put_below(self, rows: Tensor) -> None:
        self._below.put(rows[self._cut :], self._drawn[self._cut :], 1 / len(rows))

    def _draw(self, noise: torch.Generator) -> None:
        self._next.normal_(generator=noise)


@final
class _Weights:
    """The parameters of a model as pieces of one vector, and short copies of those of its layers."""

    def __init__(self, model: Vae, *, short: bool) -> None:
        self.model, self.whole = model, put_together(model)
        pieces = [parameter.detach() for parameter in model.parameters()]
        layers = pieces[: 4 * (model.size.depth + 1)] if short else []
        self.short, copies = pieces_of(layers, torch.bfloat16)
        self.seen = [*copies, *pieces[len(copies) :]]
        self._long = self.whole.detach()[: len(self.short)]

    def hold(self, half: _Half) -> None:
        """Let gradients be found where a half puts its own."""
        self.whole.grad = half.whole
        for parameter, grad in zip(self.model.parameters(), half.grads, strict=True):
            parameter.grad = grad

    def shorten(self) -> None:
        """Bring the copies up to date."""
        self.short.copy_(self._long)


@final
class _Half:
    """A half of a batch, and its derivatives by all parameters in one vector."""

    def __init__(self, weights: _Weights, rows: int, beta: float) -> None:
        own = list(weights.model.parameters())
        self.whole, self.grads = pieces_of(own, own[0].dtype)
        layers = [weight for weight in weights.seen if weight.dtype != own[0].dtype]
        self._short, found = pieces_of(layers, torch.bfloat16)
        self._long = self.whole[: len(self._short)]
        grads = [*found, *self.grads[len(found) :]]
        self._part = part_of(weights.model, weights.seen, grads, rows, beta)
        self._put, self._rows = program(put_part), rows

    def put(self, rows: Tensor, drawn: Tensor, weight: float) -> None:
        """Put the derivatives of `weight` times the sum of the bounds of these rows."""
        if not self._rows:  # of a batch of one row the other half is empty: its derivatives stay nothing
            return
        with torch.no_grad():  # each thread has its own
            self._put(self._part, rows, drawn, weight)
            self._long.copy_(self._short)
