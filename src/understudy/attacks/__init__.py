"""The adversaries. This folder is the registry: a file in it is an attack."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from understudy.errors import ParameterError

if TYPE_CHECKING:
    from understudy.measuring.measure import Measure

__all__ = ["get", "names"]


def names() -> list[str]:
    """Return the name of every attack.

    >>> "dpi" in names()
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def get(name: str) -> type[Measure]:
    """Return the class of an attack; its fields are its threat model, an instance is called with evidence.

    >>> get("dpi").__name__
    'DPI'
    """
    if name not in names():
        raise ParameterError(f"attacks: there is no attack {name!r}; choose from {', '.join(names())}.")
    from understudy.measuring.measure import Measure

    module = importlib.import_module(f"{__name__}.{name}")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Measure) and value.__module__ == module.__name__
    ]
    assert len(found) == 1, f"{name}: a file of attacks defines exactly one"
    return found[0]


def __getattr__(name: str) -> Any:
    if name in names():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
