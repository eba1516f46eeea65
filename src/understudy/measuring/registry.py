"""A folder as a registry of measures: each file in it defines one, under its own name.

Nothing is imported to list names; a module is loaded when its measure is asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, final

from understudy.errors import ParameterError

if TYPE_CHECKING:
    from understudy.measuring.measure import Level, Measure
    from understudy.result import Result
    from understudy.table.evidence import Evidence

__all__ = ["Registry"]

_LEVELS = ("quick", "standard", "full")


@final
@dataclass(frozen=True)
class Registry:
    """The measures of a package; `noun` is what one of them is called in messages.

    >>> import understudy.metrics
    >>> "missingness" in Registry("understudy.metrics", "measure").names()
    True
    """

    package: str
    noun: str

    def names(self) -> list[str]:
        """Return the name of every measure."""
        folder = importlib.import_module(self.package).__path__
        return sorted(module.name for module in pkgutil.iter_modules(folder))

    def module(self, name: str) -> ModuleType:
        """Return the module of a measure, or answer as for an attribute that is not there."""
        if name not in self.names():
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        return importlib.import_module(f"{self.package}.{name}")

    def get(self, name: str) -> type[Measure]:
        """Return the class of a measure."""
        if name not in self.names():
            raise ParameterError(
                f"{self._room}: there is no {self.noun} {name!r}; choose from {', '.join(self.names())}."
            )
        from understudy.measuring.measure import Measure

        module = self.module(name)
        found = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Measure) and value.__module__ == module.__name__
        ]
        assert len(found) == 1, f"{name}: a file of {self._room} defines exactly one {self.noun}"
        return found[0]

    def at(self, level: Level) -> list[str]:
        """Return the names of the measures that a level includes: its own and those of lower levels."""
        self._refuse_unknown(level)
        wanted = _LEVELS[: _LEVELS.index(level) + 1]
        return [name for name in self.names() if self.get(name).level in wanted]

    def run(
        self,
        evidence: Evidence,
        chosen: tuple[Level, Sequence[str] | None],
        *,
        seed: int,
        workers: int | None,
        progress: bool,
        make: Callable[[type[Measure]], Measure] | None = None,
    ) -> list[Result]:
        """Run the measures of a level, or these names instead; at their defaults, or as `make` makes them."""
        from understudy.measuring.running import run

        kinds = [self.get(name) for name in self._chosen(*chosen)]
        measures = [kind() if make is None else make(kind) for kind in kinds]
        return run(measures, evidence, seed=seed, workers=workers, progress=progress)

    def forecast(self, evidence: Evidence, level: Level, names: Sequence[str] | None) -> dict[str, float]:
        """Return the seconds that each measure is likely to take, by itself on one core of this machine."""
        from understudy.measuring.forecast import expected

        chosen = self._chosen(level, names)
        return dict(zip(chosen, expected([self.get(name)() for name in chosen], evidence), strict=True))

    def _chosen(self, level: Level, wanted: Sequence[str] | None) -> list[str]:
        self._refuse_unknown(level)  # also where names are given, and it would not be used
        if wanted is None:
            return self.at(level)
        if isinstance(wanted, str) or len(set(wanted)) != len(wanted) or not wanted:
            raise ParameterError(
                f"{self._room}: names must be a list of different names of {self.noun}s, or None."
            )
        return sorted(wanted)

    def _refuse_unknown(self, level: Level) -> None:
        if level not in _LEVELS:
            raise ParameterError(f"{self._room}: level must be one of {', '.join(_LEVELS)}; got {level!r}.")

    @property
    def _room(self) -> str:
        return self.package.rpartition(".")[2]
