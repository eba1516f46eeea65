"""What a network method sees of training: a way to train a model in place, with or without a budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor, nn

from understudy.check import Choice, Integer, Number
from understudy.engines.training.game import Loss, Play
from understudy.errors import ParameterError

__all__ = ["Fit", "Inputs", "Loss", "Settings", "device_of", "stage_settings"]

Inputs = Callable[[Tensor], Tensor]

_RULES: dict[str, Integer | Number | Choice] = {
    "steps": Integer(1, 2**31 - 1),
    "batch": Integer(1, 2**31 - 1),
    "lr": Number(0.0, 1e3),
    "optimizer": Choice(("adam", "adamw")),
    "weight_decay": Number(0.0, 1e3),
    "schedule": Choice(("constant", "linear", "cosine")),
    "warmup": Integer(0, 2**31 - 1),
    "ema": Number(0.0, 1.0),
    "clip": Number(0.0, 1e9),
    "pull": Number(0.0, 1e3),
    "precision": Choice(("auto", "float32", "tf32", "bf16")),
    "validation": Number(0.0, 0.9),
    "patience": Integer(1, 2**31 - 1),
    "every": Integer(1, 2**31 - 1),
}


@final
@dataclass(frozen=True)
class Settings:
    """How one stage is trained.

    `schedule` is what becomes of `lr` after `warmup` steps of a linear rise. `ema` is the decay of the
    average of the weights that is kept in the end (0: the last weights), with the usual ramp. `clip` bounds
    the norm of the gradient: of the batch in the open (0: no bound), of each record under a budget (0: 1).
    `pull` is how strongly every step is drawn back to the first weights (FedProx's mu): it is added to
    gradients after noise and clipping, so that it sees no row. `precision` "auto" is float32 on a processor
    and tf32 on a device; a private training computes in tf32 where bf16 is asked for. With `validation`, that
    share of the rows is kept aside and judged about every `every` steps, and training ends when it got no
    better `patience` times; it is refused under a budget.
    """

    steps: int = 1_000
    batch: int = 256
    lr: float = 1e-3
    optimizer: Literal["adam", "adamw"] = "adamw"
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup: int = 0
    ema: float = 0.0
    clip: float = 0.0
    pull: float = 0.0
    precision: Literal["auto", "float32", "tf32", "bf16"] = "auto"
    validation: float = 0.0
    patience: int = 5
    every: int = 500

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            if not rule.accepts(getattr(self, name)):
                raise ParameterError(f"Settings: {name} must be {rule}; got {getattr(self, name)!r}.")
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise ParameterError(
                f"Settings: betas must be two numbers from 0 to below 1; got {self.betas!r}."
            )


class Fit(ABC):
    """A way to train models on rows that a method never gets to see."""

    @property
    @abstractmethod
    def private(self) -> bool:
        """Whether rows are read through noise alone."""

    @property
    @abstractmethod
    def rows(self) -> float:
        """How many rows there are: exact in the open, bought under a budget."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where models are trained, and left."""

    @abstractmethod
    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:
        """Train a model in place, on `device`; it comes back in eval mode.

        `loss(model, rows, noise)` gives one number per record, each from its own record and noise of its own.
        `inputs` maps rows, each by itself, to what the loss is given; it is applied once, without gradients.
        """

    @abstractmethod
    def play(self, stage: str, game: Play) -> None:
        """Train the networks of a game in place, on `device`; they come back in eval mode."""


def stage_settings(settings: Mapping[str, Settings], stage: str) -> Settings:
    """Return the settings of a stage; refuse one that has none."""
    if stage not in settings:
        raise ParameterError(
            f"fit: stage {stage!r} has no settings; expected one of {', '.join(settings) or 'none'}."
        )
    return settings[stage]


def device_of(device: str | torch.device) -> torch.device:
    """Return a device by name; "auto" is the first CUDA device, or the processor where there is none."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    found = torch.device(device)
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ParameterError('fit: device "cuda" is asked for, and none is there; take "auto" or "cpu".')
    return found
