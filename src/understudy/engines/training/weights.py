"""Weights in the making: a model, its optimizer and the running average, as one thing that takes steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.training import pace
from understudy.engines.training.adam import Adam
from understudy.engines.training.fit import Settings
from understudy.errors import ParameterError

__all__ = ["Weights", "clip_each"]


@final
class Weights:
    """Turns gradients that lie in a model into a step, at the rate of that step, and averages the iterates.

    What is `learned` are the model's parameters, or vectors that these are pieces of.
    On a device the number of the step lies in device memory, so that a captured graph moves it on by itself.
    """

    def __init__(self, model: nn.Module, settings: Settings, learned: Sequence[Tensor] | None = None) -> None:
        self._model = model
        given = model.parameters() if learned is None else learned
        self._learned: list[Tensor] = [p for p in given if p.requires_grad]
        if not self._learned:
            raise ParameterError(
                "fit: the model has no parameters to train; all are frozen, or there are none."
            )
        self._device = self._learned[0].device
        self._on_device = self._device.type != "cpu"
        self._rates, self._shares = pace.rates(settings), pace.shares(settings)
        self._optimizer = Adam(self._learned, settings)
        self._pull = settings.pull
        self._first = [p.detach().clone() for p in self._learned] if settings.pull else []
        self._average = [p.detach().clone() for p in self._learned] if settings.ema else []
        self._at = 0  # on a device `_place` is what counts
        if self._on_device:
            self._place = torch.zeros(1, dtype=torch.int64, device=self._device)
            self._tables = [
                torch.from_numpy(table).float().to(self._device) for table in (self._rates, self._shares)
            ]

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return self._device

    def step(self) -> None:
        """Take a step along the gradients, and let the average follow."""
        self._draw_back()
        if self._on_device:
            self._step_on_device()
            return
        self._optimizer.step(float(self._rates[self._at]))
        if self._average:
            with torch.no_grad():
                torch._foreach_lerp_(self._average, self._learned, float(self._shares[self._at]))
        self._at += 1

    def _draw_back(self) -> None:
        for learned, first in zip(self._learned, self._first, strict=False):
            if learned.grad is not None:
                learned.grad.add_(learned.detach() - first, alpha=self._pull)

    def _step_on_device(self) -> None:
        rate, share = (table.index_select(0, self._place)[0] for table in self._tables)
        self._optimizer.step(rate)
        if self._average:
            with torch.no_grad():  # a lerp of many tensors takes no weight that lies on the device
                gaps = [p - average for p, average in zip(self._learned, self._average, strict=True)]
                torch._foreach_mul_(gaps, share)
                torch._foreach_add_(self._average, gaps)
        self._place.add_(1)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Put the average into the model for a while."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def finish(self) -> None:
        """Leave the average, where there is one, in the model."""
        with torch.no_grad():
            for learned, average in zip(self._learned, self._average, strict=False):
                learned.copy_(average)
        for parameter in (*self._learned, *self._model.parameters()):
            parameter.grad = None

    def state(self) -> dict[str, Tensor]:
        """Return everything that the steps to come depend on, on the processor, each tensor by itself."""
        found = {f"model.{name}": value for name, value in self._model.state_dict().items()}
        found |= {f"average.{i}": value for i, value in enumerate(self._average)}
        for i, p in enumerate(self._learned):
            held = self._optimizer.moments.get(p, {})
            found |= {f"optimizer.{i}.{key}": value for key, value in held.items()}
        return {name: value.detach().cpu().contiguous().clone() for name, value in found.items()}

    def load(self, state: Mapping[str, Tensor], step: int) -> None:
        """Take up what `state` told after so many steps."""
        names = self._model.state_dict().keys()
        self._model.load_state_dict({name: state[f"model.{name}"] for name in names})
        for i, average in enumerate(self._average):
            average.copy_(state[f"average.{i}"])
        for name, value in state.items():
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                number, _, key = rest.partition(".")
                held = self._optimizer.moments.setdefault(self._learned[int(number)], {})
                held[key] = value.to(self._device).clone()
        self._at = step
        if self._on_device:
            self._place.fill_(step)

    def _swap(self) -> None:
        with torch.no_grad():
            for learned, average in zip(self._learned, self._average, strict=False):
                kept = learned.detach().clone()
                learned.copy_(average)
                average.copy_(kept)


def clip_each(gradients: list[Tensor], limit: float) -> None:
    """Bound the norm of each model's gradient; models stand along the first axis."""
    squares = torch.stack([g.flatten(1).square().sum(1) if g.dim() > 1 else g.square() for g in gradients])
    factor = (limit / (squares.sum(0).sqrt() + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.view(-1, *[1] * (gradient.dim() - 1)))
