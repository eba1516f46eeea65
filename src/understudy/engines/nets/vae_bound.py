"""The evidence lower bound of an autoencoder, with its derivatives by all weights written out.

On a processor, half of a step of 500 rows of Adult is products of matrices, and most of the rest is what
automatic differentiation takes to remember small functions, and memory asked for anew. Here a batch is
divided into two halves, each of which is computed on a core of its own where there are two. The halves are
the same whether there are or not, and so is every bit of what is learned.

Records are looked at together, and one model at a time: it is for training in the open, alone.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.beside import Beside
from understudy.engines.nets.vae import Elbo, Vae
from understudy.engines.nets.vae_part import Part
from understudy.engines.training.slopes import Sloped, Slopes

__all__ = ["WholeElbo"]

_LINE = 16  # numbers of a cache line: products begin at one


@final
@dataclass(frozen=True)
class WholeElbo(Sloped):
    """The negative evidence lower bound of each record, its divergence from N(0, I) weighed by `beta`."""

    beta: float = 1.0

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): -log p(row | z) for one drawn z, and beta KL(q(z | row), N(0, I))."""
        return Elbo(self.beta)(model, rows, noise)

    def slopes(self, model: nn.Module, batch: int) -> Slopes:
        """Return the derivatives of the mean bound of a batch."""
        assert isinstance(model, Vae), "the bound is that of an autoencoder"
        return _Halves(model, self.beta, batch)


@final
class _Halves(Slopes):
    def __init__(self, model: Vae, beta: float, batch: int) -> None:
        self._model, self._beta, self._cut = model, beta, batch - batch // 2
        self._fresh = torch.empty(batch, model.size.latent)
        self._beside = Beside()
        (self._first, by_first), (self._second, by_second) = (_room(model) for _ in range(2))
        self._parts = Part(model, by_first, self._cut), Part(model, by_second, batch - self._cut)
        for parameter, grad in zip(model.parameters(), by_first, strict=True):
            parameter.grad = grad

    def computing(self) -> AbstractContextManager[object]:
        return self._beside.open()

    def put(self, rows: Tensor, noise: torch.Generator) -> None:
        fresh = self._fresh.normal_(generator=noise).to(rows.dtype)
        (above, below), weight = self._parts, 1 / len(rows)
        cut, beta = self._cut, self._beta
        with torch.no_grad():
            self._beside.both(
                lambda: above.put(rows[:cut], fresh[:cut], beta, weight),
                lambda: below.put(rows[cut:], fresh[cut:], beta, weight),
            )
            self._first.add_(self._second)


def _room(model: Vae) -> tuple[Tensor, list[Tensor]]:
    """Return one vector, and pieces of it that are as the model's parameters are."""
    parameters = list(model.parameters())
    sizes = [-(-math.prod(parameter.shape) // _LINE) * _LINE for parameter in parameters]
    room = parameters[0].new_zeros(sum(sizes)).detach()
    pieces = torch.split(room, sizes)
    return room, [
        piece[: parameter.numel()].view(parameter.shape)
        for piece, parameter in zip(pieces, parameters, strict=True)
    ]
