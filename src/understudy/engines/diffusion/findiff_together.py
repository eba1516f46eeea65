"""FinDiff's loss of many models side by side, with its derivatives by all weights written out.

Every model draws from a generator of its own what it would draw alone, so it learns what it would learn
alone, up to the rounding of sums. It is for models of one domain, on processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, final

import torch
from torch import Tensor

from understudy.engines.nets.perceptron import sinusoidal
from understudy.engines.nets.program import program
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.residual_together import (
    Learned,
    ResidualTogether,
    back,
    residual_together,
    through,
)
from understudy.engines.nets.vae_heads import Levels, levels_of, put_levels
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
    """The derivatives of `NoiseLoss`."""

    def __init__(self, loss: NoiseLoss, like: PointDenoiser, learned: Learned, batch: int) -> None:
        self._noised, self._put = _noised_of(loss, like, learned, batch), program(_put)

    def put(self, rows: Tensor, noises: Sequence[torch.Generator]) -> None:
        """Leave the derivatives of each model's mean loss of its rows, (s, b, columns)."""
        self._put(self._noised, rows, list(noises))


class _Noised(NamedTuple):
    """What noises rows, and room: (s, b, draws) are models, records of each, and draws of each record."""

    numbers: Tensor
    codes: Tensor
    starts: Tensor
    points: Tensor
    kept: Tensor  # (times, 1), as is what is lost
    lost: Tensor
    sines: Tensor
    net: ResidualTogether
    levels: list[Levels]  # one, or none where there are no levels
    chance: Tensor
    fresh: Tensor
    within: Tensor
    x_0: Tensor  # (s b draws, width)
    spaces: int
    velocity: bool  # else the noise is what is told
    weight: float
    share: float  # of one record in the mean


def _noised_of(loss: NoiseLoss, like: PointDenoiser, learned: Learned, batch: int) -> _Noised:
    assert isinstance(like.network, Residual), "others do not stand together"
    net = residual_together(like.network, learned.within("network."), batch * loss.draws)
    segments, fields, steps = like.points.segments, like.rows.fields, len(like.schedule)
    every, count, total = torch.arange(steps), len(net.enter.given), segments.total
    law, by_law = (room.flatten(0, 1)[:, :total].T for room in (net.leave.made, net.leave.by_made))
    fresh = law.new_empty(count, batch, loss.draws, like.width)
    return _Noised(
        like.rows.numbers,
        like.rows.codes,
        segments.starts,
        like.points.points.detach(),
        like.schedule.kept(every).sqrt()[:, None],
        like.schedule.lost(every).sqrt()[:, None],
        sinusoidal(every * (1000 / steps), net.first.given.shape[-1]),
        net,
        [levels_of(segments, law, by_law)] if total else [],
        law.new_empty(count, batch, 1),
        fresh,
        torch.arange(loss.draws) / loss.draws,
        torch.empty_like(fresh).flatten(0, 2),
        like.spaces,
        like.predicts == "v",
        2 * loss.numbers_weight,
        1 / (batch * loss.draws * (len(fields.codes) + len(fields.numbers))),
    )


def _put(noised: _Noised, rows: Tensor, noises: list[torch.Generator]) -> None:
    """Put the derivatives of the mean loss of these rows, (s, b, columns). To be made a `program`."""
    for at, noise in enumerate(noises):
        noised.chance[at].uniform_(generator=noise)
        noised.fresh[at].normal_(generator=noise)
    net, x_0, spaces = noised.net, noised.x_0, noised.spaces
    places, eps = _lay(noised, rows.flatten(0, 1)), noised.fresh.view(x_0.shape)
    share = (noised.chance + noised.within).remainder_(1).view(-1)
    steps = noised.kept.size(0)
    t = (share * steps).long().clamp_(max=steps - 1)
    kept, lost = noised.kept.index_select(0, t), noised.lost.index_select(0, t)
    torch.mul(x_0, kept, out=net.enter.given.flatten(0, 1)).addcmul_(eps, lost)
    torch.index_select(noised.sines, 0, t, out=net.first.given.flatten(0, 1))
    through(net)
    told, by_told = net.leave.made.flatten(0, 1), net.leave.by_made.flatten(0, 1)
    for levels in noised.levels:
        put_levels(levels, places.t())
    first = told.size(1) - (x_0.size(1) - spaces)  # of the numbers
    wanted = eps[:, spaces:]
    if noised.velocity:
        wanted = (kept * wanted).addcmul_(lost, x_0[:, spaces:], value=-1)
    torch.sub(told[:, first:], wanted, out=by_told[:, first:]).mul_(noised.weight)
    by_told.mul_(noised.share)
    back(net)


def _lay(noised: _Noised, rows: Tensor) -> Tensor:
    """Lay x_0 out, and return where the levels of each draw stand among all."""
    numbers = rows.index_select(1, noised.numbers)
    places = rows.index_select(1, noised.codes).long().add_(noised.starts)
    placed = noised.points.index_select(0, places.view(-1)).view(rows.size(0), 1, noised.spaces)
    draws = noised.within.size(0)
    x_0 = noised.x_0.view(rows.size(0), draws, noised.x_0.size(1))
    x_0[:, :, : noised.spaces].copy_(placed)
    x_0[:, :, noised.spaces :].copy_(numbers.unsqueeze(1))
    return places.repeat_interleave(draws, 0) if draws > 1 else places
