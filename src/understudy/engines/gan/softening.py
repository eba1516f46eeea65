"""Soft rows of what a generator tells, and what was asked of them, with their derivatives written out.

A soft one-hot is the softmax of logits with Gumbel noise, sharpened (Jang et al. 2017). Before noise is added
the logits are made logs of chances: that needs the sums which the cross-entropy of what was asked for needs
as well. What is then exponentiated is neither very large nor small everywhere in a column, and no maximum has
to be found first, unless the temperature is very low.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from understudy.engines.gan.duel import Networks
from understudy.engines.nets.segments import maxima

__all__ = ["Softener"]

_SAFE = 1e37  # sums of exponentials between this and its reciprocal have all digits of single precision


@final
class Softener:
    """So many rows of a batch of `whole`: `told` is made `soft`, and `by_soft` becomes `by_told`.

    The derivatives of the mean cross-entropy of places that were asked for are added on the way back.
    """

    def __init__(self, networks: Networks, whole: int, told: Tensor, by_told: Tensor, soft: Tensor) -> None:
        self._networks, self._segments, self._weight = networks, networks.segments, 1 / whole
        self._heat, self._count = networks.rules.temperature, len(networks.fields.numbers)
        self._asks, count = networks.conditions.total > 0, self._count
        self._told, self._by_told = (
            (told[:, :count], told[:, count:]),
            (by_told[:, :count], by_told[:, count:]),
        )
        self._soft = soft[:, :count], soft[:, count:]
        members = self._segments.members.to(told.dtype)
        self._members, self._owners, self._columns = members, members.T, len(self._segments.sizes)
        room = torch.empty_like(self._told[1], memory_format=torch.contiguous_format)
        self._logits, self._chances, self._drawn, self._levels, self._spread = (
            torch.empty_like(room) for _ in range(5)
        )
        self._sums, self._logs, self._asked = (told.new_zeros(len(told), members.shape[1]) for _ in range(3))
        self._numbers, self._there = (told.new_ones(len(told), count) for _ in range(2))
        self._less = told.new_full((len(told), 1), -self._weight)

    def forward(self, gumbel: Tensor) -> None:
        """Put the soft rows, by noise that was drawn for each level."""
        if self._networks.rules.bounded:
            torch.tanh(self._told[0], out=self._numbers)
        else:
            self._numbers.copy_(self._told[0])
        if self._columns:
            self._find_chances()
            self._find_levels(gumbel)
            self._soft[1].copy_(self._levels)
        if self._networks.gaps:  # a number that is missing is hidden
            torch.mm(self._levels, self._networks.gone, out=self._there).neg_().add_(1)
        torch.mul(self._numbers, self._there, out=self._soft[0])

    def back(self, by_soft: Tensor, places: Tensor) -> None:
        """Put the derivatives by what was told; those by soft rows are used up."""
        by_numbers, by_levels = by_soft[:, : self._count], by_soft[:, self._count :]
        if self._networks.gaps:
            by_levels.addmm_(by_numbers * self._numbers, self._networks.gone.T, alpha=-1)
            by_numbers.mul_(self._there)
        if self._networks.rules.bounded:
            torch.ops.aten.tanh_backward.grad_input(by_numbers, self._numbers, grad_input=self._by_told[0])
        else:
            self._by_told[0].copy_(by_numbers)
        if self._columns:
            self._unfind_levels(by_levels)
            if self._asks:
                self._ask(places)

    def _find_chances(self) -> None:
        """Find exponentials of logits, and the log of their sum in each column."""
        self._logits.copy_(self._told[1])
        sums = self._summed(self._logits, self._chances)
        if not _safe(sums):  # rare, and slow
            self._logits.sub_(maxima(self._segments, self._logits).index_select(-1, self._segments.owner))
            sums = self._summed(self._logits, self._chances)
        torch.log(sums, out=self._logs[:, : self._columns])
        sums.reciprocal_()

    def _find_levels(self, gumbel: Tensor) -> None:
        """Find the soft one-hots."""
        torch.mm(self._logs, self._owners, out=self._spread)
        torch.sub(self._logits, self._spread, out=self._drawn).add_(gumbel).div_(self._heat)
        self._asked.copy_(self._sums)  # kept for the way back, as is what will stand there
        sums = self._summed(self._drawn, self._levels)
        if _safe(sums):
            sums.reciprocal_()
            self._levels.mul_(torch.mm(self._sums, self._owners, out=self._spread))
        else:
            torch.exp(self._segments.log_softmax(self._drawn), out=self._levels)

    def _unfind_levels(self, by_levels: Tensor) -> None:
        torch.mul(by_levels, self._levels, out=self._drawn)
        torch.mm(self._drawn, self._members, out=self._sums)
        torch.mm(self._sums, self._owners, out=self._spread)
        self._drawn.addcmul_(self._spread, self._levels, value=-1)
        torch.div(self._drawn, self._heat, out=self._by_told[1])

    def _ask(self, places: Tensor) -> None:
        """Add the derivatives of what was asked for: chances in its column, less one at its place."""
        column = self._segments.owner.index_select(0, places)[:, None]
        share = self._asked.gather(1, column).mul_(self._weight)
        self._sums.zero_().scatter_(1, column, share)
        torch.mm(self._sums, self._owners, out=self._spread)
        self._by_told[1].addcmul_(self._chances, self._spread)
        self._by_told[1].scatter_add_(1, places[:, None], self._less)

    def _summed(self, logs: Tensor, out: Tensor) -> Tensor:
        """Put exponentials into `out`, and return their sum in each column."""
        torch.exp(logs, out=out)
        torch.mm(out, self._members, out=self._sums)
        return self._sums[:, : self._columns]


def _safe(sums: Tensor) -> bool:
    low, high = torch.aminmax(sums)
    return low.item() > 1 / _SAFE and high.item() < _SAFE
