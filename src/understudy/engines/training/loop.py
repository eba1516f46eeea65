"""The loop: blocks of steps, so that batches and noise are functions of a block's number.

At the start of a block every random number of its steps is fixed from the seed (or the secret stream) and the
block's number alone. So a run that was cut off and is taken up at a block ends with the same bytes, and no
state of a random generator is ever written down.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import final

from understudy.progress import Progress

__all__ = ["BLOCK", "Watch", "Work", "run"]

BLOCK = 64
_SHOWN_EVERY = 0.5  # seconds


class Work(ABC):
    """What is done in a loop."""

    @abstractmethod
    def begin(self, block: int) -> None:
        """Fix what is drawn in the steps of a block."""

    @abstractmethod
    def take(self) -> None:
        """Take one step."""

    @abstractmethod
    def end(self, step: int) -> bool:
        """Do what is due when so many steps are taken, at the end of a block; say whether to go on."""


@final
class Watch:
    """Tells a watcher how far a stage is, what the loss is where that may be told, and the time left."""

    def __init__(
        self, progress: Progress, stage: str, steps: range, loss: Callable[[], float] | None = None
    ) -> None:
        self._progress, self._loss = progress, loss
        self._name, self._steps, self._done = f"training {stage}", len(steps), 0
        progress.stage(self._name, steps.stop)
        progress.step(steps.start)
        self._began = self._shown = time.monotonic()
        self._unsaid = 0

    def step(self) -> None:
        """Count a step; speak up every half second."""
        self._unsaid += 1
        self._done += 1
        now = time.monotonic()
        if now - self._shown >= _SHOWN_EVERY:
            self._shown = now
            self._say(now - self._began)

    def _say(self, spent: float) -> None:
        self._progress.step(self._unsaid)
        self._unsaid = 0
        left = spent / self._done * (self._steps - self._done)
        # The only look at the loss: on a device it waits for all steps that are under way.
        loss = "" if self._loss is None else f"loss {self._loss():.4g}, "
        self._progress.tell(f"{self._name}: {loss}{left:,.0f} s left")


def run(steps: range, work: Work, watch: Watch) -> None:
    """Take the steps; the first one begins a block."""
    for step in steps:
        if step % BLOCK == 0:
            work.begin(step // BLOCK)
        work.take()
        watch.step()
        if (step + 1) % BLOCK == 0 and step + 1 < steps.stop and not work.end(step + 1):
            return
