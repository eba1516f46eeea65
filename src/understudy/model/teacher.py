"""A network that learns from a teacher: a tree of marginals reads the rows, and the network its drawn table.

Guarantee, with a budget: that of the tree (`model/tree_fit.py`). The table is drawn from what the tree
released, and whatever is trained on it, for however long, is post-processing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.neural_fit import learn_openly
from understudy.model.sampler import Sampler
from understudy.model.tree_fit import TreeFit
from understudy.privacy import Ask, Ledger, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TAUGHT", "Teacher"]

TAUGHT = "teacher_table"  # the form of a recipe that is trained so


@final
@dataclass(frozen=True)
class Teacher:
    """A tree that is estimated in so many steps, and a table of so many rows that is drawn from it."""

    rows: int
    steps: int

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for what the tree needs, and nothing else."""
        return self._tree().asks(schema)

    def learned(self, vault: Vault, schema: Schema, progress: Progress) -> Sampler:
        """Return a tree of the rows themselves."""
        return self._tree().learn(vault, schema, progress)

    def learned_privately(
        self, vault: Vault, schema: Schema, events: dict[str, Event], progress: Progress
    ) -> Sampler:
        """Return a tree of noisy tables."""
        return self._tree().learn_privately(vault, schema, events, progress)

    def teach(
        self,
        method: Callable[[], Method],
        tree: Sampler,
        schema: Schema,
        *,
        rng: np.random.Generator,
        progress: Progress,
    ) -> MatrixSampler:
        """Draw a table from the tree and train on it in the open.

        The vault of drawn rows has a ledger of its own that nobody reads: what is opened there is no private
        row.
        """
        drawn = Vault(tree.draw(self.rows, rng, {}), Ledger())
        return replace(learn_openly(method, drawn, schema, rng, progress), rows=tree.rows)

    def _tree(self) -> TreeFit:
        return TreeFit("teacher.choose", "teacher.pairs", steps=self.steps)
