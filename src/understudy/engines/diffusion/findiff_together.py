"""FinDiff's loss of many models side by side, with its derivatives by all weights written out.

Every model draws from a generator of its own what it would draw alone, so it learns what it would learn
alone, up to the rounding of sums. It is for models of one domain, on processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from understudy.engines.nets.perceptron import sinusoidal
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.residual_together import Learned, ResidualTogether
from understudy.engines.nets.vae_heads import levels_of, put_levels
from understudy.engines.training.slopes import SlopesTogether

if TYPE_CHECKING:
    from understudy.engines.diffusion.findiff import NoiseLoss, PointDenoiser

__all__ = ["NoiseSlopes", "stand_together"]


def stand_together(models: Sequence[PointDenoiser]) -> bool:
    """Say whether the derivatives of these models are written out: one domain, fixed points, and logits."""
    first = models[0]
    return (
        isinstance(first.network, Residual)
        and first.with_logits
        and first.points.placing != "learned"
        and all(_facts(model) == _facts(first) for model in models)
        and all(torch.equal(model.points.points, first.points.points) for model in models)
    )


def _facts(model: PointDenoiser) -> tuple[object, ...]:
    return model.rows.fields, len(model.schedule), model.predicts, model.with_logits, model.points.placing


@final
class NoiseSlopes(SlopesTogether):
    """The derivatives of `NoiseLoss`; (s, b, draws) are models, records of each, and draws of each record."""

    def __init__(self, loss: NoiseLoss, like: PointDenoiser, learned: Learned, batch: int) -> None:
        assert isinstance(like.network, Residual), "others do not stand together"
        self._loss, self._like, self._spaces, steps = loss, like, like.spaces, len(like.schedule)
        own, rows = learned.within("network."), batch * loss.draws
        self._net = ResidualTogether(like.network, own, rows)
        count, like_room = len(self._net.given), self._net.given
        self._chance = like_room.new_empty(count, batch, 1)
        self._fresh = like_room.new_empty(count, batch, loss.draws, like.width)
        self._within = torch.arange(loss.draws) / loss.draws
        every = torch.arange(steps)
        self._kept = like.schedule.kept(every).sqrt()[:, None]
        self._lost = like.schedule.lost(every).sqrt()[:, None]
        self._sines = sinusoidal(every * (1000 / steps), self._net.sines.shape[-1])
        self._flat = {
            name: room.flatten(0, 1)
            for name, room in (("given", like_room), ("sines", self._net.sines), ("by", self._net.by_made))
        }
        law, by_law, total = self._net.made.flatten(0, 1), self._flat["by"], like.points.segments.total
        self._levels = (
            levels_of(like.points.segments, law[:, :total].T, by_law[:, :total].T) if total else None
        )
        self._told, self._by_told = law[:, total:], by_law[:, total:]
        self._x_0 = torch.empty_like(self._flat["given"])
        self._columns = len(like.rows.fields.codes) + len(like.rows.fields.numbers)

    def put(self, rows: Tensor, noises: Sequence[torch.Generator]) -> None:
        """Leave the derivatives of each model's mean loss of its rows, (s, b, columns)."""
        for chance, fresh, noise in zip(self._chance, self._fresh, noises, strict=True):
            chance.uniform_(generator=noise)
            fresh.normal_(generator=noise)
        places = self._lay(rows.flatten(0, 1))
        x_0, eps, t = self._x_0, self._fresh.view(self._x_0.shape), self._times()
        kept, lost = self._kept.index_select(0, t), self._lost.index_select(0, t)
        torch.mul(x_0, kept, out=self._flat["given"]).addcmul_(eps, lost)
        torch.index_select(self._sines, 0, t, out=self._flat["sines"])
        self._net.through()
        if self._levels is not None:
            put_levels(self._levels, places.T)
        wanted = eps[:, self._spaces :]
        if self._like.predicts == "v":
            wanted = (kept * wanted).addcmul_(lost, x_0[:, self._spaces :], value=-1)
        torch.sub(self._told, wanted, out=self._by_told).mul_(2 * self._loss.numbers_weight)
        self._flat["by"].mul_(len(noises) / (len(t) * self._columns))
        self._net.back()

    def _lay(self, rows: Tensor) -> Tensor:
        """Lay x_0 out, and return where the levels of each draw stand among all."""
        numbers, codes = self._like.rows.split(rows)
        places = codes.add_(self._like.points.segments.starts)
        draws, points = self._loss.draws, self._like.points.points
        placed = points.index_select(0, places.view(-1)).view(len(rows), 1, self._spaces)
        x_0 = self._x_0.view(len(rows), draws, -1)
        x_0[..., : self._spaces] = placed
        x_0[..., self._spaces :] = numbers[:, None]
        return places.repeat_interleave(draws, 0) if draws > 1 else places

    def _times(self) -> Tensor:
        steps = len(self._like.schedule)
        share = (self._chance + self._within).remainder_(1)
        return (share * steps).long().clamp_(max=steps - 1).view(-1)
