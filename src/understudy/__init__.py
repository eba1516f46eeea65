"""understudy: synthetic tables that can stand in for sensitive ones, with a proof of what they leak.

Names are looked up when they are first used, so that `import understudy` stays quick and loads
neither torch nor scikit-learn nor pandas.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from understudy.errors import UnderstudyError
from understudy.version import VERSION as __version__

if TYPE_CHECKING:
    from understudy import attacks, metrics, synth
    from understudy.model.model import Model
    from understudy.model.recipe import Recipe
    from understudy.privacy.budget import Budget
    from understudy.privacy.certificate import Certificate
    from understudy.result import Result
    from understudy.study.audit import audit
    from understudy.synth import load
    from understudy.table.evidence import Evidence
    from understudy.table.read import read
    from understudy.table.schema import Schema
    from understudy.table.table import Table

__all__ = [
    "Budget",
    "Certificate",
    "Evidence",
    "Model",
    "Recipe",
    "Result",
    "Schema",
    "Table",
    "UnderstudyError",
    "__version__",
    "attacks",
    "audit",
    "load",
    "metrics",
    "read",
    "synth",
]

_HOME = {
    "Budget": "privacy.budget",
    "Certificate": "privacy.certificate",
    "Evidence": "table.evidence",
    "Model": "model.model",
    "Recipe": "model.recipe",
    "Result": "result",
    "Schema": "table.schema",
    "Table": "table.table",
    "audit": "study.audit",
    "load": "synth",
    "read": "table.read",
}

_ROOMS = {"attacks", "metrics", "synth"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"understudy.{_HOME[name]}"), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"understudy.{name}")
    else:
        raise AttributeError(f"module 'understudy' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
