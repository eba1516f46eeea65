"""MST: a tree of the pairs that say most, each measured once (McKenna, Miklau, Sheldon 2021).

How the tree is learned, and its guarantee with a budget, stands in `model/tree_fit.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.tree_fit import TreeFit
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["MST"]


@final
@dataclass(frozen=True)
class MST(Recipe):
    """A tree of the most telling pairs, measured and estimated (MST): the private method to beat."""

    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    steps: int = check.integer(500, low=1, high=1_000_000)
    margins_share: float = check.number(0.35, low=0.01, high=0.98)
    choose_share: float = check.number(0.15, low=0.01, high=0.98)
    sampler: ClassVar[type[Sampler]] = TreeSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> TreeSampler:
        """Count and choose on exact tables."""
        return self.tree().learn(vault, schema, progress)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, for choices of pairs, and for the tables of pairs."""
        return self.tree().asks(schema)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> TreeSampler:
        """The same through mechanisms. `fine` has no part in it: quantities are cut by noisy counts."""
        return self.tree().learn_privately(vault, schema, events, progress)

    def tree(self) -> TreeFit:
        """Return how the tree is learned."""
        return TreeFit("mst.choose", "mst.pairs", **self.settings())
