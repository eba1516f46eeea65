"""A training that dies after a checkpoint, as often as a test says, and may be taken up."""

from __future__ import annotations

from understudy.engines.training.checkpoint import Keeper


class CutOffError(Exception):
    """Stands for a process that dies."""


def cutting(monkeypatch, cuts):
    """Save after every block, and die after so many of the saves."""
    left, kept = list(range(cuts)), Keeper.save

    def save(self, checkpoint):
        kept(self, checkpoint)
        if left and not checkpoint.finished:
            left.pop()
            raise CutOffError

    monkeypatch.setattr(Keeper, "due", property(lambda self: self._path is not None))
    monkeypatch.setattr(Keeper, "save", save)
