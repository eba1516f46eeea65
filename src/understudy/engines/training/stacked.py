"""Many models of one shape, trained as one: their weights lie side by side, and each step is one for all.

A small network keeps a device waiting for orders, not for arithmetic; twenty of them side by side take hardly
longer than one. This is how shadow models of attacks are trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from understudy.engines.training.affine import AffineTogether
from understudy.engines.training.drawing import handed, made, noted
from understudy.engines.training.fit import Loss, Settings, device_of
from understudy.engines.training.loop import Watch, Work, run
from understudy.engines.training.order import Order, seed_of
from understudy.engines.training.precision import autocast, computing, layer_generators
from understudy.engines.training.replaying import Replaying
from understudy.engines.training.weights import Weights, clip_each
from understudy.engines.training.widened import Side, shape_of
from understudy.errors import ParameterError
from understudy.progress import Progress, Silent

__all__ = ["Batches", "train_side_by_side", "train_stacked"]

Matrix = npt.NDArray[np.float32]
Members = Sequence[npt.NDArray[np.int64]]


@final
@dataclass(frozen=True, eq=False)
class Batches:
    """What each model learns from: its places in rows of all, and the seed and stage of their order.

    With `alike` every model draws what it would draw alone, each from a generator of its own.
    """

    rows: Tensor
    sets: list[Tensor]
    orders: list[tuple[int, str]]
    alike: bool = False


def train_stacked(
    models: Sequence[nn.Module],
    loss: Loss,
    rows: Matrix,
    settings: Settings,
    seed: int,
    *,
    members: Members | None = None,
    device: str | torch.device = "auto",
    progress: Progress | None = None,
) -> None:
    """Train models of one shape in place, each on rows of its own; they come back in eval mode.

    `rows` is (models, rows, width), or one matrix (rows, width) of which `members` names the rows of each
    model. Model k goes through its rows in the order of `OpenFit`'s stage "k" of the same seed; all batches
    are as large as the smallest set of rows allows. The loss is vectorised by `torch.func.vmap`, with noise
    of its own for each model.
    """
    flat, sets = _flat(rows, members, len(models))
    named = [(seed, str(k)) for k in range(len(models))]
    batches = Batches(torch.from_numpy(flat).to(device_of(device)), sets, named)
    train_side_by_side(models, loss, batches, settings, seed, progress=progress)


def train_side_by_side(
    models: Sequence[nn.Module],
    loss: Loss,
    batches: Batches,
    settings: Settings,
    seed: int,
    *,
    progress: Progress | None = None,
) -> None:
    """Train models in place where the rows lie; narrow ones may have spare places (`widened`)."""
    watcher = Silent() if progress is None else progress
    _refuse(models, settings)
    place = batches.rows.device
    for model in models:
        model.to(place).train()
    with computing(settings.precision, place):
        work = _Stack(models, loss, batches, (settings, seed))
        work.tell = watcher.tell
        steps = range(settings.steps)
        run(steps, work, Watch(watcher, f"{len(models)} models", steps, work.loss))
        work.hand_back()
    for model in models:
        model.eval()


def _refuse(models: Sequence[nn.Module], settings: Settings) -> None:
    if len({shape_of(model) for model in models}) != 1:
        raise ParameterError("train_stacked: models must have one shape, or places to spare.")
    if settings.validation:
        raise ParameterError("train_stacked: models end together; validation must be 0.")


def _flat(rows: Matrix, members: Members | None, models: int) -> tuple[Matrix, list[Tensor]]:
    """Return all rows as one matrix, and which of them each model has."""
    if members is None and rows.ndim == 3 and len(rows) == models:
        count = rows.shape[1]
        sets = [torch.arange(count) + k * count for k in range(models)]
        flat = rows.reshape(-1, rows.shape[2])
    elif members is not None and rows.ndim == 2 and len(members) == models:
        sets = [torch.from_numpy(np.asarray(each, dtype=np.int64)) for each in members]
        flat = rows
    else:
        raise ParameterError("train_stacked: give (models, rows, width), or (rows, width) and all members.")
    if not all(len(each) for each in sets):
        raise ParameterError("train_stacked: each model needs at least one row.")
    return np.array(flat, np.float32, order="C"), sets


@final
class _LossOf(nn.Module):
    """A model and its loss as one module, so that weights can be swapped wherever the loss uses them."""

    def __init__(self, model: nn.Module, loss: Loss, noise: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.model = model
        self._loss, self._noise = loss, noise

    def forward(self, rows: Tensor) -> Tensor:
        return self._loss(self.model, rows, self._noise)


@final
class _Stack(Work):
    """The steps of all models at once."""

    def __init__(
        self, models: Sequence[nn.Module], loss: Loss, batches: Batches, how: tuple[Settings, int]
    ) -> None:
        self._settings, self._seed = how
        rows, self.tell = batches.rows, Silent().tell
        self._rows, self._device = rows, rows.device
        self._sets = [each.to(rows.device) for each in batches.sets]
        self._noise = torch.Generator(rows.device)
        self._side = Side(models, rounded=not batches.alike)
        self._whole = _LossOf(models[0], loss, self._noise)
        self._orders_of, self._alone = batches.orders, list[torch.Generator]()
        if batches.alike:
            self._alone = [torch.Generator(rows.device) for _ in models]
        needs = {name: p.requires_grad for name, p in models[0].named_parameters()}
        self._names = list(needs)
        self._held = nn.ParameterList(
            [nn.Parameter(value, needs[name]) for name, value in self._side.learned.items()]
        )
        self._weights = Weights(self._held, self._settings)
        batch = min(self._settings.batch, *(len(each) for each in self._sets))
        pairs = zip(self._sets, batches.orders, strict=True)
        self._orders = [Order(len(each), batch, rows.device, order) for each, order in pairs]
        self._index = self._drawn(0)
        self._place = torch.zeros(1, dtype=torch.int64, device=rows.device)
        self._last = torch.zeros((), device=rows.device)
        self._draws = noted(self._first_losses) if batches.alike else []
        self._replaying = Replaying(self._once, rows.device, self._noise, *self._alone)

    def begin(self, block: int) -> None:
        for generator, (seed, stage) in zip(self._alone, self._orders_of, strict=False):
            generator.manual_seed(seed_of(seed, stage, "noise", str(block)))
        self._noise.manual_seed(seed_of(self._seed, "stacked noise", str(block)))
        for generator in layer_generators(self._device):
            generator.manual_seed(seed_of(self._seed, "stacked layers", str(block)))
        self._index.copy_(self._drawn(block))
        self._place.zero_()

    def take(self) -> None:
        self._replaying.take(self.tell)

    def end(self, step: int) -> bool:  # noqa: ARG002 - the loop tells every training; this one ends by its steps alone
        return True

    def loss(self) -> float:
        """Return the mean loss of all models on their last batches."""
        return float(self._last)

    def hand_back(self) -> None:
        """Give each model the weights that it learned."""
        self._weights.finish()
        self._side.hand_back(dict(zip(self._names, self._held, strict=True)))

    def _drawn(self, block: int) -> Tensor:
        """Return the rows of a block's steps: (BLOCK, models, batch)."""
        pairs = zip(self._sets, self._orders, strict=True)
        return torch.stack([each[order.block(block)] for each, order in pairs], dim=1)

    def _once(self) -> None:
        index = self._index.index_select(0, self._place)[0]
        rows = self._rows.index_select(0, index.view(-1)).view(*index.shape, -1)
        with autocast(self._settings.precision, self._device):
            losses = self._losses(rows)
        if losses.shape != index.shape:
            raise ParameterError(
                f"train_stacked: a loss must be one number per record; got {tuple(losses.shape[1:])}."
            )
        means = losses.float().mean(1)
        for parameter in self._held:
            parameter.grad = None
        torch.autograd.backward(means.sum())
        if self._settings.clip:
            clip_each([p.grad for p in self._held if p.grad is not None], self._settings.clip)
        self._weights.step()
        self._last.copy_(means.detach().mean())
        self._place.add_(1)

    def _first_losses(self) -> Tensor:
        """Return the losses of the first model on its first batch, for the draws that they take."""
        found: Tensor = self._whole(self._rows.index_select(0, self._index[0, 0]))
        return found

    def _losses(self, rows: Tensor) -> Tensor:
        def one(
            learned: dict[str, Tensor], buffers: dict[str, Tensor], own: Tensor, drawn: list[Tensor]
        ) -> Tensor:
            with handed(drawn) if self._alone else nullcontext():
                found: Tensor = functional_call(self._whole, {**learned, **buffers}, (own,))
            return found

        learned = {f"model.{n}": v for n, v in zip(self._names, self._held, strict=True)}
        buffers = {f"model.{n}": v for n, v in self._side.buffers.items()}
        axes = {f"model.{n}": axis for n, axis in self._side.axes.items()}
        drawn = made(self._draws, self._alone)
        beside = vmap(one, in_dims=(0, axes, 0, 0), randomness="different")
        with AffineTogether():
            found: Tensor = beside(learned, buffers, rows, drawn)
        return found
