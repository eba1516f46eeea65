"""A recipe: frozen hyperparameters that turn a private table into a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from understudy import check
from understudy.errors import BudgetError, ParameterError, SchemaError, TooFewRows
from understudy.model.model import Model
from understudy.model.sampler import Sampler
from understudy.privacy import Budget, Certificate, Entry, Ledger, Vault
from understudy.progress import Progress, show
from understudy.rng import stream
from understudy.table.columns import to_columns
from understudy.table.infer import complete
from understudy.table.read import read
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.version import TOOL

__all__ = ["Recipe"]


class Recipe(ABC):
    """A synthesizer before it has seen any rows.

    A concrete recipe is a final frozen dataclass whose fields declare their ranges. It names the
    type of sampler it learns, and implements `learn`; everything else is the same for all.
    """

    sampler: ClassVar[type[Sampler]]
    fewest_rows: ClassVar[int] = 1
    private: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check.validate(self)

    @abstractmethod
    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> Sampler:
        """Read private rows through the vault, in one of its two ways, and return what was learned."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the recipe's file, which is its name everywhere."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def summary(cls) -> str:
        """Return what the recipe does, in one line."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    def settings(self) -> dict[str, Any]:
        """Return the hyperparameters as plain values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def fit(
        self,
        table: object,
        schema: Schema | None = None,
        budget: Budget | None = None,
        seed: int = 0,
        progress: bool = True,
    ) -> Model:
        """Learn a model of the table.

        `table` is a frame, a Table, a path or a database URL. A schema may leave parts open; what
        is left open is looked up in the rows, and the ledger says so. `seed` fixes everything that
        is drawn here, and never reaches privacy noise.
        """
        self._refuse_budget(budget)
        rng = stream(seed, "fit", self.name())
        source, ledger = read(table), Ledger()
        if len(source) < self.fewest_rows:
            raise TooFewRows(f"{self.name()}: needs at least {self.fewest_rows} rows; got {len(source)}.")
        with show(progress) as watcher:
            watcher.stage("looking at the columns")
            full = _completed(schema, source, ledger)
            vault = Vault(to_columns(source.to_arrow(), full), ledger)
            watcher.stage(f"fitting {self.name()}")
            learned = self.learn(vault, full, rng, watcher)
        certificate = Certificate.of(ledger, _assumptions(full), TOOL)
        return Model(self.name(), self.settings(), full, learned, certificate, frame=source.frame)

    def _refuse_budget(self, budget: Budget | None) -> None:
        if budget is not None and not isinstance(budget, Budget):
            raise ParameterError(
                f"{self.name()}: budget must be us.Budget(epsilon=...); got {type(budget).__name__}."
            )
        if budget is not None and not self.private:
            raise BudgetError(f"{self.name()}: this recipe has no private form; fit it without a budget.")


def _completed(schema: Schema | None, table: Table, ledger: Ledger) -> Schema:
    """Return the schema with nothing left open, after writing down what has to be looked up for that."""
    if schema is not None and not isinstance(schema, Schema):
        raise ParameterError(f"fit: schema must be a us.Schema; got {type(schema).__name__}.")
    full = Schema.infer(table) if schema is None else complete(schema, table)
    if columns := _looked_up(schema, full):
        what = "bounds, levels, missing rates, resolutions and shapes of ids looked up in the rows"
        ledger.write(Entry(what, "schema", "none", columns))
    refused = [column.name for column in full.columns if column.kind == "text"]
    if refused:
        raise SchemaError(
            f"column {refused[0]!r}: free text cannot be synthesized. In the schema, make its kind id "
            "(new ones are made), categorical (its texts are copied) or ignore (left out)."
        )
    return full


def _looked_up(given: Schema | None, full: Schema) -> tuple[str, ...]:
    """Return the columns of which anything was read off the rows; a resolution has no source, yet it was."""
    parts = [name for name, _ in full.observed()]
    before = {column.name: column for column in given.columns} if given is not None else {}
    for column in full.columns:
        old = before.get(column.name)
        parts += [
            column.name
            for part in ("resolution", "template")
            if getattr(column, part) is not None and (old is None or getattr(old, part) is None)
        ]
    found = set(parts)
    return tuple(column.name for column in full.columns if column.name in found)


def _assumptions(schema: Schema) -> tuple[str, ...]:
    declared = [c.name for c in schema.columns if any(source == "declared" for _, source in c.sources())]
    public = "column names, kinds and types are public"
    if not declared:
        return (public,)
    return (
        public,
        f"the declared bounds, levels and missing rates of {len(declared)} columns are public knowledge",
    )
