"""Sampling from a model folder whose draws cost: the folder pays before a row is handed out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import InputError, WriteError

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.table.table import Table

__all__ = ["sample_recorded"]

Load = Callable[[Path], "Model"]


def sample_recorded(
    folder: Path, load: Load, rows: int, seed: int, where: Callable[[Model], Mapping[str, Any]]
) -> tuple[Model, Table]:
    """Return the model of a folder and rows drawn from it; what they cost is in the folder by then.

    Two processes at once are kept apart: each would otherwise save its own charge over the other's.
    """
    model = load(folder)
    if model.sampler.charge(1) is None:
        return model, model.sample_table(rows, seed, where(model))
    with _alone(folder):
        model = load(folder)
        table = model.sample_table(rows, seed, where(model))
        model.save(folder)
    return model, table


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    target = Path(os.path.realpath(folder))
    lock = target.with_name(f".{target.name[:100]}.lock")
    try:
        lock.mkdir()
    except FileExistsError:
        raise InputError(
            f"sample: another process draws from {str(folder)!r}; wait for it. If there is none, remove "
            f"the folder {lock.name!r} beside it."
        ) from None
    except OSError as error:
        raise WriteError(f"sample: cannot keep {str(folder)!r} to itself ({error.strerror}).") from None
    try:
        yield
    finally:
        lock.rmdir()
