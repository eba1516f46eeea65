"""The server's way to train: rounds of asking sites, in the place of steps on rows.

A learner is given this `Fit` and does not know the difference. What a round ends with is written down before
the next one is asked for; a server that was killed goes on there, and asks again in the same words, which
sites answer with what they kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import final

import numpy as np
import torch
from torch import nn

from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.engines.training.fit import Fit, Inputs, Loss, Settings, stage_settings
from understudy.engines.training.identity import digest_of
from understudy.errors import InputError
from understudy.federated.catching import parameters_of, put, refuse_games
from understudy.federated.cohort import Cohort
from understudy.federated.demand import Demand, Parameters
from understudy.federated.local_training import round_settings
from understudy.federated.mixture import evened
from understudy.federated.strategies import Strategy, mean_of
from understudy.federated.terms import Terms
from understudy.federated.updates import Checker
from understudy.progress import Progress, Silent

__all__ = ["FederatedFit", "natural_limit"]


@final
@dataclass(frozen=True, eq=False)
class _State:
    """What the rounds so far have come to."""

    round: int
    weights: Parameters
    average: Parameters
    strategy: Strategy
    skipped: int = 0

    def checkpoint(self, rounds: int) -> Checkpoint:
        parts = {"weights": self.weights, "average": self.average, "memory": self.strategy.memory}
        tensors = {
            f"{part}|{name}": torch.from_numpy(np.array(value))  # no two may share their memory
            for part, arrays in parts.items()
            for name, value in arrays.items()
        }
        return Checkpoint(self.round, self.round == rounds, tensors, {"skipped": self.skipped})

    @classmethod
    def of(cls, found: Checkpoint, terms: Terms) -> _State:
        parts: dict[str, Parameters] = {"weights": {}, "average": {}, "memory": {}}
        for name, value in found.tensors.items():
            part, _, rest = name.partition("|")
            parts[part][rest] = value.numpy()
        strategy = Strategy(terms, parts["memory"])
        return cls(found.step, parts["weights"], parts["average"], strategy, found.facts["skipped"])


@final
@dataclass(eq=False)
class FederatedFit(Fit):
    """Trains by rounds; `settings` are those of each stage, over all rounds together.

    `counted` is how many rows all sites have, as far as they told; `finished` has the parameters of stages
    that are done. `skipped` counts rounds in which too few sites answered.
    """

    cohort: Cohort
    domain: str
    settings: Mapping[str, Settings]
    counted: float
    keep: Path | None = None
    progress: Progress = field(default_factory=Silent)
    finished: dict[str, Parameters] = field(default_factory=dict)
    skipped: int = 0

    @property
    def private(self) -> bool:
        """Whether rows are read through noise alone."""
        return self.cohort.terms.private

    @property
    def rows(self) -> float:
        """How many rows there are, as far as that was told."""
        return self.counted

    @property
    def device(self) -> torch.device:
        """The processor: a server takes no steps."""
        return torch.device("cpu")

    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:  # noqa: ARG002 - sites build these
        """Train a model in place by asking sites; loss and inputs are theirs to build."""
        terms, first = self.cohort.terms, parameters_of(model)
        identity = digest_of(terms.to_json(), self.domain, stage, first)
        keeper = Keeper(self.keep, stage, identity, self.progress.tell)
        found = keeper.found()
        state = _State(0, first, first, Strategy(terms)) if found is None else _State.of(found, terms)
        self.progress.stage(f"rounds of {stage}", terms.rounds)
        self.progress.step(state.round)
        while state.round < terms.rounds:
            state = self._after(stage, state)
            keeper.save(state.checkpoint(terms.rounds))
            self.progress.step(1)
        if state.skipped == terms.rounds:  # what it began with would pass for a model that was trained
            raise InputError(
                f"federation: nothing was trained in stage {stage!r}: in all of {terms.rounds} rounds fewer "
                f"than {terms.least_answers} sites sent an update that can be used. {self.cohort.last}"
            )
        self.skipped += state.skipped
        self.finished[stage] = state.average
        put(model, state.average)
        model.eval()

    def play(self, stage: str, game: object) -> None:  # noqa: ARG002 - no game is played
        """Refuse: a game sends more than differences."""
        refuse_games()

    def _shares(self) -> dict[str, float]:
        """Return what each site's differences count for: its weight, and never far more than the others."""
        return evened(self.cohort.weights, self.cohort.terms.most_rows)

    def _after(self, stage: str, state: _State) -> _State:
        """Return what one more round comes to; without enough answers the weights stay as they are."""
        terms, settings = self.cohort.terms, stage_settings(self.settings, stage)
        names = self.cohort.names
        demand = Demand(
            terms.hash, self.domain, stage, state.round, len(names), state.weights, dict(self.finished)
        )
        message = demand.to_message()
        limit = terms.limit or natural_limit(settings, terms, state)
        checker = Checker(demand, message.digest(), self.cohort.weights, limit)
        found = self.cohort.answers(message, checker.checked, terms.least_answers)
        if len(found) < terms.least_answers:
            return replace(state, round=state.round + 1, skipped=state.skipped + 1)
        weights, strategy = state.strategy.moved(state.weights, mean_of(found, self._shares()))
        average = _averaged(state.average, weights, settings.ema, state.round, terms.local_steps)
        return _State(state.round + 1, weights, average, strategy, state.skipped)


def natural_limit(settings: Settings, terms: Terms, state: _State) -> float:
    """Return how far Adam can go in one round: no step moves a weight by more than the rate, times a factor.

    The factor is that of the sparsest gradients (Kingma, Ba 2015, section 2.1).
    """
    own = round_settings(settings, terms, state.round)
    factor = max(1.0, (1 - own.betas[0]) / math.sqrt(1 - own.betas[1]))
    count = sum(value.size for value in state.weights.values())
    return own.lr * own.steps * factor * math.sqrt(max(1, count))


def _averaged(before: Parameters, weights: Parameters, ema: float, number: int, steps: int) -> Parameters:
    """Return the running average over rounds: as long as the recipe's over steps, with the same ramp."""
    if not ema:
        return weights
    kept = np.float32(min(ema**steps, (1 + number) / (10 + number)))
    return {name: kept * before[name] + (1 - kept) * value for name, value in weights.items()}
