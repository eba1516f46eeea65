"""Noise of the next step, drawn while the other core has nothing to do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import final

import torch

from understudy.engines.nets.beside import Beside

__all__ = ["Ahead"]


@final
class Ahead:
    """Draws by `draw` into a room of its own, ahead of the step that needs it; on one core, when it does.

    Nobody else may draw from the generator between two steps: so what is drawn is the same on one core and
    on two.
    """

    def __init__(self, draw: Callable[[torch.Generator], None], beside: Beside) -> None:
        self._draw, self._beside = draw, beside
        self._under_way: Future[None] | None = None

    def ready(self, noise: torch.Generator) -> None:
        """Let the room hold noise; it is overwritten by what is drawn ahead."""
        if self._under_way is None:
            self._draw(noise)
        self.forget()

    def go_on(self, noise: torch.Generator) -> None:
        """Begin to draw what the same generator gives next."""
        self._under_way = self._beside.ahead(lambda: self._draw(noise))

    def forget(self) -> None:
        """Wait for what was drawn ahead: nobody else may touch the generator before."""
        if self._under_way is not None:
            self._under_way.result()
            self._under_way = None
