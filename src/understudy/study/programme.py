"""Which measures and attacks an audit runs, and how those are set that must know the recipe or the claim."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, final

from understudy import attacks, metrics
from understudy.measuring.measure import Level, Measure
from understudy.measuring.membership import SURE
from understudy.model.recipe import Recipe
from understudy.privacy.certificate import Certificate
from understudy.privacy.meaning import headline

__all__ = ["Known", "programme"]

_CLAIM = "epsilon_audit"
_GUESSES = {
    "quick": 4_000,
    "standard": 10_000,
    "full": 10_000,
}  # of attacks that guess: what narrows intervals


@final
@dataclass(frozen=True)
class Known:
    """What is known of how the stand-in was made: its recipe, and what is claimed of it."""

    recipe: Recipe | None = None
    certificate: Certificate | None = None

    @property
    def claims(self) -> Certificate | None:
        """The certificate, if it bounds anything."""
        given = self.certificate
        return given if given is not None and given.status in ("sound", "conditional") else None


def programme(level: Level, known: Known) -> tuple[list[Measure], list[Measure]]:
    """Return the measures and the attacks of a level.

    Attacks that train the synthesizer again are told the recipe, and are left out where it is not known, or
    where the stand-in was made within a budget: shadow models without one would judge another method. The
    audit of epsilon is there only where something is claimed.
    """
    judged = [metrics.get(name)() for name in metrics.at(level)]
    tried = [_set(attacks.get(name), known, level) for name in attacks.at(level)]
    return judged, [attack for attack in tried if attack is not None]


def _set(kind: type[Measure], known: Known, level: Level) -> Measure | None:
    if kind.title().partition(".")[2] == _CLAIM:
        return _audit_of_epsilon(kind, known)
    settings = {field.name for field in fields(kind)}
    chosen: Any = kind
    attack: Measure | None
    if "attacks" in settings:
        attack = chosen(attacks=_GUESSES[level])
    elif "recipe" not in settings:
        attack = chosen()
    elif known.recipe is None or known.claims is not None:
        attack = None
    else:
        told = json.dumps(known.recipe.settings(), sort_keys=True)
        attack = chosen(recipe=known.recipe.name(), settings=told)
    return attack


def _audit_of_epsilon(kind: type[Measure], known: Known) -> Measure | None:
    """Return the audit of the given tables against what is claimed of them."""
    if known.claims is None:
        return None
    epsilon, delta = headline(known.claims)
    chosen: Any = kind
    attack: Measure = chosen(epsilon=min(max(epsilon, 1e-3), 1_000.0), delta=delta, confidence=SURE)
    return attack
