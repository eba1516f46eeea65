"""A recipe: frozen hyperparameters that turn a private table into a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from understudy import check
from understudy.errors import BudgetError, ParameterError
from understudy.model.job import Job
from understudy.model.model import Model
from understudy.model.open_fit import fit_openly
from understudy.model.private_fit import fit_privately
from understudy.model.ruled import refuse_unkeepable_rules
from understudy.model.sampler import Sampler
from understudy.privacy import Ask, Budget, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress, show
from understudy.rng import stream
from understudy.table.read import read
from understudy.table.said import as_said
from understudy.table.schema import Schema

__all__ = ["Recipe"]


class Recipe(ABC):
    """A synthesizer before it has seen any rows.

    A concrete recipe is a final frozen dataclass whose fields declare their ranges. It names the
    type of sampler it learns, and implements `learn`; everything else is the same for all.
    """

    sampler: ClassVar[type[Sampler]]
    fewest_rows: ClassVar[int] = 1
    private: ClassVar[bool] = False
    resumable: ClassVar[bool] = False  # whether work is kept in `progress.keep`, and taken up from there

    def __new__(cls, *_given: object, **named: object) -> Self:
        """Refuse settings that the recipe does not have, with the names of those it has."""
        for name in named:
            check.rule_of(cls, name)
        return object.__new__(cls)

    def __post_init__(self) -> None:
        check.validate(self)

    @abstractmethod
    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> Sampler:
        """Read private rows through the vault, in one of its two ways, and return what was learned."""

    def moves_cells(self) -> bool:
        """Say whether cells that do not fit a fully declared schema are moved into it instead of refused.

        A recipe whose guarantee covers an open vault must say yes: a refusal would tell of single rows.
        """
        return False

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Return what a private fit will read, planned from names, kinds and types alone."""
        raise BudgetError(f"{self.name()}: this recipe has no private form; fit it without a budget.")

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> Sampler:
        """Read private rows through the mechanisms that were asked for, at the noise of `events`."""
        raise BudgetError(f"{self.name()}: this recipe has no private form; fit it without a budget.")

    @classmethod
    def small(cls) -> Self:
        """Return the recipe at a size that a test can afford: its defaults, unless they train for long."""
        return cls()

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
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every recipe is a dataclass

    def fit(
        self,
        table: object,
        schema: Schema | None = None,
        budget: Budget | None = None,
        seed: int = 0,
        progress: bool = True,
        *,
        run: str | Path | None = None,
    ) -> Model:
        """Learn a model of the table.

        `table` is a frame, a Table, a path or a database URL. A schema may leave parts open; what
        is left open is looked up in the rows, and the ledger says so; with a budget it is bought.
        `seed` fixes everything that is drawn here, and never reaches privacy noise. With a `run`
        folder the ledger of a private fit is kept there, and a fit that was cut short goes on; a resumable
        recipe keeps its training there too, with or without a budget.
        """
        _refuse_budget(self, budget)
        if run is not None and budget is None and not self.resumable:
            raise ParameterError(
                f"{self.name()}: a run folder keeps a ledger or a long training; this recipe has no training "
                "to keep, so it needs a budget. Leave the folder out, or set a budget."
            )
        source = read(table, schema=schema if budget is not None and isinstance(schema, Schema) else None)
        if isinstance(schema, Schema):  # whatever else it is, the fit refuses by itself
            source, schema = as_said(source, schema, openly=budget is None and not self.moves_cells())
        refuse_unkeepable_rules(schema, source.to_arrow().schema)
        keep = Path(run) / "training" if run is not None and self.resumable else None
        with show(progress, keep) as watcher:
            job = Job(source, schema, stream(seed, "fit", self.name()), watcher)
            if budget is None:
                learned = fit_openly(self, job)
            else:
                learned = fit_privately(self, job, budget, None if run is None else Path(run))
        return Model(
            self.name(),
            self.settings(),
            learned.schema,
            learned.sampler,
            learned.certificate,
            frame=source.frame,
        )


def _refuse_budget(recipe: Recipe, budget: Budget | None) -> None:
    if budget is not None and not isinstance(budget, Budget):
        raise ParameterError(
            f"{recipe.name()}: budget must be us.Budget(epsilon=...); got {type(budget).__name__}."
        )
    if budget is not None and not recipe.private:
        raise BudgetError(f"{recipe.name()}: this recipe has no private form; fit it without a budget.")
