"""Steps in the open: gather, loss, gradients, optimizer, average; one CUDA graph where there is a device."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.training.fit import Loss, Settings
from understudy.engines.training.game import Picks
from understudy.engines.training.order import Order, seed_of
from understudy.engines.training.precision import autocast, layer_generators, shortens
from understudy.engines.training.replaying import Replaying
from understudy.engines.training.slopes import Sloped, Slopes
from understudy.engines.training.weights import Weights
from understudy.errors import ParameterError

__all__ = ["OpenSteps"]


@final
class OpenSteps:
    """Takes the steps of a training, each a function of the seed, the stage and its number."""

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
        self._picks = picks
        self._model, self._loss, self._rows = model, loss, rows
        self._settings, self._seed, self._device = settings, seed, rows.device
        self._learned = [p for p in model.parameters() if p.requires_grad]
        self._order = Order(len(rows), settings.batch, rows.device, seed)
        batch = self._order.batch if picks is None else settings.batch
        self._slopes = _slopes(model, loss, batch, (settings, rows.device))
        self.weights = Weights(model, settings, None if self._slopes is None else self._slopes.learned)
        self._noise = torch.Generator(rows.device)
        # Derivatives that are written out may draw their noise ahead: then rows are picked by another one.
        self._picking = self._noise if self._slopes is None else torch.Generator(rows.device)
        self._index = self._order.block(0).clone()
        self._place = torch.zeros(1, dtype=torch.int64, device=rows.device)
        self._last = torch.zeros((), device=rows.device)
        self._seen = rows[: self._order.batch]
        self._replaying = Replaying(self._once, rows.device, self._noise)

    def begin(self, block: int) -> None:
        """Fix the batches and the noise of a block."""
        seed, stage = self._seed
        if self._slopes is not None:
            self._slopes.begin()
        self._noise.manual_seed(seed_of(seed, stage, "noise", str(block)))
        if self._picking is not self._noise:
            self._picking.manual_seed(seed_of(seed, stage, "picks", str(block)))
        for generator in layer_generators(self._device):
            generator.manual_seed(seed_of(seed, stage, "layers", str(block)))
        self._index.copy_(self._order.block(block))
        self._place.zero_()

    def loss(self) -> float:
        """Return the mean loss of the last batch."""
        if self._slopes is None:
            return float(self._last)
        # Of the weights as they are after the step, and by noise that the steps have no part in; a norm over
        # batches must not take this one for one more of them.
        self._model.eval()
        with torch.no_grad():
            found = float(self._loss(self._model, self._seen, torch.Generator(self._device)).mean())
        self._model.train()
        return found

    def computing(self) -> AbstractContextManager[object]:
        """Return what must hold while steps are taken."""
        return nullcontext() if self._slopes is None else self._slopes.computing()

    def take(self, tell: Callable[[str], None]) -> None:
        """Take one step; where steps cannot be captured, say why and take them one by one."""
        self._replaying.take(tell)

    def _once(self) -> None:
        rows = self._batch()
        if self._slopes is None:
            self._differentiate(rows)
        else:
            self._slopes.put(rows, self._noise)
            self._seen = rows
        if self._settings.clip:
            torch.nn.utils.clip_grad_norm_(self._learned, self._settings.clip)
        self.weights.step()
        self._place.add_(1)

    def _differentiate(self, rows: Tensor) -> None:
        with autocast(self._settings.precision, self._device):
            losses = self._loss(self._model, rows, self._noise)
        if losses.shape != (len(rows),):
            raise ParameterError(
                f"fit: a loss must be one number per record, ({len(rows)},); got {tuple(losses.shape)}."
            )
        mean = losses.float().mean()
        for parameter in self._learned:
            parameter.grad = None
        torch.autograd.backward(mean)
        self._last.copy_(mean.detach())

    def _batch(self) -> Tensor:
        if self._picks is not None:
            return self._picks(self._settings.batch, self._picking)
        return self._rows.index_select(0, self._index.index_select(0, self._place)[0])


def _slopes(model: nn.Module, loss: Loss, batch: int, where: tuple[Settings, torch.device]) -> Slopes | None:
    """Return the derivatives as the loss has them written out, where it has; else nothing."""
    settings, device = where
    if not isinstance(loss, Sloped):
        return None
    return loss.slopes(model, batch, short=shortens(settings.precision, device))
