"""A critic with its derivatives written out, those of its slopes' penalty too, for a part of a batch.

Packs are judged in four groups: made and real ones, points between these whose slopes are penalised
(Gulrajani et al. 2017), and made ones once more, with other units left out, for the generator. All groups
stand in one room and go through each product together. The first layer, which costs most, is linear: points
between have what lies between there, and made packs have theirs twice.

Layers bend but do not curve. So a slope is a product of weights and bends, and its derivative by weights goes
through the same layers upwards: what a layer is told there stands in the place of what it was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.engines.gan.duel import Rules
from understudy.engines.gan.networks import LEAST, SLOPE, Critic
from understudy.engines.nets.products import put_affine, put_product

__all__ = ["GROUPS", "Judge"]

GROUPS = 4
_MADE, _REAL, _BETWEEN, _AGAIN = range(GROUPS)


@final
class Judge:
    """So many packs of a batch of `whole` packs.

    Rows are written into `made` and `real`; derivatives of the generator's loss by made rows are found in
    `by_made`, and those of the critic's by weights are put into `grads`.
    """

    def __init__(
        self, critic: Critic, rules: Rules, grads: Mapping[Tensor, Tensor], packs: int, whole: int
    ) -> None:
        self._critic, self._rules, self._packs, self._whole = critic, rules, packs, whole
        layers = [cast(nn.Linear, layer) for layer in critic.layers]
        self._weights, self._biases = (
            [each.weight.detach() for each in layers],
            [each.bias.detach() for each in layers],
        )
        self._leave, self._grads, self._layers = critic.leave, grads, layers
        first = self._weights[0]
        self._shown = first.new_zeros(GROUPS, packs, first.shape[1])
        self._made, self._bends, self._down = (
            [first.new_zeros(GROUPS, packs, len(weight)) for weight in self._weights] for _ in range(3)
        )
        self._scores = first.new_zeros(GROUPS, packs, 1)
        self.made, self.real, self.by_made = (
            self._shown[at].view(packs * critic.pac, -1) for at in (_MADE, _REAL, _AGAIN)
        )

    def put(self, places: Tensor, kept: Sequence[Tensor], share: Tensor) -> None:
        """Put all derivatives, given places (packs, pac), what is `kept` of layers, and where points lie."""
        index = places + self._critic.levels * torch.arange(self._critic.pac)
        self._enter(index, share)
        for at, bends in enumerate(self._bends):
            if at:
                given, made = _flat(self._made[at - 1]), _flat(self._made[at])
                put_affine(given, self._weights[at], self._biases[at], made)
            torch.gt(self._made[at], 0, out=bends).mul_(1 - SLOPE).add_(SLOPE)
            if kept:
                bends.mul_(kept[at])
            self._made[at].mul_(bends)
        self._judge()
        self._go_down()
        self._penalise()
        self._put_weights(index)

    def _enter(self, index: Tensor, share: Tensor) -> None:
        made = self._made[0]
        put_affine(_flat(self._shown[:2]), self._weights[0], self._biases[0], _flat(made[:2]))
        if self._critic.table is not None:
            made[:2].add_(functional.embedding_bag(index, self._critic.table.weight.detach(), mode="sum"))
        torch.lerp(made[_MADE], made[_REAL], share, out=made[_BETWEEN])
        made[_AGAIN].copy_(made[_MADE])

    def _judge(self) -> None:
        """Put the derivatives of the losses by scores; of points between, those of the score itself."""
        scores, weight = self._scores, 1 / self._whole
        if self._rules.loss == "wasserstein":
            scores.fill_(-weight)
            scores[_MADE] = weight
        else:  # softplus of made scores, and of real ones and the generator's turned round
            leave = self._leave
            torch.addmm(
                leave.bias.detach(), _flat(self._made[-1]), leave.weight.detach().T, out=_flat(scores)
            )
            scores[_MADE].neg_()
            scores.neg_().sigmoid_().mul_(-weight)
            scores[_MADE].neg_()
        scores[_BETWEEN] = 1.0

    def _go_down(self) -> None:
        torch.mul(self._scores, self._leave.weight.detach(), out=self._down[-1]).mul_(self._bends[-1])
        for at in reversed(range(1, len(self._weights))):
            put_product(_flat(self._down[at]), self._weights[at], _flat(self._down[at - 1]))
            self._down[at - 1].mul_(self._bends[at - 1])
        put_product(_flat(self._down[0][_BETWEEN:]), self._weights[0], _flat(self._shown[_BETWEEN:]))

    def _penalise(self) -> None:
        """Go up with the derivatives of the penalty by slopes."""
        slopes = self._shown[_BETWEEN]
        norms = (torch.linalg.vector_norm(slopes, dim=-1, keepdim=True).square_() + LEAST).sqrt_()
        slopes.mul_((1 - 1 / norms).mul_(2 * self._rules.penalty / self._whole))
        told = slopes
        for weight, made, bends in zip(self._weights, self._made, self._bends, strict=True):
            put_product(told, weight.T, made[_BETWEEN])
            told = made[_BETWEEN].mul_(bends[_BETWEEN])

    def _put_weights(self, index: Tensor) -> None:
        given = [self._shown, *self._made]
        for layer, down, rows in zip(self._layers, self._down, given[:-1], strict=True):
            put_product(_flat(down[:_AGAIN]).T, _flat(rows[:_AGAIN]), self._grads[layer.weight])
            torch.sum(_flat(down[:_BETWEEN]), 0, out=self._grads[layer.bias])
        leave, scores = self._leave, self._scores
        torch.mm(_flat(scores[:_AGAIN]).T, _flat(given[-1][:_AGAIN]), out=self._grads[leave.weight])
        torch.sum(_flat(scores[:_BETWEEN]), 0, out=self._grads[leave.bias])
        if self._critic.table is not None:
            each = (self._down[0][_MADE] + self._down[0][_REAL]).repeat_interleave(self._critic.pac, 0)
            self._grads[self._critic.table.weight].zero_().index_add_(0, index.view(-1), each)


def _flat(groups: Tensor) -> Tensor:
    """Return groups (g, packs, width) one below the other."""
    return groups.view(-1, groups.shape[-1])
