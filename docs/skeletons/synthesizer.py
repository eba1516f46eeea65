"""What the method is, in one sentence, and the paper it comes from.

Why a reader would choose it, and what it cannot do. (Copy this file to src/understudy/synth/<name>.py:
the name of the file is the name of the method everywhere, and nothing else has to be edited.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.condition import Conditions
from understudy.model.recipe import Recipe
from understudy.model.sampler import Columns, Sampler, State
from understudy.privacy import Vault
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["MyMethod"]


@final
@dataclass(frozen=True)
class Pools(Sampler):
    """What was learned: here, some values of every column."""

    conditional: ClassVar[bool] = False  # True only if `draw` honours conditions itself
    pools: Columns

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw every column from its own pool."""
        return {name: rng.choice(values, size=rows) for name, values in self.pools.items()}

    def state(self) -> State:
        """Return tensors under safe names, and facts that JSON can hold."""
        tensors = {f"{place}": values for place, values in enumerate(self.pools.values())}
        return tensors, {"names": list(self.pools)}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""
        return cls({name: tensors[f"{place}"] for place, name in enumerate(facts["names"])})


@final
@dataclass(frozen=True)
class MyMethod(Recipe):
    """One line that `understudy methods` prints."""

    pool: int = check.integer(1_000, low=1, high=1_000_000)  # a setting declares its range

    sampler: ClassVar[type[Sampler]] = Pools
    fewest_rows: ClassVar[int] = 1

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> Pools:
        """Keep a random pool of every column.

        Guarantee: none; the vault is opened, and the ledger says so.
        """
        columns = vault.open("a pool of values of every column")
        return Pools({name: rng.choice(values, size=self.pool) for name, values in columns.items()})
