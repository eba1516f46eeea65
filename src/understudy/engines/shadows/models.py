"""One shadow model: its sets are made, and kept in a file that is whole or not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from understudy.engines.shadows import files
from understudy.engines.shadows.plan import Columns, Plan
from understudy.errors import ParameterError

__all__ = ["Draw", "Make", "Together", "kept", "made", "put_up"]

Draw = Callable[[int, int], Columns]
"""So many rows, and a seed: returns columns of as many cells."""

Make = Callable[[npt.NDArray[np.int64], int], Draw]
"""The places of the records to learn from, and a seed: returns what draws."""


@runtime_checkable
class Together(Protocol):
    """A `make` that can train many models at once: as a stack of networks, say."""

    def together(self, lessons: Sequence[tuple[npt.NDArray[np.int64], int]]) -> Sequence[Draw]:
        """Learn from these places under these seeds, and return what draws; nothing if it is no quicker.

        What was learned so is found by later calls with the same places and seed, in other processes too.
        """


def made(make: Make, plan: Plan, model: int) -> Columns:
    """Train a model and return its sets, one behind another."""
    learn, *seeds = plan.seeds(model)
    draw = make(np.flatnonzero(plan.inside[model]), learn)
    sets = [draw(plan.rows, seed) for seed in seeds]
    if any(len(values) != plan.rows for each in sets for values in each.values()):
        raise ParameterError(f"shadows: expected sets of {plan.rows} rows; a model drew another number.")
    return {name: np.concatenate([each[name] for each in sets]) for name in sets[0]}


def put_up(columns: Columns, folder: Path, model: int) -> None:
    """Keep the sets of a model in the folder; a file that was cut short is never taken for one."""
    files.write(columns, _place(folder, model))


def kept(folder: Path, plan: Plan, model: int) -> Columns | None:
    """Return the sets of a model that is there already, whole and of the size that was planned."""
    columns = files.read(_place(folder, model))
    whole = columns and all(len(values) == plan.sets * plan.rows for values in columns.values())
    return columns if whole else None


def _place(folder: Path, model: int) -> Path:
    return folder / f"model-{model}.safetensors"
