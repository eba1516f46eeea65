"""Query groundhog: counts of synthetic rows that are like a record in some columns betray it (TAPAS).

Each target has random queries of its own (Houssiau et al. 2022; Meeus et al. 2023), which a copy of it
answers with one row more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from understudy import check, synth
from understudy.measuring.groundhog import Describe, Groundhog
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_fit import Synthesizer
from understudy.measuring.target_queries import asked_of_sets

__all__ = ["QueryGroundhog"]


@final
@dataclass(frozen=True)
class QueryGroundhog(Groundhog):
    """Tells models with a record from models without it, by counts of rows that are like the record.

    queries   random sets of columns that are asked for
    columns   of a query, at most
    """

    queries: int = check.integer(200, low=1, high=100_000)
    columns: int = check.integer(4, low=1, high=1_000)

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return the shares of rows that answer the queries of each target."""
        return asked_of_sets(shown, self.queries, self.columns, rng)
