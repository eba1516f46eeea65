"""Models side by side whose loss knows its own derivatives: no graph, no `vmap`, two cores.

One half of the models is trained on one core and the other half on another, from the first step to the last:
neither waits for the other. The halves are the same where there is one core, and so is what is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.beside import Beside
from understudy.engines.training.fit import Loss, Settings
from understudy.engines.training.loop import BLOCK, Watch, Work, run
from understudy.engines.training.order import Order, seed_of
from understudy.engines.training.placing import rested
from understudy.engines.training.precision import computing, shortens
from understudy.engines.training.slopes import SlopedTogether
from understudy.engines.training.weights import Weights, clip_each
from understudy.progress import Silent

__all__ = ["Pupil", "is_written", "train_written"]

_LINE = 16  # floats of a cache line: products begin at one


@final
@dataclass(frozen=True, eq=False)
class Pupil:
    """A model, the rows that it learns from, and the seed and stage of its batches and its noise."""

    model: nn.Module
    rows: Tensor
    seed: tuple[int, str]


def is_written(loss: Loss, pupils: Sequence[Pupil], settings: Settings) -> bool:
    """Say whether these can be trained here: others are trained by what follows of their loss by itself."""
    device = pupils[0].rows.device
    return (
        isinstance(loss, SlopedTogether)
        and device.type == "cpu"
        and not shortens(settings.precision, device)
        and not settings.validation
        and loss.stands([pupil.model for pupil in pupils])
    )


def train_written(pupils: Sequence[Pupil], loss: SlopedTogether, settings: Settings) -> None:
    """Train models of one shape in place, each as it would be alone; they come back in eval mode."""
    cut = -(-len(pupils) // 2)
    with computing(settings.precision, torch.device("cpu")), Beside().open() as beside, torch.no_grad():
        beside.both(
            lambda: _train(pupils[:cut], loss, settings), lambda: _train(pupils[cut:], loss, settings)
        )
    for pupil in pupils:
        rested(pupil.model)


def _train(pupils: Sequence[Pupil], loss: SlopedTogether, settings: Settings) -> None:
    if not pupils:
        return
    with torch.no_grad():  # each thread has its own
        work, steps = _Written(pupils, loss, settings), range(settings.steps)
        run(steps, work, Watch(Silent(), f"{len(pupils)} models", steps))
        work.hand_back()


@final
class _Written(Work):
    """The steps of all models at once."""

    def __init__(self, pupils: Sequence[Pupil], loss: SlopedTogether, settings: Settings) -> None:
        self._pupils, self._settings = pupils, settings
        batch = min(settings.batch, *(len(pupil.rows) for pupil in pupils))
        self._orders = [Order(len(each.rows), batch, each.rows.device, each.seed) for each in pupils]
        self._noises = [torch.Generator() for _ in pupils]
        self._learned = [
            {name: p for name, p in pupil.model.named_parameters() if p.requires_grad} for pupil in pupils
        ]
        self._whole, self._weights_of = _room(self._learned)
        by_whole, self._grads = _room(self._learned)
        self._copy(back=False)
        held = nn.Parameter(self._whole)
        held.grad = by_whole
        self._weights = Weights(nn.ParameterList([held]), settings)
        self._slopes = loss.slopes_together(pupils[0].model, self._weights_of, self._grads, batch)
        self._rows, self._place = torch.empty(0), 0

    def begin(self, block: int) -> None:
        left = min(BLOCK, self._settings.steps - block * BLOCK)
        own = []
        for pupil, order, noise in zip(self._pupils, self._orders, self._noises, strict=True):
            seed, stage = pupil.seed
            noise.manual_seed(seed_of(seed, stage, "noise", str(block)))
            index = order.block(block)[:left]
            own.append(pupil.rows.index_select(0, index.reshape(-1)).view(*index.shape, -1))
        self._rows = torch.stack(own, 1)  # (steps, models, batch, columns)
        self._place = 0

    def take(self) -> None:
        self._slopes.put(self._rows[self._place], self._noises)
        if self._settings.clip:
            clip_each(list(self._grads.values()), self._settings.clip)
        self._weights.step()
        self._place += 1

    def end(self, step: int) -> bool:  # noqa: ARG002 - the loop tells every training; this one ends by its steps alone
        return True

    def hand_back(self) -> None:
        """Give each model the weights that it learned."""
        self._weights.finish()
        self._copy(back=True)

    def _copy(self, *, back: bool) -> None:
        for name, room in self._weights_of.items():
            own, parts = [each[name] for each in self._learned], list(room.unbind())
            torch._foreach_copy_(*((own, parts) if back else (parts, own)))


def _room(models: Sequence[dict[str, nn.Parameter]]) -> tuple[Tensor, dict[str, Tensor]]:
    """Return one vector, and pieces of it for each parameter of all models: (models, ...)."""
    sizes = [-(-len(models) * each.numel() // _LINE) * _LINE for each in models[0].values()]
    room = torch.zeros(sum(sizes))
    pieces = zip(torch.split(room, sizes), models[0].items(), strict=True)
    return room, {
        name: piece[: len(models) * each.numel()].view(len(models), *each.shape)
        for piece, (name, each) in pieces
    }
