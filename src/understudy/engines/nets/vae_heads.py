"""The derivatives of -log p(row | z) by what a decoder tells of levels and of numbers, written out.

Rows stand beside each other: (columns, b). Room and views of it are made once: a look at a part of a matrix
takes as long as a sum of a small one. What is done with it is made to be part of a `program`.
"""

# No `annotations` from `__future__`: a program asks tuples for the types of their parts, not for names.
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.engines.nets.segments import Segments
from understudy.engines.nets.vae import REACH

__all__ = ["Levels", "Numbers", "levels_of", "numbers_of", "put_levels", "put_numbers"]

_SAFE = 1e25  # sums of exponentials between this and its reciprocal are far from the ends of single precision


class Levels(NamedTuple):
    """What the last lines of a law say of levels, and where the derivatives by these are put."""

    logits: Tensor
    chances: Tensor
    owner: Tensor  # (total,): the column of each level
    members: Tensor  # (columns or a few more, total), 0 or 1
    sums: Tensor
    columns: Tensor  # of the sums; what is behind them stays nothing
    shares: Tensor
    less: Tensor


def levels_of(segments: Segments, law: Tensor, by_law: Tensor) -> Levels:
    """Return views of both, and room."""
    first, members = len(law) - segments.total, segments.members.to(law.dtype).T.contiguous()
    logits = law[first:]
    sums = law.new_empty(len(members), law.shape[1])
    columns = sums[: len(segments.sizes)]
    less = law.new_full(columns.shape, -1.0)
    return Levels(
        logits, by_law[first:], segments.owner, members, sums, columns, torch.empty_like(logits), less
    )


def put_levels(levels: Levels, places: Tensor, safe: float = _SAFE) -> None:
    """Put softmax less one at the places of levels; what stands before the first level means nothing."""
    _sum_up(levels)
    low, high = torch.aminmax(levels.columns)
    if not (low.item() > 1 / safe and high.item() < safe):  # rare, and slow
        lowest = torch.full_like(levels.columns, -torch.inf)
        owner = levels.owner[:, None].expand(levels.logits.shape)
        highest = lowest.scatter_reduce(0, owner, levels.logits, "amax")
        levels.logits.sub_(highest.index_select(0, levels.owner))
        _sum_up(levels)
    levels.columns.reciprocal_()
    if levels.shares.is_contiguous():
        torch.index_select(levels.sums, 0, levels.owner, out=levels.shares)
    else:
        torch.mm(levels.members.t(), levels.sums, out=levels.shares)
    levels.chances.mul_(levels.shares)
    levels.chances.scatter_add_(0, places, levels.less)


def _sum_up(levels: Levels) -> None:
    torch.exp(levels.logits, out=levels.chances)
    torch.mm(levels.members, levels.chances, out=levels.sums)


class Numbers(NamedTuple):
    """What the first lines of a law say of numbers, and where the derivatives by these are put.

    Deviations are the columns' own, of a table of one line; or they stand behind the means.
    """

    told: Tensor
    by_mean: Tensor
    raw: Tensor
    by_raw: Tensor
    column: bool
    bounded: bool


def numbers_of(
    law: Tensor, by_law: Tensor, count: int, table: tuple[Tensor, ...], *, bounded: bool
) -> Numbers:
    """Return views of both; `table` is that of columns' deviations and what its derivatives are put into."""
    around = law[count : 2 * count], by_law[count : 2 * count]
    raw, by_raw = (each.T for each in table) if table else around
    return Numbers(law[:count], by_law[:count], raw, by_raw, bool(table), bounded)


def put_numbers(numbers: Numbers, values: Tensor, weight: float, reach: float = REACH) -> None:
    """Put the derivatives of these values' bounds; those by the table are of `weight` times their sum."""
    bends = torch.mul(numbers.raw, 2 / reach).sigmoid_()  # deviations are bent into reach
    sharp = torch.mul(bends, -4 * reach).add_(2 * reach).exp_()
    mean = torch.tanh(numbers.told) if numbers.bounded else numbers.told
    off = torch.sub(mean, values)
    pulled = torch.mul(off, sharp)
    if numbers.bounded:
        torch.ops.aten.tanh_backward(pulled, mean, grad_input=numbers.by_mean)
    else:
        numbers.by_mean.copy_(pulled)
    squares = off.mul_(pulled)
    if numbers.column:
        lost = torch.sum(squares, 1, keepdim=True).sub_(float(values.size(1))).mul_(-4 * weight)
    else:
        lost = squares.sub_(1.0).mul_(-4.0)
    torch.ops.aten.sigmoid_backward(lost, bends, grad_input=numbers.by_raw)
