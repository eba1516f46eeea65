"""Which measures and attacks an audit runs, and how those are set that must know the recipe or the claim."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, final

from understudy import attacks, metrics
from understudy.measuring.knowing import knowing
from understudy.measuring.measure import Level, Measure
from understudy.measuring.membership import SURE
from understudy.model.recipe import Recipe
from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate
from understudy.privacy.meaning import headline

__all__ = ["Known", "programme"]

_CLAIM = "epsilon_audit"
_LEAST, _MOST = 1e-3, 1_000.0  # epsilons that a fit, or the audit of one, is asked for
_FAINT = 1e-6  # the smallest epsilon that another fit is asked for
_DELTAS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
_APART = 5  # times what levels were bought with: nearer to it, epsilon says little of all the rest
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

    @property
    def budget(self) -> Budget | None:
        """What another fit like this one may spend: all that the certificate says was spent.

        None where nothing is claimed, and where the claim is about what a recipe draws of rows that it read
        in the open: such a one keeps it without a budget, and takes none.
        """
        claims = self.claims
        if claims is None or (self.recipe is not None and self.recipe.moves_cells()):
            return None
        wide = (delta for delta in _DELTAS if math.isfinite(claims.epsilon(delta / _APART)))
        delta = next(wide, _DELTAS[-1])
        return Budget(epsilon=min(max(claims.epsilon(delta), _FAINT), _MOST), delta=delta)


def programme(level: Level, known: Known) -> tuple[list[Measure], list[Measure]]:
    """Return the measures and the attacks of a level.

    Attacks that train the synthesizer again are told the recipe, and the budget where the stand-in was made
    within one: shadow models without it would judge another method. They are left out where the recipe is not
    known. The audit of epsilon is there only where something is claimed.
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
    else:
        attack = None if known.recipe is None else knowing(kind, known.recipe, known.budget)
    return attack


def _audit_of_epsilon(kind: type[Measure], known: Known) -> Measure | None:
    """Return the audit of the given tables against what is claimed of them."""
    if known.claims is None:
        return None
    epsilon, delta = headline(known.claims)
    chosen: Any = kind
    attack: Measure = chosen(epsilon=min(max(epsilon, _LEAST), _MOST), delta=delta, confidence=SURE)
    return attack
