"""Training under a budget: each stage is one read of the vault, at the price that was planned for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from understudy.engines.dpsgd.plan import Plan, Style
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.dpsgd.training import NoisyTraining
from understudy.engines.pate.votes import NoisyVotes
from understudy.engines.training.fit import Fit, Inputs, Loss, Settings, device_of, stage_settings
from understudy.engines.training.game import Game, Play, Taught
from understudy.engines.training.identity import digest_of
from understudy.errors import BudgetError, ParameterError
from understudy.privacy.events import DiscreteGaussian, Event, SampledGaussian
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.progress import Progress

__all__ = ["Clipping", "PrivateFit"]

_CLIP = 1.0  # where the settings bound no norm


@final
@dataclass(frozen=True)
class Clipping:
    """How a stage clips: the style and groups of its plan, and how many records are looked at in one go."""

    style: Style = "flat"
    groups: tuple[str, ...] = ()
    microbatch: int | None = None


@final
class PrivateFit(Fit):
    """Trains through noisy gradients alone; `read` is the vault's, `events` has the price of each stage.

    A stage reads under its own name. Steps, rate and noise are those of its event, not of its settings, and
    noisy sums are divided by rate x `rows`, a number that was bought or is public. No seed is taken: batches,
    noise and the draws of losses come from the vault's stream.
    """

    def __init__(
        self,
        read: Callable[[str, Mechanism], Any],
        events: Mapping[str, Event],
        settings: Mapping[str, Settings],
        matrix: Callable[[Columns], npt.NDArray[np.float32]],
        rows: float,
        *,
        progress: Progress | None = None,
        keep: Path | None = None,
        device: str | torch.device = "auto",
        clipping: Mapping[str, Clipping] | None = None,
    ) -> None:
        self._read, self._events, self._settings = read, events, dict(settings)
        self._matrix, self._rows = matrix, rows
        self._progress, self._keep, self._device = progress, keep, device_of(device)
        self._clipping = dict(clipping or {})
        self._past = ""

    @property
    def private(self) -> bool:
        """Always True: rows are read through noise alone."""
        return True

    @property
    def rows(self) -> float:
        """How many rows there are, as far as that was bought."""
        return self._rows

    @property
    def device(self) -> torch.device:
        """Where models are trained, and left."""
        return self._device

    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:
        """Train a model in place at the price of the stage; it comes back in eval mode."""
        self._train(stage, model, loss, inputs)

    def play(self, stage: str, game: Play) -> None:
        """Train the critic at the price of the stage, and the generator between its steps.

        What the generator learns is computed from the critic's released weights: it costs nothing more. A
        critic that is taught by votes is trained at the price of the votes.
        """
        if isinstance(game, Taught):
            self._teach(stage, game)
        elif isinstance(game, Game):
            game.generator.to(self._device)
            self._train(stage, game.critic, game.judge, game=game)
        else:
            raise ParameterError(f"PrivateFit: no way to play a {type(game).__name__} within a budget.")
        game.both.eval()

    def _teach(self, stage: str, taught: Taught) -> None:
        settings, event = stage_settings(self._settings, stage), self._events.get(stage)
        if not isinstance(event, DiscreteGaussian):
            raise BudgetError(f"PrivateFit: no votes were planned for stage {stage!r}; nothing is read.")
        trainee = Trainee(
            taught.both.to(self._device),
            taught.duel,
            settings,
            stage=stage,
            past=self._past,
            game=taught,
            progress=self._progress,
            keep=self._keep,
        )
        taught.released.load_state_dict(self._read(stage, NoisyVotes(event, trainee, self._matrix)))
        self._past = digest_of(self._past, taught.released)

    def _train(
        self,
        stage: str,
        model: nn.Module,
        loss: Loss,
        inputs: Inputs | None = None,
        game: Game | None = None,
    ) -> None:
        settings = stage_settings(self._settings, stage)
        clipping = _of(model, self._clipping.get(stage, Clipping()))
        trainee = Trainee(
            model.to(self._device),
            loss,
            settings,
            inputs,
            stage=stage,
            past=self._past,
            microbatch=clipping.microbatch,
            game=game,
            progress=self._progress,
            keep=self._keep,
        )
        plan = self._plan(stage, settings.clip or _CLIP, clipping)
        released = self._read(stage, NoisyTraining(plan, trainee, self._matrix))
        (model if game is None else game.released).load_state_dict(released)
        model.eval()
        if len(self._settings) > 1:  # a later stage may depend on it
            self._past = digest_of(self._past, model)

    def _plan(self, stage: str, clip: float, clipping: Clipping) -> Plan:
        event = self._events.get(stage)
        if not isinstance(event, SampledGaussian):
            raise BudgetError(f"PrivateFit: no steps were planned for stage {stage!r}; nothing is read.")
        return _affordable(event, clip, max(1.0, event.rate * self._rows), clipping)


def _of(model: nn.Module, clipping: Clipping) -> Clipping:
    """Leave out groups of which this network has no part, as one without numbers has no deviations of them.

    What has a part in no group, or in two, is refused where gradients are clipped.
    """
    names = [name for name, _ in model.named_parameters()]
    there = tuple(group for group in clipping.groups if any(name.startswith(group) for name in names))
    return replace(clipping, groups=there)


def _affordable(event: SampledGaussian, clip: float, batch: float, clipping: Clipping) -> Plan:
    """Return the plan whose price is the event's, or less by a rounding."""
    unit = Plan(1.0, clip, event.rate, event.steps, batch, clipping.style, clipping.groups).event().noise
    noise = event.noise / unit  # a batch-clipped plan has a larger sensitivity, and so needs more noise
    while True:
        plan = Plan(noise, clip, event.rate, event.steps, batch, clipping.style, clipping.groups)
        if plan.event().noise >= event.noise:
            return plan
        noise = math.nextafter(noise, math.inf)
