"""The measures of fidelity and utility. This folder is the registry: a file in it is a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from understudy.measuring.registry import Registry

if TYPE_CHECKING:
    from understudy.measuring.measure import Level, Measure
    from understudy.result import Result
    from understudy.table.evidence import Evidence

__all__ = ["at", "forecast", "get", "names", "run"]

_FOLDER = Registry(__name__, "measure")


def names() -> list[str]:
    """Return the name of every measure.

    >>> "missingness" in names()
    True
    """
    return _FOLDER.names()


def get(name: str) -> type[Measure]:
    """Return the class of a measure; its fields are the settings, an instance is called with evidence.

    >>> get("missingness").__name__
    'Missingness'
    """
    return _FOLDER.get(name)


def at(level: Level) -> list[str]:
    """Return the names of the measures that a level includes: its own and those of the levels below it.

    >>> set(at("quick")) <= set(at("standard")) <= set(at("full")) == set(names())
    True
    """
    return _FOLDER.at(level)


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
    return _FOLDER.run(evidence, (level, names), seed=seed, workers=workers, progress=progress)


def forecast(
    evidence: Evidence, level: Level = "standard", names: Sequence[str] | None = None
) -> dict[str, float]:
    """Return the seconds that each measure is likely to take, by itself on one core of this machine."""
    return _FOLDER.forecast(evidence, level, names)


def __getattr__(name: str) -> Any:
    return _FOLDER.module(name)
