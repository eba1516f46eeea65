"""Training of which the first stage alone goes through noise: what paper 000 does (Algorithm 1).

There is no guarantee in it beyond that stage's weights. It is here so that the paper's method can be run as
printed, and be seen for what it is: whoever hands out the rows writes that into the ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy.typing as npt
import torch
from torch import nn

from understudy.engines.training.fit import Fit, Inputs, Loss
from understudy.engines.training.game import Play

__all__ = ["PartlyOpenFit"]

Weights = dict[str, npt.NDArray[Any]]


@final
class PartlyOpenFit(Fit):
    """Trains the stage `protected` by a private fit, and every later one by the fit that `opened` makes.

    `opened` is called once, with the weights of the protected stage, when the first later stage begins.
    """

    def __init__(self, private: Fit, protected: str, opened: Callable[[Weights], Fit]) -> None:
        self._private, self._protected, self._opened = private, protected, opened
        self._weights: Weights = {}
        self._open: Fit | None = None

    @property
    def private(self) -> bool:
        """Always False: rows are read as they are in the end."""
        return False

    @property
    def rows(self) -> float:
        """How many rows there are, as far as that was bought."""
        return self._private.rows

    @property
    def device(self) -> torch.device:
        """Where models are trained, and left."""
        return self._private.device

    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:
        """Train a model in place, through noise or in the open."""
        self._fit_of(stage).train(stage, model, loss, inputs)
        self._note(stage, model)

    def play(self, stage: str, game: Play) -> None:
        """Train the networks of a game in place, through noise or in the open."""
        self._fit_of(stage).play(stage, game)
        self._note(stage, game.released)

    def _fit_of(self, stage: str) -> Fit:
        if stage == self._protected:
            return self._private
        self._open = self._open or self._opened(self._weights)
        return self._open

    def _note(self, stage: str, model: nn.Module) -> None:
        if stage == self._protected:
            self._weights = {name: each.cpu().clone().numpy() for name, each in model.state_dict().items()}
