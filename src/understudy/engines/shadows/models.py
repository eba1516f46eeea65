"""One shadow model: its sets are made, and kept in a file that is whole or not there."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from understudy.engines.shadows.plan import Columns, Plan
from understudy.errors import ParameterError

__all__ = ["Draw", "Make", "kept", "made", "put_up"]

Draw = Callable[[int, int], Columns]
"""So many rows, and a seed: returns columns of as many cells."""

Make = Callable[[npt.NDArray[np.int64], int], Draw]
"""The places of the records to learn from, and a seed: returns what draws."""


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
    place = _place(folder, model)
    part = place.with_suffix(f".{os.getpid()}.part")
    arrays = {f"{number}": values for number, values in enumerate(columns.values())}
    try:
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, names=np.array(list(columns), dtype=np.str_), **arrays)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def kept(folder: Path, plan: Plan, model: int) -> Columns | None:
    """Return the sets of a model that is there already, whole and of the size that was planned."""
    try:
        # Opened here: NumPy leaves a file open that it cannot read.
        with _place(folder, model).open("rb") as stored, np.load(stored, allow_pickle=False) as file:
            columns = {str(name): file[f"{number}"] for number, name in enumerate(file["names"])}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # not there, or no longer whole
        return None
    whole = all(len(values) == plan.sets * plan.rows for values in columns.values())
    return columns if columns and whole else None


def _place(folder: Path, model: int) -> Path:
    return folder / f"model-{model}.npz"
