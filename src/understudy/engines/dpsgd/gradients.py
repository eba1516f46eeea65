"""Private gradients: clip, sum, round, noise, divide, count. The one door between rows and parameters."""

from __future__ import annotations

from typing import final

import torch
from torch import nn

from understudy.engines.dpsgd.batches import Batch
from understudy.engines.dpsgd.clipper import Clipper, Route
from understudy.engines.dpsgd.functional import Loss
from understudy.engines.dpsgd.plan import Plan
from understudy.engines.dpsgd.source import source_for
from understudy.errors import BudgetError, ParameterError
from understudy.privacy.events import SampledGaussian
from understudy.privacy.stream import Stream

__all__ = ["PrivateGradients"]


@final
class PrivateGradients:
    """Writes noisy gradients into a model, at most as many times as planned.

    `loss(model, *rows)` must give one number per record, each from its own record alone. In layers that the
    tape knows the first axis must be the record.

    Guarantee: whatever is computed from the gradients of all planned steps is as private as `event()` says,
    under adding or removing one row, if the batches come from `PoissonBatches` (one of another plan or step
    is refused), the loss mixes no rows, and no other run was given the same stream: each stage needs a child
    of its own. A step without rows is noise alone. A record whose gradient is not finite counts as zero.

    >>> plan = Plan(noise=1.0, clip=1.0, rate=0.5, steps=1, batch=4)
    >>> from understudy.engines.dpsgd.batches import PoissonBatches
    >>> model, stream = nn.Linear(3, 1), Stream.fresh()
    >>> batches = PoissonBatches(plan, [torch.ones(8, 3)], stream)
    >>> gradients = PrivateGradients(model, plan, stream)
    >>> gradients.step(batches.draw(), lambda model, x: model(x).squeeze(1) ** 2)
    >>> model.weight.grad.shape, gradients.steps
    (torch.Size([1, 3]), 1)
    """

    def __init__(
        self,
        model: nn.Module,
        plan: Plan,
        stream: Stream,
        *,
        route: Route = "auto",
        microbatch: int | None = None,
    ) -> None:
        if microbatch is not None and microbatch < 1:
            raise ParameterError(f"PrivateGradients: microbatch must be at least 1; got {microbatch!r}.")
        self._model, self._plan, self._private = model, plan, stream.private
        self._clipper = Clipper(model, plan, route, microbatch)
        total = self._clipper.total
        self._source = source_for(stream, total.device)
        self._noise = torch.empty(len(total), dtype=torch.float32, device=total.device)
        self._at = torch.zeros(1, dtype=torch.int32, device=total.device)
        self._steps = 0

    @property
    def model(self) -> nn.Module:
        """Where noisy gradients are written."""
        return self._model

    @property
    def plan(self) -> Plan:
        """What was promised."""
        return self._plan

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return self._steps

    @property
    def private(self) -> bool:
        """Whether the noise is secret; False only for the stream of tests."""
        return self._private

    def event(self) -> SampledGaussian:
        """Return what the ledger must be debited before the first step: the whole planned run."""
        return self._plan.event()

    def step(self, batch: Batch, loss: Loss) -> None:
        """Write noisy gradients of one batch into the model: (clipped sum + noise) / plan.batch.

        With batch clipping the sum is a clipped mean already and is not divided.
        """
        if batch.plan != self._plan:
            raise ParameterError(
                "PrivateGradients: the batch was drawn under another plan; use one plan for both."
            )
        if batch.number != self._steps:
            raise ParameterError(
                f"PrivateGradients: expected the batch of step {self._steps}; got {batch.number}."
            )
        self.count_one()
        self._clipper.run(batch, loss)
        self._source.noise(self._at, self._clipper.grid.scale, self._noise)
        self._at.add_(1)
        divisor = 1.0 if self._plan.style == "batch" else self._plan.batch
        self._clipper.grid.release(self._clipper.total, self._noise, divisor)
        for parameter, view in zip(self._clipper.parameters.values(), self._clipper.views, strict=True):
            parameter.grad = view

    def skip_to(self, step: int) -> None:
        """Go on with a later step: those before it were taken, and paid for, by a run that was cut off."""
        self._steps = step
        self._at.fill_(step)

    def count_one(self) -> None:
        """Count a step before it is taken (also one that a captured graph takes); refuse one too many."""
        if self._steps >= self._plan.steps:
            raise BudgetError(
                f"PrivateGradients: all {self._plan.steps:,} planned steps are taken; no more are paid for."
            )
        self._steps += 1
