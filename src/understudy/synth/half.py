"""The HALF baseline of paper 004: a random half of the training rows stands in for the other half.

Real rows are the best "synthetic" ones there can be, so its scores are the ceiling of fidelity
at half the size, and what is left of the distance is sampling error alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.stored import StoredRows
from understudy.privacy import Vault
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["Half"]


@final
@dataclass(frozen=True)
class Half(Recipe):
    """A random half of the training rows (HALF): the ceiling of fidelity, never a release."""

    sampler: ClassVar[type[Sampler]] = StoredRows
    fewest_rows: ClassVar[int] = 2

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> StoredRows:
        """Keep a random half of the rows; which half follows from the seed alone."""
        columns = vault.open("half of the rows, kept as they are")
        rows = len(next(iter(columns.values()))) if columns else 0
        kept = np.sort(rng.permutation(rows)[: rows // 2])
        return StoredRows({name: values[kept] for name, values in columns.items()})
