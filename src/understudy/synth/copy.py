"""The SELF baseline of paper 004: the training rows themselves.

It is perfect on fidelity and fails every privacy test; a measure or an attack that cannot
tell it from an honest synthesizer is broken.
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

__all__ = ["Copy"]


@final
@dataclass(frozen=True)
class Copy(Recipe):
    """The training rows themselves (SELF): a yardstick for attacks, never a release."""

    sampler: ClassVar[type[Sampler]] = StoredRows

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> StoredRows:
        """Keep every row."""
        return StoredRows(vault.open("every row, kept as it is"))
