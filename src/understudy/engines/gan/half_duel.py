"""Both networks' losses for a half of a batch, with all derivatives written out.

A half goes as far as it can by itself: up to each norm, which has to know the other half, and back likewise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, final

import torch
from torch import Tensor

from understudy.engines.gan.duel import Networks
from understudy.engines.gan.judging import Judge
from understudy.engines.gan.making import Maker
from understudy.engines.gan.norms import Norm
from understudy.engines.gan.softening import Softener

__all__ = ["Fresh", "HalfDuel"]


class Fresh(NamedTuple):
    """The noise of a step: of rows, of levels, what is kept of layers, and where points lie."""

    latent: Tensor  # (b, latent)
    gumbel: Tensor  # (b, levels)
    kept: list[Tensor]  # for each layer (groups, packs, width); nothing without dropout
    share: Tensor  # (packs, 1)


@final
class HalfDuel:
    """Some packs of a batch of `whole`; `norms` are those of all, and which part of theirs this is."""

    def __init__(
        self,
        networks: Networks,
        grads: Mapping[Tensor, Tensor],
        packs: range,
        whole: int,
        norms: tuple[int, Sequence[Norm]],
    ) -> None:
        pac = networks.critic.pac
        self._networks, self._rows = networks, whole * pac
        self._packs = slice(packs.start, packs.stop)
        self._own = slice(packs.start * pac, packs.stop * pac)
        self._judge = Judge(networks.critic, networks.rules, grads, len(packs), whole)
        self._maker = Maker(networks.generator, grads, len(packs) * pac, norms)
        self._softener = Softener(
            networks, self._rows, self._maker.told, self._maker.by_told, self._judge.made
        )
        self.moments = self._maker.told.new_zeros(networks.seen, networks.seen)
        self._places = torch.zeros(len(packs) * pac, dtype=torch.int64)

    def begin(self, rows: Tensor, fresh: Fresh) -> None:
        """Take up rows, and the noise that others are made of, and go to the first norm."""
        rows, latent = rows[self._own], fresh.latent.shape[1]
        self._places = rows[:, -1].long()
        self._judge.real.copy_(self._networks.shown(rows[:, :-1]))
        self._maker.entry[:, :latent].copy_(fresh.latent[self._own])
        if self._networks.rules.given:
            self._maker.entry[:, latent:].copy_(self._judge.real)
        self._maker.enter(0, self._places)

    def climb(self, at: int) -> None:
        """Go on from one norm to the next."""
        self._maker.block(at)
        self._maker.enter(at + 1, self._places)

    def arrive(self, fresh: Fresh) -> None:
        """Go on from the last norm to rows that can be judged."""
        self._maker.block(self._maker.depth - 1)
        self._maker.tell(self._places)
        self._softener.forward(fresh.gumbel[self._own])
        if self._networks.rules.moments:
            made, real = self._judge.made, self._judge.real
            torch.mm(made.T, made, out=self.moments).addmm_(real.T, real, alpha=-1)

    def judge(self, fresh: Fresh, gap: Tensor) -> None:
        """Let the critic judge, and go back to the last norm; `gap` is by what moments differ."""
        rules, judge, kept = self._networks.rules, self._judge, [each[:, self._packs] for each in fresh.kept]
        judge.put(self._networks.critic.together(self._places), kept, fresh.share[self._packs])
        if rules.moments:
            pull = 4 * rules.moments / (self._networks.fields.width * self._rows) ** 2
            judge.by_made.addmm_(judge.made, gap, alpha=pull)
        if rules.apart:
            off = judge.made - judge.real
            far = (off.square().sum(-1, keepdim=True) + 1e-12).sqrt_()
            judge.by_made.addcdiv_(off, far, value=-rules.apart / self._rows)
        self._softener.back(judge.by_made, self._places)
        self._maker.untell(self._places)
        self._maker.turn(self._maker.depth - 1)

    def descend(self, at: int) -> None:
        """Go on back from one norm to the one before."""
        self._maker.back(at, self._places)
        if at:
            self._maker.turn(at - 1)
