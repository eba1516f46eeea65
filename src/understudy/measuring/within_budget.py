"""A synthesizer that is fitted within a budget: what an adversary trains who knows the recipe and the budget.

A private release is judged by shadow models that had the same noise: models without it would judge another
method. Each of them has the whole budget, as the release had. What the schema declares they are told;
bounds and levels that it leaves open they buy from their own rows, out of that budget.

Privacy noise comes from the operating system, and no seed repeats it: shadow models within a budget are other
ones each time that they are trained. Those in memory or in a kept folder are found again as they are.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, final

from understudy.measuring.budget_text import budget_in, tree_of
from understudy.measuring.shadow_fit import Learned, Synthesizer, class_of
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema

__all__ = ["WithinBudget"]


@final
@dataclass(frozen=True)
class WithinBudget:
    """A synthesizer by its class and what that is told, and the budget of its fits, all as plain values."""

    # A run folder cannot find a private fit again: its noise key is gone when it ends, and the same budget is
    # not spent there twice. And noisy steps do not stand in a stack. So models are trained one by one, each
    # kept by the sets that it drew.
    resumable: ClassVar[bool] = False

    module: str
    name: str
    told: dict[str, Any]
    budget: dict[str, float]

    @classmethod
    def of(cls, recipe: Synthesizer, budget: Budget) -> Self:
        """Return the synthesizer with this budget for all of its fits."""
        kind = type(recipe)
        told = json.loads(json.dumps(recipe.settings()))
        return cls(kind.__module__, kind.__qualname__, told, tree_of(budget))

    def settings(self) -> dict[str, Any]:
        """Return the fields as plain values: models of another budget are other models."""
        return asdict(self)

    def fit(
        self,
        table: object,
        schema: Schema | None = None,
        budget: None = None,
        seed: int = 0,
        progress: bool = True,
        *,
        run: Path | None = None,
    ) -> Learned:
        """Learn a table within the budget; a synthesizer that has no private form says so."""
        del budget  # it is a field
        recipe: Synthesizer = class_of(self.module, self.name)(**self.told)
        kept = {} if run is None else {"run": run}
        given = budget_in(self.budget, self.name)
        return recipe.fit(table, schema=schema, budget=given, seed=seed, progress=progress, **kept)
