"""A private fit that an auditor watches: what was released, what it claims, and what the model says of rows.

The noise has its real law, but its key is a test's (`privacy/replay.py`): an audit can be made again, and
what it fits is never given to anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Certificate
from understudy.privacy.replay import Tape, overreach, recording, replaying, strays
from understudy.privacy.vault import NOT_PRIVATE
from understudy.table.raw import encode, raw_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["AuditedFit", "Fitting"]


@final
@dataclass(frozen=True)
class AuditedFit:
    """A model, and the tape of all that it was made of."""

    model: Model
    tape: Tape

    @property
    def claim(self) -> Certificate:
        """The certificate without the entry that says a tape was on: that of the same fit for real."""
        found = self.model.certificate
        return replace(found, entries=tuple(e for e in found.entries if e.what != NOT_PRIVATE))

    def losses(self, rows: pa.Table, seed: int) -> npt.NDArray[np.float64] | None:
        """Return how badly the diffusion of a model tells the noise in each row; None if it has none."""
        sampler, schema = self.model.sampler, self.model.schema
        if not isinstance(sampler, MatrixSampler) or sampler.generator is None:
            return None
        from understudy.engines.diffusion.told_noise import losses_of

        columns = encode(raw_columns(rows, schema), schema)
        matrix = sampler.codec.encode(columns, np.random.default_rng(seed))
        return losses_of(sampler.generator, matrix, seed=seed)


@final
@dataclass(frozen=True)
class Fitting:
    """How all tables of an audit are fitted: the recipe, what is declared, and the budget."""

    recipe: Recipe
    schema: Schema
    budget: Budget

    def fit(self, table: pa.Table, seed: int) -> AuditedFit:
        """Fit one table; noise and draws follow from the seed."""
        with recording(seed) as tape:
            return AuditedFit(self._fit(table, seed), tape)

    def replay(self, table: pa.Table, recorded: Tape, seed: int) -> Tape:
        """Fit another table with the same releases, and return what the mechanisms saw of it."""
        with replaying(recorded) as tape:
            self._fit(table, seed)
        return tape

    def broken(self, table: pa.Table, recorded: Tape, seed: int) -> list[str]:
        """Return what a neighbour changes and must not: questions, and inputs beyond their sensitivity."""
        try:
            replayed = self.replay(table, recorded, seed)
        except UnderstudyError as error:
            return [str(error)]  # it asked for something else: that is a finding, not a failure
        except (ValueError, LookupError, TypeError) as error:
            # What was released fits no question of this fit. Its own words may tell a cell: only their kind.
            return [f"with the same releases the fit ends in a {type(error).__name__}"]
        return strays(recorded, replayed) + overreach(recorded, replayed)

    def _fit(self, table: pa.Table, seed: int) -> Model:
        return self.recipe.fit(
            Table(table), schema=self.schema, budget=self.budget, seed=seed, progress=False
        )
