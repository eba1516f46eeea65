"""A whole private training run as one mechanism: the vault gives noisy gradients and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from understudy.engines.dpsgd.batches import PoissonBatches
from understudy.engines.dpsgd.capture import capture
from understudy.engines.dpsgd.functional import Loss
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.dpsgd.plan import Plan
from understudy.privacy.events import SampledGaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.stream import Stream

__all__ = ["NoisyTraining"]

Optimizers = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@final
@dataclass(frozen=True)
class NoisyTraining(Mechanism):
    """DP-SGD as a read of the vault: `vault.read("training", NoisyTraining(...))` returns trained weights.

    The trainer brings a model, a loss per record, an optimizer and a rule that turns rows into a matrix, each
    row by itself; the vault brings the rows and the stream. On a device the optimizer must be capturable.

    Guarantee. In each step every row is in the batch with probability plan.rate, on its own, and the sum of
    the gradients, each clipped to plan.clip, gets Gaussian noise (PrivateGradients). The weights after all
    steps are computed from those noisy sums and the initial weights alone, so they cost what the steps
    cost: plan.event(). The number of rows enters through the rate only, which is fixed before.
    """

    plan: Plan
    model: nn.Module
    loss: Loss
    optimizer: Optimizers
    matrix: Callable[[Columns], npt.NDArray[np.float32]]

    @property
    def event(self) -> SampledGaussian:
        """What the whole run costs."""
        return self.plan.event()

    @property
    def sensitivity(self) -> Sensitivity:
        """One row is in or out; the clip bounds what it adds to any step."""
        return Sensitivity("l1", 1.0, "one row in or out, its gradient clipped in every step that it is in")

    def statistic(self, columns: Columns) -> npt.NDArray[np.float32]:
        """Return the rows as the model sees them."""
        return np.ascontiguousarray(self.matrix(columns), dtype=np.float32)

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how many rows must be added or removed to turn one table into the other."""
        first, second = (Counter(row.tobytes() for row in table) for table in (left, right))
        return float(sum(((first - second) + (second - first)).values()))

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> dict[str, torch.Tensor]:
        """Train for all planned steps and return the weights."""
        device = next(self.model.parameters()).device
        rows = torch.from_numpy(np.array(statistic)).to(device)
        batches = PoissonBatches(self.plan, [rows], stream.child("batches"))
        gradients = PrivateGradients(self.model, self.plan, stream.child("noise"))
        steps = capture(gradients, batches, self.loss, self.optimizer(self.model.parameters()))
        for _ in range(self.plan.steps):
            steps.step()
        return {name: weight.detach().clone() for name, weight in self.model.state_dict().items()}
