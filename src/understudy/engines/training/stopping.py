"""Early stopping: rows kept aside judge the averaged weights, and the best ones are kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import torch
from torch import Tensor, nn

from understudy.engines.training.fit import Loss, Settings
from understudy.engines.training.weights import Weights

__all__ = ["Stopping"]

_AT_ONCE = 4_096


@final
class Stopping:
    """Judges every so many steps, always with the same noise; ends a training that gets no better.

    A judgement takes place at the end of a block of steps, the first one after it is due.
    """

    def __init__(self, model: nn.Module, loss: Loss, aside: Tensor, settings: Settings, seed: int) -> None:
        self._model, self._loss, self._aside = model, loss, aside
        self._settings, self._seed = settings, seed
        self._noise = torch.Generator(aside.device)
        self._judged, self._worse, self._best = 0, 0, math.inf
        self._kept: dict[str, Tensor] = {}

    def goes_on(self, step: int, weights: Weights) -> bool:
        """Judge, if it is time to, and say whether there is still hope."""
        if step - self._judged < self._settings.every:
            return True
        self._judged = step
        with weights.averaged():
            loss = self._judgement()
            if loss < self._best:
                self._best, self._worse = loss, 0
                self._kept = {name: value.clone() for name, value in self._model.state_dict().items()}
            else:
                self._worse += 1
        return self._worse < self._settings.patience

    def finish(self) -> None:
        """Leave the better of the last and the best weights in the model."""
        if self._kept and not self._judgement() < self._best:
            self._model.load_state_dict(self._kept)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return the best weights so far, and how judging stands."""
        kept = {f"best.{name}": value.cpu().clone() for name, value in self._kept.items()}
        best = None if math.isinf(self._best) else self._best
        return kept, {"judged": self._judged, "worse": self._worse, "best": best}

    def load(self, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Take up what `state` told."""
        device = self._aside.device
        self._kept = {
            name.removeprefix("best."): value.to(device)
            for name, value in tensors.items()
            if name.startswith("best.")
        }
        self._judged, self._worse = facts["judged"], facts["worse"]
        self._best = math.inf if facts["best"] is None else facts["best"]

    def _judgement(self) -> float:
        self._noise.manual_seed(self._seed)
        self._model.eval()
        with torch.no_grad():
            parts = [
                self._loss(self._model, part, self._noise).sum()
                for part in torch.split(self._aside, _AT_ONCE)
            ]
        self._model.train()
        return float(torch.stack(parts).sum()) / len(self._aside)
