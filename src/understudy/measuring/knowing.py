"""What an adversary knows of how a stand-in was made: the synthesizer, its settings, and the budget.

Attacks that train the synthesizer again are told all of it: shadow models of other settings, or without the
noise of the budget, would judge another method. The audit of epsilon is told the budget alone: it is the
claim that the given tables are held against. All other attacks need none of it.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Protocol

from understudy.measuring.budget_text import tree_of
from understudy.measuring.measure import Measure
from understudy.privacy.budget import Budget

__all__ = ["Named", "knowing"]

_TRAINS_AGAIN = {"recipe", "settings", "budget"}
_CLAIMS = {"epsilon", "delta"}


class Named(Protocol):
    """A synthesizer that can be made again elsewhere: by its name and its settings. Every recipe is one."""

    @classmethod
    def name(cls) -> str:
        """Return its name in the registry."""

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain values."""


def knowing(kind: type[Measure], recipe: Named | None, budget: Budget | None) -> Measure:
    """Return an attack at its defaults, told what it can make use of.

    >>> from understudy.attacks.mds import MDS
    >>> from understudy.synth.copy import Copy
    >>> attack = knowing(MDS, Copy(), Budget(epsilon=1))
    >>> attack.recipe, attack.budget
    ('copy', '{"epsilon": 1.0, "delta": 1e-09}')
    """
    taken = {field.name for field in fields(kind)}
    settings: dict[str, Any] = {}
    if recipe is not None and taken >= _TRAINS_AGAIN:
        told = json.dumps(recipe.settings(), sort_keys=True)
        within = "" if budget is None else json.dumps(tree_of(budget))
        settings = {"recipe": recipe.name(), "settings": told, "budget": within}
    elif budget is not None and budget.measure == "epsilon" and taken >= _CLAIMS:
        settings = {**tree_of(budget)}
    return kind(**settings)
