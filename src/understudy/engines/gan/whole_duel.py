"""The game of two networks with its derivatives written out, for training in the open on a processor.

`Duel.duel` is the same by automatic differentiation, and is what is taken on a device. Written out, the first
layer of the critic is taken once for all that is judged, nothing is remembered but what is needed, memory is
asked for once, and each half of a batch stays on a core of its own where there are two. The halves are the
same whether there are or not, and so is every bit of what is learned.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.gan.duel import Duel, Networks
from understudy.engines.gan.half_duel import Fresh, HalfDuel
from understudy.engines.gan.judging import GROUPS
from understudy.engines.gan.norms import norm_of
from understudy.engines.nets.ahead import Ahead
from understudy.engines.nets.beside import Beside
from understudy.engines.nets.one_vector import pieces_of, put_together
from understudy.engines.training.slopes import Sloped, Slopes

__all__ = ["WholeDuel"]


@final
@dataclass(frozen=True)
class WholeDuel(Sloped):
    """The sum of both losses, each network's in its own part; the critic's has a penalty."""

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the sum of both losses, for every row."""
        assert isinstance(model, Networks), "the game is that of two networks"
        return Duel(model, len(rows)).duel(model, rows, noise)

    def slopes(self, model: nn.Module, batch: int, *, short: bool) -> Slopes:
        """Return the derivatives of the losses of a batch; products are never short here."""
        del short
        assert isinstance(model, Networks), "the game is that of two networks"
        return _Halves(model, batch)


@final
class _Halves(Slopes):
    def __init__(self, networks: Networks, batch: int) -> None:
        pac, self._beside = networks.critic.pac, Beside()
        whole = batch // pac
        cut = whole - whole // 2
        self._whole = put_together(networks)
        own: list[Tensor] = list(networks.parameters())
        (self._sum, kept), (self._other, others) = (pieces_of(own, own[0].dtype) for _ in "ab")
        self._whole.grad = self._sum
        grads = [dict(zip(own, pieces, strict=True)) for pieces in (kept, others)]
        for parameter, grad in grads[0].items():
            parameter.grad = grad
        parts = [part for part in (range(cut), range(cut, whole)) if part]  # of one pack there is no half
        rows = [len(part) * pac for part in parts]
        self._norms = [norm_of(each, grads[0], rows) for each in networks.generator.norms]
        self._halves = [
            HalfDuel(networks, grads[at], part, whole, (at, self._norms)) for at, part in enumerate(parts)
        ]
        self._noise = _Noise(networks, batch)
        self._ahead = Ahead(self._noise.draw, self._beside)

    @property
    def learned(self) -> list[nn.Parameter]:
        return [self._whole]

    def begin(self) -> None:
        self._ahead.forget()

    def computing(self) -> AbstractContextManager[object]:
        return self._beside.open()

    def put(self, rows: Tensor, noise: torch.Generator) -> None:
        self._ahead.ready(noise)
        with torch.no_grad():
            self._learn(rows, self._noise.fresh)
            self._ahead.go_on(noise)  # while gradients are added up and weights are moved
            self._sum.add_(self._other)

    def _learn(self, rows: Tensor, fresh: Fresh) -> None:
        """Go up to each norm and back, both halves at once, and join what they told between."""
        last = len(self._norms) - 1
        self._each(lambda half: half.begin(rows, fresh))
        for at in range(last):
            self._norms[at].join()
            self._each(partial(HalfDuel.climb, at=at))
        self._norms[last].join()
        self._each(lambda half: half.arrive(fresh))
        gap = torch.stack([half.moments for half in self._halves]).sum(0)
        self._each(lambda half: half.judge(fresh, gap))
        for at in range(last, -1, -1):
            self._norms[at].join_back()
            self._each(partial(HalfDuel.descend, at=at))

    def _each(self, work: Callable[[HalfDuel], None]) -> None:
        if len(self._halves) == 1:
            work(self._halves[0])
            return
        first, second = self._halves
        self._beside.both(lambda: work(first), lambda: work(second))


@final
class _Noise:
    """Room for the noise of a step, drawn in the order in which `Duel.duel` draws it."""

    def __init__(self, networks: Networks, batch: int) -> None:
        critic, levels = networks.critic, networks.segments.total
        room, packs = networks.critic.leave.weight.new_empty, batch // critic.pac
        size = networks.rules.size
        kept = [room(GROUPS, packs, size.width) for _ in range(size.depth if size.dropout else 0)]
        latent = room(batch, size.latent)
        self.fresh = Fresh(latent, room(batch, levels), kept, room(packs, 1))
        self._dropout = critic.dropout

    def draw(self, noise: torch.Generator) -> None:
        """Draw it."""
        latent, gumbel, kept, share = self.fresh
        latent.normal_(generator=noise)
        gumbel.uniform_(generator=noise)
        groups = [slice(0, 2), slice(2, 3), slice(3, 4)]
        for at, group in enumerate(groups):
            if at == 1:
                share.uniform_(generator=noise)
            for each in kept:
                each[group].uniform_(generator=noise)
        gumbel.clamp_(1e-20, 1 - 1e-7).log_().neg_().log_().neg_()
        for each in kept:
            each.ge_(self._dropout).div_(1 - self._dropout)
