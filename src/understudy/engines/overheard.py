"""What an auditor overhears of a private training: how much each thing that is told speaks for one row.

The auditor knows the row and all weights: as much as the guarantee grants any attacker. Of a noisy sum of
gradients it takes the part along the row's own clipped gradient, over the variance of the noise: up to what
other rows add, the likelihood ratio of the row being there (Nasr et al. 2023). Where a loss draws, that
gradient is the mean over a few draws of the auditor's own. Of votes it takes their sum,
and teachers are the worst that there can be: each votes for every row as soon as it has one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.pate.teachers import Teachers
from understudy.engines.pate.votes import NoisyVotes
from understudy.engines.training.fit import Inputs
from understudy.engines.training.mapping import mapped

__all__ = ["overhearing", "speaks_for"]

_DRAWS = 16  # of a loss that draws; the training's own draw of the row is secret


@contextmanager
def overhearing(
    row: npt.NDArray[np.float32], inputs: Inputs | None = None, heard: list[float] | None = None
) -> Iterator[list[float]]:
    """Listen to all private trainings, and note of each step how much it speaks for a row (1, width).

    `inputs` is what the training makes of rows first (a later stage sees latents). A list that is given as
    `heard` is gone on with, and a training that dies leaves there what was heard of it.
    """
    heard = [] if heard is None else heard
    given = mapped(inputs, torch.from_numpy(np.array(row, np.float32))).repeat(_DRAWS, 1)
    honest_step, honest_told, honest_losses = PrivateGradients.step, NoisyVotes.told, Teachers.losses
    having: dict[int, int] = {}

    def step(self: PrivateGradients, batch: Any, loss: Any) -> None:
        honest_step(self, batch, loss)
        heard.append(speaks_for(self, self.model, lambda model: loss(model, given)))

    def told(self: NoisyVotes, votes: Tensor, *given: Any) -> Tensor:
        found = honest_told(self, votes, *given)
        heard.append(float(found.sum()) / self.price.sigma**2)
        return found

    def losses(self: Teachers, own: Tensor, there: Tensor, made: Tensor) -> Tensor:
        having[id(self)] = int(there.any(-1).sum())
        return honest_losses(self, own, there, made)

    def votes(self: Teachers, made: Tensor) -> Tensor:
        return torch.full((len(made),), having.get(id(self), 0), device=made.device)

    with ExitStack() as patches:
        for owner, other in (
            (PrivateGradients, step),
            (NoisyVotes, told),
            (Teachers, losses),
            (Teachers, votes),
        ):
            patches.enter_context(patch.object(owner, other.__name__, other))
        yield heard


def speaks_for(gradients: PrivateGradients, model: nn.Module, loss: Any) -> float:
    """Return the part of noisy gradients that lies along the clipped gradient of one record's mean loss."""
    plan, learned = gradients.plan, [p for p in model.parameters() if p.requires_grad]
    noisy = torch.cat([p.grad.flatten() for p in learned if p.grad is not None])
    found = torch.autograd.grad(loss(model).mean(), learned, allow_unused=True)
    parts = [torch.zeros_like(p) if g is None else g for p, g in zip(learned, found, strict=True)]
    own = torch.cat([part.flatten() for part in parts])
    if not torch.isfinite(own).all():
        return 0.0  # as the training takes it: such a record adds nothing
    own = own * min(1.0, plan.clip / max(float(own.norm()), 1e-12))
    return float(noisy @ own) * plan.batch / (plan.noise * plan.clip) ** 2
