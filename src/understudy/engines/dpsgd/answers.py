"""What follows a noisy step: the critic's weights move, and a generator learns from them, if there is a game.

Guarantee: nothing here sees a row. The generator's gradients come from the critic's weights, which are
released, and from noise; so its weights are post-processing, and need no noise of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import final

import torch
from torch import Tensor

from understudy.engines.training.fit import Settings
from understudy.engines.training.game import Game
from understudy.engines.training.weights import Weights

__all__ = ["Answers"]

_RIVAL = "rival."  # before the names of what the generator's steps to come depend on


@final
class Answers:
    """Takes the step of noisy gradients, and then the generator's; without a game, the first alone."""

    def __init__(self, game: Game | None, weights: Weights, settings: Settings) -> None:
        self._game, self._weights = game, weights
        self.noise = torch.Generator(weights.device)
        self._rival: Weights | None = None
        if game is not None:
            game.generator.train()
            # Its gradients have no noise: there is nothing to clip, and less to average out.
            self._rival = Weights(game.generator, replace(settings, clip=0.0))

    def step(self) -> None:
        """Take a step along the gradients that lie in the critic, and answer it."""
        self._weights.step()
        if self._game is None or self._rival is None:
            return
        learned = list(self._game.generator.parameters())
        for parameter, gradient in zip(
            learned, torch.autograd.grad(self._game.answer(self.noise), learned), strict=True
        ):
            parameter.grad = gradient
        self._rival.step()

    def finish(self) -> None:
        """Leave averages, where there are any, in both networks."""
        self._weights.finish()
        if self._rival is not None:
            self._rival.finish()

    def state(self) -> dict[str, Tensor]:
        """Return everything that the steps to come depend on."""
        found = self._weights.state()
        if self._rival is not None:
            found |= {f"{_RIVAL}{name}": value for name, value in self._rival.state().items()}
        return found

    def load(self, state: Mapping[str, Tensor], step: int) -> None:
        """Take up what `state` told after so many steps."""
        self._weights.load(
            {name: value for name, value in state.items() if not name.startswith(_RIVAL)}, step
        )
        if self._rival is not None:
            self._rival.load(
                {n.removeprefix(_RIVAL): value for n, value in state.items() if n.startswith(_RIVAL)}, step
            )
