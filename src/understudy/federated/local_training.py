"""One round at one site: the existing trainer takes the steps, and the difference of weights is what leaves.

Adam is made anew in every round, as in 003's code: a site keeps nothing between rounds beside its ledger. The
schedule of the rate of learning runs over all rounds, and is held at its mean inside of each.

Guarantee, under a budget: that of `NoisyTraining`, for the steps of this round. All rounds together are the
event that was planned and paid for before the first one: same rate, same noise, rounds times local steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch

from understudy.engines.training.fit import Fit, Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.order import seed_of
from understudy.engines.training.pace import rates
from understudy.engines.training.privately import PrivateFit
from understudy.errors import InputError, ParameterError
from understudy.federated.catching import Catcher, Caught
from understudy.federated.demand import Demand, Parameters
from understudy.federated.terms import Terms
from understudy.privacy.events import SampledGaussian
from understudy.privacy.mechanism import Columns, Mechanism

__all__ = ["MATRIX", "Round", "open_fit", "private_fit", "round_settings", "within_memory"]

_FULL = "can't allocate memory"  # how torch says so of a processor: it has no error of its own for that
MATRIX = "matrix"  # the one column of a vault whose rows are encoded already


@final
@dataclass(frozen=True, eq=False)
class Round:
    """A demand, the network that it is about with its parameters put in, and how it is trained."""

    demand: Demand
    caught: Caught
    settings: Settings

    @classmethod
    def of(cls, demand: Demand, catcher: Catcher, terms: Terms) -> Round:
        """Build the network, and refuse a demand that it does not fit."""
        caught = catcher.caught(demand.stage, demand.before)
        caught.put(demand.parameters)
        settings = round_settings(catcher.method.settings[demand.stage], terms, demand.round)
        return cls(demand, caught, settings)

    def difference(self, fit: Fit) -> Parameters:
        """Train, and return what became of the parameters less what they were."""
        caught = self.caught
        caught.lay(fit.device)
        fit.train(self.demand.stage, caught.model, caught.loss, caught.inputs)
        if caught.has_moved():
            raise ParameterError(
                "federation: networks that keep statistics of rows (batch norm) do not federate."
            )
        after = caught.parameters()
        return {name: after[name] - value for name, value in self.demand.parameters.items()}


@contextmanager
def within_memory() -> Iterator[None]:
    """Refuse what there is no memory for: how large networks and batches are, who asks decides.

    The words are the same whatever was too large, and hold nothing of the rows.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError | torch.OutOfMemoryError) and _FULL not in str(error):
            raise
        raise InputError(
            "Site: there is not enough memory here for such a round; ask for smaller networks, or for "
            "smaller batches."
        ) from None


def round_settings(settings: Settings, terms: Terms, number: int) -> Settings:
    """Return the settings of one round: its steps, at the mean rate that the schedule has there.

    >>> terms = Terms("findiff", {}, rounds=2, local_steps=2)
    >>> round_settings(Settings(steps=4, lr=1.0, schedule="linear"), terms, 1).lr
    0.375
    """
    clip = terms.clip if terms.private else settings.clip
    pull = terms.pull if terms.strategy == "fedprox" else 0.0
    return _round_settings(replace(settings, clip=clip, pull=pull), terms.steps, terms.local_steps, number)


@lru_cache(maxsize=16)  # in one process the same for all sites
def _round_settings(settings: Settings, steps: int, local_steps: int, number: int) -> Settings:
    plan, begin = rates(replace(settings, steps=steps)), number * local_steps
    return replace(
        settings,
        steps=local_steps,
        lr=float(plan[begin : begin + local_steps].mean()),
        schedule="constant",
        warmup=0,
        ema=0.0,  # averages are the server's, over rounds
        validation=0.0,
    )


def private_fit(
    work: Round, read: Callable[[str, Mechanism], Any], event: SampledGaussian, rows: float, device: str
) -> PrivateFit:
    """Return the fit that takes the steps of one round through one read of the vault."""
    stage = work.demand.stage
    return PrivateFit(
        read,
        {stage: replace(event, steps=work.settings.steps)},
        {stage: work.settings},
        _matrix,
        rows,
        device=device,
    )


def open_fit(work: Round, matrix: npt.NDArray[np.float32], seed: tuple[int, str], device: str) -> OpenFit:
    """Return the fit that takes the steps of one round on the rows as they are.

    `seed` is that of the terms and the name of the site: each round of each site shuffles by itself.
    """
    stage, number = work.demand.stage, str(work.demand.round)
    own = seed_of(*seed, stage, number)
    return OpenFit(matrix, {stage: work.settings}, own, device=device)


def _matrix(columns: Columns) -> npt.NDArray[np.float32]:
    return np.asarray(columns[MATRIX], np.float32)
