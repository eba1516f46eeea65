"""Cutting trainings off on purpose, as a machine that goes down would: what they leave can be taken up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import final
from unittest.mock import patch

from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.errors import UnderstudyError

__all__ = ["CutOffError", "cut_off"]


@final
class CutOffError(UnderstudyError):
    """Stands for a process that dies after a checkpoint."""


@contextmanager
def cut_off() -> Iterator[None]:
    """Save every training at the end of its first block of steps, and end it there with a `CutOffError`.

    A training of one block ends by itself, and so does one without a run folder: nothing is kept of it.
    """
    honest = Keeper.save

    def save(self: Keeper, checkpoint: Checkpoint) -> None:
        honest(self, checkpoint)
        if not checkpoint.finished:
            raise CutOffError(f"training: cut off on purpose after {checkpoint.step} steps.")

    with (
        patch.object(Keeper, "due", property(lambda self: self.keeps)),
        patch.object(Keeper, "save", save),
    ):
        yield
