"""What is trained by a private run, and how: all of it public, and known by one digest."""

from __future__ import annotations

from pathlib import Path
from typing import final

from torch import nn

from understudy.engines.training.fit import Inputs, Loss, Settings
from understudy.engines.training.game import Play
from understudy.engines.training.identity import digest_of
from understudy.errors import ParameterError
from understudy.progress import Progress, Silent

__all__ = ["Trainee"]


@final
class Trainee:
    """A model with its first weights, a loss per record, settings, and where the work is kept.

    Two are the same if model, first weights, settings and functions are (`identity`): a mechanism that
    holds one can be compared with another, and hashed into the witness of a read, before and after training.
    `past` is the digest of what earlier stages learned, on which model, loss and inputs may depend.
    With a `game`, `model` is what has a price, and what is released are the networks that the game releases.
    `settings.steps` and `settings.batch` are the plan's business and are not looked at here.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        settings: Settings,
        inputs: Inputs | None = None,
        *,
        stage: str = "training",
        past: str = "",
        microbatch: int | None = None,
        game: Play | None = None,
        progress: Progress | None = None,
        keep: Path | None = None,
    ) -> None:
        if settings.validation:
            raise ParameterError(
                "Trainee: rows kept aside would be read without noise; under a budget validation must be 0."
            )
        self.model, self.loss, self.settings, self.inputs = model, loss, settings, inputs
        self.stage, self.microbatch, self.keep, self.game = stage, microbatch, keep, game
        self.progress = Silent() if progress is None else progress
        self.digest = digest_of(model, loss, settings, inputs, stage, past, microbatch, game)

    @property
    def released(self) -> nn.Module:
        """What the training releases: the model, or networks of a game."""
        return self.model if self.game is None else self.game.released

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trainee) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Trainee({self.digest})"
