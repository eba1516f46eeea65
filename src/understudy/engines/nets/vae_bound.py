"""The evidence lower bound of an autoencoder, with its derivatives by all weights written out.

On a processor, half of a step of 500 rows of Adult is products of matrices, and most of the rest is what
automatic differentiation takes to remember small functions, and memory asked for anew. Here a batch is
divided into two halves, each of which is computed on a core of its own where there are two; or, where cores
share each product with little loss, it is computed whole. Which of both depends on the processor alone, so
that every bit of what is learned is the same on one core and two.

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
from understudy.engines.nets.one_thread import few_threads
from understudy.engines.nets.one_vector import pieces_of, put_together
from understudy.engines.nets.products import are_shared
from understudy.engines.nets.vae import Elbo, Vae
from understudy.engines.nets.vae_part import Part
from understudy.engines.nets.vae_shown import Laid, Shown
from understudy.engines.training.slopes import Sloped, Slopes

__all__ = ["WholeElbo"]

_MOST = 2**15  # of more numbers one sum is divided among threads, and its bits depend on how many there are


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
        self._beta, self._beside = beta, Beside()
        self._whole = are_shared() and not short and batch < _MOST
        self._cut = batch if self._whole else batch - batch // 2
        self._dtype = next(model.parameters()).dtype
        self._drawn, self._turned = (
            torch.empty(shape) for shape in ((batch, model.size.latent), (model.size.latent, batch))
        )
        self._noise = Ahead(self._draw, self._beside)
        self._weights = _Weights(model, short=short)
        self._shown = Shown(model, batch, self._weights.seen[0].dtype)
        self._above = _Half(self._weights, self._cut)
        self._below = _Half(self._weights, batch - self._cut) if batch > self._cut else None
        self._weights.hold(self._above)

    @property
    def learned(self) -> list[nn.Parameter]:
        return [self._weights.whole]

    def begin(self) -> None:
        self._noise.forget()

    def computing(self) -> AbstractContextManager[object]:
        return few_threads(2) if self._whole else self._beside.open()

    def put(self, rows: Tensor, noise: torch.Generator) -> None:
        with torch.no_grad():
            self._weights.shorten()
            laid = self._shown.laid(rows)
            self._noise.ready(noise)
            self._put(laid, self._turned.to(self._dtype), 1 / len(rows))
            self._noise.go_on(noise)  # while gradients are added up and weights are moved
            if self._below is not None:
                self._above.whole.add_(self._below.whole)

    def _put(self, laid: Laid, fresh: Tensor, weight: float) -> None:
        above, below, first, second = self._above, self._below, slice(self._cut), slice(self._cut, None)
        if below is None:
            above.put(laid, fresh, self._beta, weight)
            return
        self._beside.both(
            lambda: above.put(laid.part(first), fresh[:, first], self._beta, weight),
            lambda: below.put(laid.part(second), fresh[:, second], self._beta, weight),
        )

    def _draw(self, noise: torch.Generator) -> None:
        self._turned.copy_(self._drawn.normal_(generator=noise).T)  # as it is drawn without all this


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

    def __init__(self, weights: _Weights, rows: int) -> None:
        own = list(weights.model.parameters())
        self.whole, self.grads = pieces_of(own, own[0].dtype)
        layers = [weight for weight in weights.seen if weight.dtype != own[0].dtype]
        self._short, found = pieces_of(layers, torch.bfloat16)
        self._long = self.whole[: len(self._short)]
        self._part = Part(weights.model, weights.seen, [*found, *self.grads[len(found) :]], rows)

    def put(self, laid: Laid, fresh: Tensor, beta: float, weight: float) -> None:
        """Put the derivatives of `weight` times the sum of the bounds of these rows."""
        self._part.put(laid, fresh, beta, weight)
        self._long.copy_(self._short)
