"""The derivatives of -log p(row | z) by what a decoder tells of levels and of numbers, written out.

Rows stand beside each other: (columns, b). Room and views of it are made once: a look at a part of a matrix
takes as long as a sum of a small one.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from understudy.engines.nets.segments import Segments, maxima
from understudy.engines.nets.vae import REACH

__all__ = ["Levels", "Numbers"]

_SAFE = 1e25  # sums of exponentials between this and its reciprocal are far from the ends of single precision


@final
class Levels:
    """What the last lines of `law` say of levels; their derivatives are put into those of `by_law`."""

    def __init__(self, segments: Segments, law: Tensor, by_law: Tensor) -> None:
        self._segments, first = segments, len(law) - segments.total
        self._logits, self._chances = law[first:], by_law[first:]
        self._owners = segments.members.to(law.dtype)
        self._members = self._owners.T.contiguous()
        self._sums, self._shares = (
            law.new_empty(len(self._members), law.shape[1]),
            torch.empty_like(self._logits),
        )
        self._columns = self._sums[: len(segments.sizes)]  # what is behind them stays nothing
        self._less = law.new_full(self._columns.shape, -1.0)

    def put(self, places: Tensor) -> None:
        """Put softmax less one at the places of levels; what stands before the first level means nothing."""
        self._sum_up()
        low, high = torch.aminmax(self._columns)
        if not (low.item() > 1 / _SAFE and high.item() < _SAFE):  # rare, and slow
            highest = maxima(self._segments, self._logits.T).T
            self._logits.sub_(highest.index_select(0, self._segments.owner))
            self._sum_up()
        self._columns.reciprocal_()
        self._chances.mul_(torch.mm(self._owners, self._sums, out=self._shares))
        self._chances.scatter_add_(0, places, self._less)

    def _sum_up(self) -> None:
        torch.exp(self._logits, out=self._chances)
        torch.mm(self._members, self._chances, out=self._sums)


@final
class Numbers:
    """What the first lines of `law` say of numbers; their derivatives are put into those of `by_law`.

    Deviations are the columns' own, of a `table` of one line, whose derivatives are put into the second one;
    or, without it, they stand behind the means.
    """

    def __init__(
        self, law: Tensor, by_law: Tensor, count: int, table: tuple[Tensor, ...], *, bounded: bool
    ) -> None:
        self._rows, self._column = law.shape[1], bool(table)
        self._told, self._by_mean = law[:count], by_law[:count]
        around = law[count : 2 * count], by_law[count : 2 * count]
        self._raw, self._by_raw = (each.T for each in table) if table else around
        self._mean = torch.empty_like(self._told) if bounded else self._told
        self._off, self._pulled = (torch.empty_like(self._mean) for _ in range(2))
        self._bends, self._sharp, self._lost = (torch.empty_like(self._raw) for _ in range(3))

    def put(self, values: Tensor, weight: float) -> None:
        """Put the derivatives of these values' bounds; those by the table are of `weight` times their sum."""
        torch.mul(self._raw, 2 / REACH, out=self._bends).sigmoid_()  # deviations are bent into reach
        torch.mul(self._bends, -4 * REACH, out=self._sharp).add_(2 * REACH).exp_()
        bounded = self._mean is not self._told
        if bounded:
            torch.tanh(self._told, out=self._mean)
        off = torch.sub(self._mean, values, out=self._off)
        pulled = torch.mul(off, self._sharp, out=self._pulled)
        if bounded:
            torch.ops.aten.tanh_backward.grad_input(pulled, self._mean, grad_input=self._by_mean)
        else:
            self._by_mean.copy_(pulled)
        self._put_deviations(off.mul_(pulled), weight)

    def _put_deviations(self, squares: Tensor, weight: float) -> None:
        if self._column:
            lost = torch.sum(squares, 1, keepdim=True, out=self._lost).sub_(self._rows).mul_(-4 * weight)
        else:
            lost = squares.sub_(1).mul_(-4)
        torch.ops.aten.sigmoid_backward.grad_input(lost, self._bends, grad_input=self._by_raw)
