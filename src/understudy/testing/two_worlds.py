"""Two tables that differ by one row, private fits of either, and what an attacker would look at in each fit.

The fits are whole ones, with the noise that real fits have. A vault that watches takes part in them: it reads
as the real one does, and works out beside it what each release says of the two tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.measuring.likelihood import log_ratio
from understudy.model import private_fit
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Ledger, Vault
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.privacy.mechanisms.counts import CountTables
from understudy.privacy.stream import Stream
from understudy.table.public import by_type
from understudy.table.raw import raw_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["STATISTICS", "TwoWorlds", "observed", "outcomes"]

DRAWN = 100  # rows that are drawn from every model
STATISTICS = ("released", "rows", "row", "cell")


@final
@dataclass(frozen=True)
class TwoWorlds:
    """A table whose last row is the one in question, and what is declared of it."""

    name: str
    table: Table
    schema: Schema | None = None

    def world(self, *, having: bool) -> Table:
        """Return the table with the row or without it."""
        arrow = self.table.to_arrow()
        return self.table if having else Table(arrow.slice(0, arrow.num_rows - 1))

    @cached_property
    def raw(self) -> tuple[Columns, Columns]:
        """The columns that a vault holds without the row, and with it."""
        tables = [self.world(having=having) for having in (False, True)]
        found = [raw_columns(table.to_arrow(), by_type(table, self.schema)) for table in tables]
        return found[0], found[1]


@final
class _Watching:
    """A vault of one world that notes of every read what it says for the row being there."""

    def __init__(self, vault: Vault, columns: tuple[Columns, Columns], seen: dict[str, list[float]]) -> None:
        self._vault, self._columns, self._seen = vault, columns, seen
        self.released = vault.released

    def read(self, name: str, mechanism: Mechanism) -> Any:
        """Read as a vault does."""
        found = self._vault.read(name, mechanism)
        without, having = (mechanism.statistic(columns) for columns in self._columns)
        self._seen["released"].append(log_ratio(mechanism, found, having, without))
        if isinstance(mechanism, CountTables):
            self._seen["rows"] += [float(table.sum()) for table in found]
        return found

    def map(self, rowwise: Callable[[Columns], Columns]) -> _Watching:
        """Change the rows of both worlds alike."""
        without, having = (rowwise(dict(columns)) for columns in self._columns)
        return _Watching(self._vault.map(rowwise), (without, having), self._seen)


def observed(
    recipe: Recipe, worlds: TwoWorlds, budget: Budget, *, having: bool, seed: int
) -> tuple[Model, dict[str, float]]:
    """Fit one world and return the model and its statistics: high if the row seems to be there.

    `released` is the logarithm of how much likelier all releases are with the row. `rows` is the mean sum of
    all tables. `row` counts drawn rows like the one in question, `cell` those whose last cell is like its.
    """
    seen: dict[str, list[float]] = {"released": [], "rows": []}

    def watch(columns: Columns, ledger: Ledger, stream: Stream) -> _Watching:
        return _Watching(Vault(columns, ledger, stream), worlds.raw, seen)

    with patch.object(private_fit, "Vault", watch):
        table = worlds.world(having=having)
        model = recipe.fit(table, schema=worlds.schema, budget=budget, seed=seed, progress=False)
    row, cell = _like(model.sample_table(DRAWN, seed=seed).to_arrow(), worlds.table.to_arrow())
    values = (float(np.sum(seen["released"])), float(np.mean(seen["rows"])), row, cell)
    return model, dict(zip(STATISTICS, values, strict=True))


def outcomes(
    recipe: Recipe, worlds: TwoWorlds, budget: Budget, *, having: bool, seeds: range
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the statistics of as many fits of one world as there are seeds."""
    found = [observed(recipe, worlds, budget, having=having, seed=seed)[1] for seed in seeds]
    return {name: np.array([each[name] for each in found]) for name in STATISTICS}


def _like(drawn: pa.Table, table: pa.Table) -> tuple[float, float]:
    """Count the drawn rows that are like the last row of a table, and the cells like its last one."""
    target = table.slice(table.num_rows - 1).to_pylist()[0]
    marks = [
        # A quantity is drawn from a bin: half as far out as the row in question is like it.
        pc.greater_equal(drawn[name], value // 2) if isinstance(value, int) else pc.equal(drawn[name], value)
        for name, value in target.items()
    ]
    flags = np.array([mark.to_numpy(zero_copy_only=False).astype(bool) for mark in marks])
    return float(flags.all(axis=0).sum()), float(flags[-1].sum())
