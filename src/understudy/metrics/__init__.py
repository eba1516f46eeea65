"""The measures of fidelity and utility. This folder is the registry: a file in it is a measure."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from understudy.errors import ParameterError

if TYPE_CHECKING:
    from understudy.measuring.measure import Level, Measure
    from understudy.result import Result
    from understudy.table.evidence import Evidence

__all__ = ["at", "forecast", "get", "names", "run"]

_LEVELS = ("quick", "standard", "full")


def names() -> list[str]:
    """Return the name of every measure.

    >>> "missingness" in names()
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def get(name: str) -> type[Measure]:
    """Return the class of a measure; its fields are the settings, an instance is called with evidence.

    >>> get("missingness").__name__
    'Missingness'
    """
    if name not in names():
        raise ParameterError(f"metrics: there is no measure {name!r}; choose from {', '.join(names())}.")
    from understudy.measuring.measure import Measure

    module = importlib.import_module(f"{__name__}.{name}")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Measure) and value.__module__ == module.__name__
    ]
    assert len(found) == 1, f"{name}: a file of metrics defines exactly one measure"
    return found[0]


def at(level: Level) -> list[str]:
    """Return the names of the measures that a level includes: its own and those of the levels below it.

    >>> set(at("quick")) <= set(at("standard")) <= set(at("full")) == set(names())
    True
    """
    _refuse_unknown(level)
    wanted = _LEVELS[: _LEVELS.index(level) + 1]
    return [name for name in names() if get(name).level in wanted]


def run(
    evidence: Evidence,
    level: Level = "standard",
    seed: int = 0,
    names: Sequence[str] | None = None,
    workers: int | None = None,
    *,
    progress: bool = True,
) -> list[Result]:
    """Run many measures in parallel processes; a result each, sorted by name.

    level    quick (seconds), standard (minutes) or full: which measures
    names    these measures instead, whatever their level
    workers  processes; as many as there are cores if None, and 0 for none at all

    One that fails does not stop the others: its value is NaN, and a note says why.

    >>> import pyarrow as pa
    >>> from understudy.table.evidence import Evidence
    >>> real, fake = pa.table({"a": [1.5, 2.5, 3.5, 4.5]}), pa.table({"a": [1.5, None, 3.5, 4.5]})
    >>> [r.value for r in run(Evidence(train=real, synthetic=fake), names=["missingness"], workers=0)]
    [0.25]
    """
    from understudy.measuring.running import run as run_all

    measures = [get(name)() for name in _chosen(level, names)]
    return run_all(measures, evidence, seed=seed, workers=workers, progress=progress)


def forecast(
    evidence: Evidence, level: Level = "standard", names: Sequence[str] | None = None
) -> dict[str, float]:
    """Return the seconds that each measure is likely to take, by itself on one core of this machine."""
    from understudy.measuring.forecast import expected

    chosen = _chosen(level, names)
    return dict(zip(chosen, expected([get(name)() for name in chosen], evidence), strict=True))


def _refuse_unknown(level: Level) -> None:
    if level not in _LEVELS:
        raise ParameterError(f"metrics: level must be one of {', '.join(_LEVELS)}; got {level!r}.")


def _chosen(level: Level, wanted: Sequence[str] | None) -> list[str]:
    _refuse_unknown(level)  # also where names are given, and it would not be used
    if wanted is None:
        return at(level)
    if isinstance(wanted, str) or len(set(wanted)) != len(wanted) or not wanted:
        raise ParameterError("metrics: names must be a list of different names of measures, or None.")
    return sorted(wanted)


def __getattr__(name: str) -> Any:
    if name in names():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
