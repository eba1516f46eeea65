"""Training in the open: rows on the device once, shuffled batches, checkpoints where a folder is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.engines.training.fit import Fit, Inputs, Loss, Settings, device_of, stage_settings
from understudy.engines.training.game import Picks, Play
from understudy.engines.training.identity import digest_of
from understudy.engines.training.loop import Watch, Work, run
from understudy.engines.training.mapping import mapped
from understudy.engines.training.order import seed_of
from understudy.engines.training.placing import placed, rested
from understudy.engines.training.precision import computing
from understudy.engines.training.steps import OpenSteps
from understudy.engines.training.stopping import Stopping
from understudy.engines.training.together import Lesson, meeting
from understudy.errors import ParameterError
from understudy.progress import Progress, Silent

__all__ = ["OpenFit"]


@final
class OpenFit(Fit):
    """Trains on the rows of a matrix, by the settings of each stage.

    With `keep` a training that was cut off is taken up there, and ends with the same bytes; a stage that was
    finished is not trained again. Beside others of its kind (`together`) it trains with them.
    """

    def __init__(
        self,
        matrix: npt.NDArray[np.float32],
        settings: Mapping[str, Settings],
        seed: int,
        progress: Progress | None = None,
        *,
        keep: Path | None = None,
        device: str | torch.device = "auto",
    ) -> None:
        if matrix.ndim != 2 or not len(matrix):
            raise ParameterError(f"OpenFit: needs a matrix of at least one row; got {matrix.shape}.")
        self._settings, self._seed, self._keep = dict(settings), seed, keep
        self._progress = Silent() if progress is None else progress
        self._device = device_of(device)
        self._rows = torch.from_numpy(np.array(matrix, np.float32, order="C")).to(self._device)
        self._past = digest_of(matrix) if keep is not None else ""  # what a stage may depend on

    @property
    def private(self) -> bool:
        """Always False: rows are read as they are."""
        return False

    @property
    def rows(self) -> float:
        """How many rows there are."""
        return float(len(self._rows))

    @property
    def device(self) -> torch.device:
        """Where models are trained, and left."""
        return self._device

    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:
        """Train a model in place; it comes back with averaged weights, if those are on, in eval mode."""
        self._train(stage, model, loss, inputs)

    def play(self, stage: str, game: Play) -> None:
        """Train all networks at once, on rows that the game picks."""
        self._train(stage, game.both, game.loss, game=game)

    def _train(
        self,
        stage: str,
        model: nn.Module,
        loss: Loss,
        inputs: Inputs | None = None,
        game: Play | None = None,
    ) -> None:
        settings = stage_settings(self._settings, stage)
        placed(model, self._device)
        facts = (settings, self._seed, stage, self._device.type)
        identity = digest_of(self._past, facts, model, loss, inputs) if self._keep is not None else ""
        keeper = Keeper(self._keep, stage, identity, self._progress.tell)
        found = keeper.found()
        if found is not None and found.finished:
            model.load_state_dict(found.tensors)
        else:
            lesson = self._lesson(stage, model, loss, inputs, (keeper, found), game=game)
            # The networks of a game look at whole batches, each in its own way: they do not stand in a stack.
            others = meeting() if found is None and game is None else None
            if others is None:
                lesson.alone()
            else:
                others.train(lesson)
                _finish(keeper, settings.steps, model)
        rested(model)
        if self._keep is not None:  # a later stage may use this model
            self._past = digest_of(self._past, model)

    def _lesson(
        self,
        stage: str,
        model: nn.Module,
        loss: Loss,
        inputs: Inputs | None,
        kept: tuple[Keeper, Checkpoint | None],
        *,
        game: Play | None,
    ) -> Lesson:
        settings, rows = stage_settings(self._settings, stage), mapped(inputs, self._rows)
        seed = (self._seed, stage)

        def alone() -> None:
            picks = None if game is None else game.picks(rows)
            with computing(settings.precision, self._device):
                _Training(model, loss, rows, settings, seed, picks=picks).run(self._progress, *kept)

        return Lesson(model, loss, rows, settings, seed, alone)


@final
class _Training(Work):
    """One stage: steps, checkpoints between blocks, and an end before the last step if that is wanted."""

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        rows: Tensor,
        settings: Settings,
        seed: tuple[int, str],
        *,
        picks: Picks | None = None,
    ) -> None:
        if picks is not None and settings.validation:
            raise ParameterError("OpenFit: a game has no rows kept aside to judge by; validation must be 0.")
        model.train()
        learned, aside = _apart(rows, settings.validation, seed)
        self._model, self._settings, self._stage = model, settings, seed[1]
        self._steps = OpenSteps(model, loss, learned, settings, seed, picks=picks)
        self._stopping = (
            Stopping(model, loss, aside, settings, seed_of(*seed, "judging")) if len(aside) else None
        )
        self._keeper: Keeper | None = None
        self._tell = Silent().tell

    def run(self, progress: Progress, keeper: Keeper, found: Checkpoint | None) -> None:
        """Train from where a checkpoint is, or from the start, to the end."""
        self._keeper, self._tell = keeper, progress.tell
        if found is not None:
            self._steps.weights.load(found.tensors, found.step)
            if self._stopping is not None:
                self._stopping.load(found.tensors, found.facts)
        steps = range(0 if found is None else found.step, self._settings.steps)
        with self._steps.computing():
            run(steps, self, Watch(progress, self._stage, steps, self._steps.loss))
        self._steps.weights.finish()
        if self._stopping is not None:
            self._stopping.finish()
        _finish(keeper, steps.stop, self._model)

    def begin(self, block: int) -> None:
        self._steps.begin(block)

    def take(self) -> None:
        self._steps.take(self._tell)

    def end(self, step: int) -> bool:
        goes_on = self._stopping is None or self._stopping.goes_on(step, self._steps.weights)
        if goes_on and self._keeper is not None and self._keeper.due:
            self._save(self._keeper, step)
        return goes_on

    def _save(self, keeper: Keeper, step: int) -> None:
        tensors = self._steps.weights.state()
        facts: dict[str, Any] = {}
        if self._stopping is not None:
            more, facts = self._stopping.state()
            tensors |= more
        keeper.save(Checkpoint(step, finished=False, tensors=tensors, facts=facts))


def _finish(keeper: Keeper, step: int, model: nn.Module) -> None:
    if keeper.keeps:
        tensors = {name: value.cpu().clone() for name, value in model.state_dict().items()}
        keeper.save(Checkpoint(step, finished=True, tensors=tensors))


def _apart(rows: Tensor, share: float, seed: tuple[int, str]) -> tuple[Tensor, Tensor]:
    """Return the rows to learn from and those kept aside to judge by."""
    count = min(len(rows) - 1, max(1, round(len(rows) * share))) if share else 0
    if not count:
        return rows, rows[:0]
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed_of(*seed, "aside")))
    order = order.to(rows.device)
    return rows[order[count:]].contiguous(), rows[order[:count]].contiguous()
