"""The adversaries. This folder is the registry: a file in it is an attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from understudy.measuring.registry import Registry

if TYPE_CHECKING:
    from understudy.measuring.knowing import Named
    from understudy.measuring.measure import Level, Measure
    from understudy.privacy.budget import Budget
    from understudy.result import Result
    from understudy.table.evidence import Evidence

__all__ = ["at", "forecast", "get", "names", "run"]

_FOLDER = Registry(__name__, "attack")


def names() -> list[str]:
    """Return the name of every attack.

    >>> "dpi" in names()
    True
    """
    return _FOLDER.names()


def get(name: str) -> type[Measure]:
    """Return the class of an attack; its fields are its threat model, an instance is called with evidence.

    >>> get("dpi").__name__
    'DPI'
    """
    return _FOLDER.get(name)


def at(level: Level) -> list[str]:
    """Return the names of the attacks that a level includes: its own and those of the levels below it.

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
    recipe: Named | None = None,
    budget: Budget | None = None,
    progress: bool = True,
) -> list[Result]:
    """Run many attacks in parallel processes; a result each, sorted by name.

    level    quick (seconds), standard (minutes) or full: which attacks
    names    these attacks instead, whatever their level
    workers  processes; as many as there are cores if None, and 0 for none at all
    recipe   what made the stand-in, as `synth.get("mst")()`: attacks that train it again need it
    budget   what it was made within; shadow models have the same

    One that fails does not stop the others: its value is NaN, and a note says why.
    One that needs a table that is not there (a holdout, a reference) is NaN too.

    >>> import pyarrow as pa
    >>> from understudy.table.evidence import Evidence
    >>> real, other = pa.table({"a": [1.5, 2.5, 3.5]}), pa.table({"a": [7.5, 8.5, 9.5]})
    >>> shown = Evidence(train=real, holdout=other, synthetic=real)
    >>> [r.value for r in run(shown, names=["gan_leaks"], workers=0)]
    [1.0]
    """
    from understudy.measuring.knowing import knowing

    return _FOLDER.run(
        evidence,
        (level, names),
        seed=seed,
        workers=workers,
        progress=progress,
        make=lambda kind: knowing(kind, recipe, budget),
    )


def forecast(
    evidence: Evidence, level: Level = "standard", names: Sequence[str] | None = None
) -> dict[str, float]:
    """Return the seconds that each attack is likely to take, by itself on one core of this machine."""
    return _FOLDER.forecast(evidence, level, names)


def __getattr__(name: str) -> Any:
    return _FOLDER.module(name)
