"""A schema of its own, bought within a budget: a private fit that learns nothing but the schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, final

import numpy as np

from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.stored import StoredRows
from understudy.privacy import Ask, Budget, Certificate, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["buy_schema"]


def buy_schema(
    table: object, budget: Budget, *, run: str | Path | None = None, progress: bool = True
) -> tuple[Schema, Certificate]:
    """Return what each column is, bounds, levels and missing rates bought, and what that reveals.

    Guarantee: that of a private fit, of which this is the first part and no more; the whole budget goes
    into the schema.
    """
    model = _SchemaAlone().fit(table, budget=budget, run=run, progress=progress)
    return model.schema, model.certificate


@final
@dataclass(frozen=True)
class _SchemaAlone(Recipe):
    """Asks for nothing, so that the budget goes into what every private fit buys first."""

    sampler: ClassVar[type[Sampler]] = StoredRows
    private: ClassVar[bool] = True

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> StoredRows:
        return StoredRows({})

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        return ()

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> StoredRows:
        return StoredRows({})
