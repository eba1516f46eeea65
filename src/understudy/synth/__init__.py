"""The synthesizers. This folder is the registry: a file in it is a synthesizer, by its own name."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import CorruptModel, MissingExtra, ParameterError
from understudy.table.counted import counted

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.model.recipe import Recipe
    from understudy.privacy import Budget

__all__ = ["choose", "get", "load", "names"]

MOST_PRIVATE_PAIRED = 200  # columns; beyond, noise on so many pairs leaves nothing of them
MOST_PRIVATE_TREE = 60  # columns; beyond, rounds that look at all pairs take minutes


def names() -> list[str]:
    """Return the name of every synthesizer.

    >>> "gaussian_copula" in names()
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def get(name: str) -> type[Recipe]:
    """Return the recipe class of a synthesizer.

    >>> get("histogram").__name__
    'Histogram'
    """
    if name not in names():
        raise ParameterError(f"synth: there is no synthesizer {name!r}; choose from {', '.join(names())}.")
    from understudy.model.recipe import Recipe

    module = importlib.import_module(f"{__name__}.{name}")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Recipe) and value.__module__ == module.__name__
    ]
    assert len(found) == 1, f"{name}: a synthesizer file defines exactly one recipe"
    return found[0]


def choose(rows: int, columns: int, budget: Budget | None, of_levels: int = 0) -> tuple[str, str]:
    """Return the default synthesizer for a table and the reason for it; `of_levels` columns are no numbers.

    With a budget the number of rows has no say: the choice is printed, and would tell something of it.
    """
    if budget is not None:
        return _choose_private(columns, of_levels)
    if columns < 2 or rows < 20:
        size = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
        return (
            "histogram",
            f"{size} to learn: too little for anything but each column alone",
        )
    if columns > 1_000:
        return "histogram", f"{columns:,} columns have too many pairs to learn: each column alone"
    return (
        "gaussian_copula",
        "keeps each column's own distribution and the relation of every pair, in seconds",
    )


def _choose_private(columns: int, of_levels: int) -> tuple[str, str]:
    if columns < 2:
        return "histogram", "one column alone has no pairs; its distribution gets the whole budget"
    if columns > MOST_PRIVATE_PAIRED:
        return "histogram", f"{columns:,} columns have more pairs than a budget pays for: each column alone"
    if columns > MOST_PRIVATE_TREE:
        return (
            "bayesian_network",
            f"{columns} columns ({of_levels} of words or flags): a tree of the pairs that tell most, in time",
        )
    return (
        "aim",
        f"{columns} columns ({of_levels} of words or flags): what the model gets most wrong is measured next",
    )


def load(path: str | Path, recipe: type[Recipe] | None = None, *, spent: bool = True) -> Model:
    """Read a model folder that `Model.save` wrote, after checking every part of it.

    A synthesizer that is not in this folder is named by `recipe`: a file never says what code to run.
    Where draws cost, rows that were paid for ahead count as drawn: another load of the same folder may
    have drawn them. With `spent` off they do not; whoever says so keeps the folder's own count up to date.
    """
    from understudy.model.model import Model
    from understudy.model.store import open_parts
    from understudy.table.frames import Frame
    from understudy.table.paths import as_path

    parts = open_parts(as_path(path, "load"))
    found = _recipe_of(parts.recipe, recipe)
    try:
        settings = found(**parts.settings).settings()
        restored = found.sampler.restore(parts.tensors, parts.facts)
        sampler = restored.spent() if spent else restored
        frame = None if parts.frame is None else Frame.from_json(json.dumps(parts.frame))
        model = Model(parts.recipe, settings, parts.schema, sampler, parts.certificate, frame=frame)
        # Rows that can be drawn show that tensors, facts, schema and frame are of one model.
        model.try_out()
    except (MemoryError, MissingExtra):
        raise
    except Exception:  # noqa: BLE001 - a forged part can make any library below fail, each with errors of its own
        raise CorruptModel("model: its parts do not belong together.") from None
    return model


def _recipe_of(name: str, given: type[Recipe] | None) -> type[Recipe]:
    if given is not None:
        if given.name() != name:
            raise CorruptModel(f"model: it was fitted by {name!r}, not by {given.name()!r}.")
        return given
    if name not in names():
        raise CorruptModel(f"model: its synthesizer {name!r} is not known here; give its class as recipe=.")
    return get(name)


def __getattr__(name: str) -> Any:
    if name in names():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
