"""vMIA: the records that stand alone are attacked first (Meeus et al. 2023, "Achilles' Heels").

Who is far from everybody is at most risk, and an average over random records hides it. The targets are the
records whose nearest others are farthest; each is attacked as the query groundhog does, by counts of
synthetic rows that are like it in some columns. The choice sees records and not who learned from them, so
that the interval holds as it does for random targets; it speaks of these records, not of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np

from understudy import check, synth
from understudy.engines.neighbours.points import Places
from understudy.measuring.groundhog import Describe, Groundhog
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_fit import Synthesizer
from understudy.measuring.target_queries import asked_of_sets
from understudy.measuring.vulnerable import most_apart
from understudy.table.coded import CodedTable

__all__ = ["VMIA"]


@final
@dataclass(frozen=True)
class VMIA(Groundhog):
    """Tells models with a record from models without it, for the records that are farthest from others.

    neighbours   nearest other records, whose mean distance says how far a record stands alone
    distance     "mixed": |difference| over range, 0/1 for levels; or "cosine", as published
    queries      random sets of columns that are asked for
    columns      of a query, at most
    """

    chosen: ClassVar[str] = "those farthest from other records"

    neighbours: int = check.integer(5, low=1, high=10_000)
    distance: Literal["mixed", "cosine"] = check.choice("mixed", "mixed", "cosine")
    queries: int = check.integer(200, low=1, high=100_000)
    columns: int = check.integer(4, low=1, high=1_000)

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def choose(self, records: CodedTable, size: int, rng: np.random.Generator) -> Places:
        """Return the places of the records that stand alone."""
        del rng
        return most_apart(records, size, self.neighbours, self.distance)

    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return the shares of rows that answer the queries of each target."""
        return asked_of_sets(shown, self.queries, self.columns, rng)
