"""The synthesizers. This folder is the registry: a file in it is a synthesizer, by its own name."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import CorruptModel, InputError, ParameterError

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.model.recipe import Recipe
    from understudy.privacy import Budget

__all__ = ["choose", "get", "load", "names"]


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


def choose(rows: int, columns: int, budget: Budget | None) -> tuple[str, str]:
    """Return the default synthesizer for a table and the reason for it."""
    if budget is not None:
        raise ParameterError("synth: no synthesizer has a private form in this version; leave the budget out.")
    if columns < 2 or rows < 20:
        return "histogram", f"{rows:,} rows and {columns} columns to learn: too little for anything but each column alone"
    return "gaussian_copula", "keeps each column's own distribution and the relation of every pair, in seconds"


def load(path: str | Path) -> Model:
    """Read a model folder that `Model.save` wrote, after checking every part of it."""
    from understudy.model.model import Model
    from understudy.model.store import open_parts
    from understudy.table.frames import Frame

    parts = open_parts(Path(path))
    if parts.recipe not in names():
        raise CorruptModel(f"model: its synthesizer {parts.recipe!r} is not known to this version.")
    recipe = get(parts.recipe)
    try:
        settings = recipe(**parts.settings).settings()
        sampler = recipe.sampler.restore(parts.tensors, parts.facts)
        frame = None if parts.frame is None else Frame.from_json(json.dumps(parts.frame))
    except (KeyError, ValueError, TypeError, IndexError, InputError):
        raise CorruptModel("model: its parts do not belong together.") from None
    return Model(parts.recipe, settings, parts.schema, sampler, parts.certificate, frame=frame)


def __getattr__(name: str) -> Any:
    if name in names():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
