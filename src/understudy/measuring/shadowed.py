"""Attacks that train the synthesizer again: they know the recipe, and judge it rather than one table of it.

Each attack says where synthesizers come from, for this room knows none. The shadows of one recipe, with the
same sizes and seed, are cast once for all attacks.

Against a private release the adversary knows the budget too, and trains within it (`within_budget`). Such a
finding is not repeated by its seed, for the noise of the shadow models is not; in a kept folder it is.
"""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from understudy import check
from understudy.errors import ParameterError, UnderstudyError
from understudy.measuring.budget_text import budget_of, said_of
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level, Measure
from understudy.measuring.shadow_cast import Shown, Size, cast
from understudy.measuring.shadow_fit import Synthesizer
from understudy.measuring.within_budget import WithinBudget
from understudy.rng import seed_of
from understudy.table.evidence import Evidence

__all__ = ["UNNAMED", "Shadowed", "settings_of", "shadowing", "trained_within", "undefined"]

UNNAMED = "undefined: it trains the synthesizer again; name it: --method, or recipe= in Python"


@dataclass(frozen=True)
class Shadowed(Measure):
    """Judges a recipe by shadow models, each of one half of the training rows.

    recipe    the name of the synthesizer
    settings  of it, as a JSON object; its defaults if there is no text
    budget    of each model, as {"epsilon": 1, "delta": 1e-9}: noise that no seed repeats; none if it is empty
    models    shadow models, an even number
    sets      synthetic sets of each model
    records   training rows that the models learn from, each from half of them
    workers   processes that train models; 0 trains them here, one after another
    keep      a folder where models stay for the next time; they are as private as the rows
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    level: ClassVar[Level] = "full"
    chance: ClassVar[float] = math.nan  # the null where nothing could be judged

    recipe: str = check.text("")
    settings: str = check.text("")
    budget: str = check.text("")
    models: int = check.integer(20, low=4, high=10_000)
    sets: int = check.integer(20, low=1, high=100_000)
    records: int = check.integer(20_000, low=4, high=10_000_000)
    workers: int = check.integer(0, low=0, high=1_024)
    keep: str = check.text("")

    @abstractmethod
    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the synthesizer of this name."""

    @abstractmethod
    def judged(self, shown: Shown, rng: np.random.Generator) -> Finding:
        """Return what the shadows say."""

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Cast the shadows and judge them; a recipe that cannot learn halves of these rows is not judged."""
        if not self.recipe:
            return undefined(UNNAMED, self.chance)
        recipe = shadowing(lambda told: self.synthesizer(self.recipe, told), self)
        size = Size(self.models, self.sets, self.records, self.workers, self.keep)
        try:
            shown = cast(evidence, "train", recipe, size, seed_of(rng))
        except ParameterError:
            raise
        except UnderstudyError as error:
            return undefined(f"undefined: {error}", self.chance)
        found = self.judged(shown, rng)
        return replace(found, notes=(*found.notes, *trained_within(self)))


class Told(Protocol):
    """An attack that is told how the synthesizer is set, and within which budget it is fitted."""

    @property
    def settings(self) -> str:
        """The settings, as a JSON object."""

    @property
    def budget(self) -> str:
        """The budget, as a JSON object; empty for none."""

    @classmethod
    def title(cls) -> str:
        """Return the name of the attack."""


def shadowing(make: Callable[[dict[str, Any]], Synthesizer], attack: Told) -> Synthesizer:
    """Return what an attack trains: made of its settings, and within its budget if it has one."""
    who = attack.title()
    budget, recipe = budget_of(attack.budget, who), make(settings_of(attack.settings, who))
    return recipe if budget is None else WithinBudget.of(recipe, budget)


def trained_within(attack: Told) -> tuple[str, ...]:
    """Return the note about the budget of shadow models; none if they had none."""
    budget = budget_of(attack.budget, attack.title())
    if budget is None:
        return ()
    return (f"shadow models were trained within a budget of {said_of(budget)}; no seed repeats their noise",)


def undefined(note: str, null: float) -> Finding:
    """Return the finding of what cannot be judged."""
    return Finding(Score(math.nan), math.nan, math.nan, null, 0, (note,))


def settings_of(text: str, who: str) -> dict[str, Any]:
    """Return the settings that a text holds as a JSON object.

    >>> settings_of('{"bins": 5}', "mds"), settings_of("", "mds")
    ({'bins': 5}, {})
    """
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{who}: settings must be a JSON object.") from error
    if not isinstance(found, dict):
        raise ParameterError(f"{who}: settings must be a JSON object; got {type(found).__name__}.")
    return found
