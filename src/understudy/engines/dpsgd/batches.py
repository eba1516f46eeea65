"""Poisson batches: each row is in a step on its own, with the plan's probability, by the secure stream.

Batches are padded to a fixed number of slots, with weight 1 for a row and 0 for padding, so that every step
has the same shapes and can be captured. Padding is rows of zeros, not rows of the table: a row that was not
drawn has no way into a step.

Overflow. The slots are so many that more rows are drawn in fewer than one step in 10^12 (a Chernoff bound).
Dropping the excess would be a different mechanism: a row that comes in could push another out, which
doubles the sensitivity. So nothing is dropped. Who is in a step depends on the key and the step's number
alone, so the counts of coming steps are known ahead; a step that does not fit is given two (three, ...)
times the slots and runs uncaptured. What is sampled is therefore exactly Poisson, and the guarantee needs
no extra delta.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import torch

from understudy.engines.dpsgd.plan import Plan
from understudy.engines.dpsgd.source import source_for
from understudy.errors import BudgetError, ParameterError
from understudy.privacy.stream import Stream

__all__ = ["Batch", "PoissonBatches", "slots_for"]

Tensor = torch.Tensor

_RARE = 1e-12
_AHEAD = 2**22  # rows times steps that are looked at in one go


@final
@dataclass(frozen=True)
class Batch:
    """The rows of one step, padded; `weight` is 1 for a row and 0 for padding."""

    rows: tuple[Tensor, ...]
    weight: Tensor
    plan: Plan
    number: int

    def pieces(self, size: int) -> Iterator[tuple[tuple[Tensor, ...], Tensor]]:
        """Yield the rows in micro-batches of at most `size`."""
        if 0 < len(self.weight) <= size:
            yield self.rows, self.weight
            return
        for start in range(0, len(self.weight), size):
            yield tuple(part[start : start + size] for part in self.rows), self.weight[start : start + size]


def slots_for(rate: float, rows: int) -> int:
    """Return a multiple of 64 that fewer than one step in 10^12 outgrows; never more than there are rows.

    >>> slots_for(0.01, 51_200), slots_for(0.5, 40)
    (704, 40)
    """
    slots = 64
    while slots < rows and _log_tail(rate, rows, slots + 1) > math.log(_RARE):
        slots += 64
    return min(slots, rows)


def _log_tail(rate: float, rows: int, count: int) -> float:
    """Return a bound on log P(at least `count` of `rows`): Chernoff, -rows KL(count / rows, rate)."""
    share = count / rows
    if share <= rate:
        return 0.0
    if share >= 1:
        return rows * math.log(rate) if share == 1 else -math.inf
    return -rows * (share * math.log(share / rate) + (1 - share) * math.log((1 - share) / (1 - rate)))


@final
class PoissonBatches:
    """The batches of a run, one after the other, from rows that lie on the model's device.

    >>> plan = Plan(noise=1.0, clip=1.0, rate=0.5, steps=2, batch=4)
    >>> batches = PoissonBatches(plan, [torch.ones(8, 3)], Stream.fresh())
    >>> batch = batches.draw()
    >>> batch.rows[0].shape, bool((batch.rows[0].sum(1) == 3 * batch.weight).all())
    (torch.Size([8, 3]), True)
    """

    def __init__(self, plan: Plan, rows: Sequence[Tensor], stream: Stream) -> None:
        if not rows or len({(len(part), part.device) for part in rows}) != 1:
            raise ParameterError(
                "PoissonBatches: rows must be tensors of one length on one device, at least one."
            )
        self._plan, self._rows, self._device = plan, tuple(rows), rows[0].device
        self._on_device = self._device.type != "cpu"
        self._count = len(rows[0])
        self._slots = slots_for(plan.rate, self._count) if self._count else 0
        self._source = source_for(stream, self._device)
        self._at = torch.zeros(1, dtype=torch.int32, device=self._device)
        self._drawn = 0
        self._known: dict[int, int] = {}
        self._mask: Tensor | None = None

    @property
    def drawn(self) -> int:
        """How many steps were drawn so far."""
        return self._drawn

    @property
    def device(self) -> torch.device:
        """Where the rows lie."""
        return self._device

    @property
    def slots(self) -> int:
        """The usual number of slots of a batch."""
        return self._slots

    def draw(self) -> Batch:
        """Return the batch of the next step; an empty one is a step like any other."""
        slots = self.slots_of_next()
        number = self.count_one()
        mask = self._mask if self._mask is not None else self._members(self._at)[0]
        self._at.add_(1)
        index, weight = _places(mask, slots)
        rows = tuple(_gathered(part, index, weight) for part in self._rows)
        return Batch(rows, weight, self._plan, number)

    def slots_of_next(self) -> int:
        """Return how many slots the next step needs: on a device nearly always the usual number."""
        if self._drawn not in self._known:
            self._look_ahead()
        # The processor gains nothing from equal shapes, so it is spared most of the padding.
        unit = max(1, self._slots) if self._on_device else 64
        whole = unit * max(1, -(-self._known[self._drawn] // unit))
        return whole if self._on_device else min(whole, self._count)

    def skip_to(self, step: int) -> None:
        """Go on with a later step: those before it were drawn by a run that was cut off."""
        self._drawn = step
        self._at.fill_(step)

    def count_one(self) -> int:
        """Count a step (also one that a captured graph draws) and return its number, from 0."""
        if self._drawn >= self._plan.steps:
            raise BudgetError(
                f"PoissonBatches: all {self._plan.steps:,} planned steps are drawn; plan more steps."
            )
        self._drawn += 1
        return self._drawn - 1

    def _look_ahead(self) -> None:
        many = min(4_096, max(1, _AHEAD // max(1, self._count))) if self._on_device else 1
        steps = torch.arange(self._drawn, self._drawn + many, dtype=torch.int32, device=self._device)
        members = self._members(steps)
        self._known = dict(enumerate(members.sum(1).tolist(), self._drawn))
        self._mask = None if self._on_device else members[0]

    def _members(self, steps: Tensor) -> Tensor:
        return self._source.members(steps, self._plan.rate, self._count)


def _places(mask: Tensor, slots: int) -> tuple[Tensor, Tensor]:
    """Return which row sits in each slot, and the weights."""
    if mask.device.type != "cpu":
        return _places_on_device(mask, slots)
    drawn = mask.nonzero()[:, 0]
    weight = torch.arange(slots) < len(drawn)
    return torch.nn.functional.pad(drawn, (0, slots - len(drawn))), weight


def _places_on_device(mask: Tensor, slots: int) -> tuple[Tensor, Tensor]:
    """Do the same without asking the device how many rows there are."""
    place = mask.long().cumsum(0) - 1
    place = torch.where(mask, place, slots)  # rows that were not drawn all go to one slot too many
    index = torch.zeros(slots + 1, dtype=torch.int64, device=mask.device)
    index.scatter_(0, place, torch.arange(len(mask), device=mask.device))
    weight = torch.arange(slots, device=mask.device) < mask.sum()
    return index[:slots], weight


def _gathered(part: Tensor, index: Tensor, weight: Tensor) -> Tensor:
    if len(part) == 0:
        return part.new_zeros((len(index), *part.shape[1:]))
    return part[index].masked_fill_(~weight.reshape(-1, *[1] * (part.dim() - 1)), 0)
