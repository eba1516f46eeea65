"""What `synthesize` and `fit` share: from the words of the command to a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from understudy.cli.cautions import of_cells, of_names
from understudy.cli.reading import in_a_shell, separator
from understudy.errors import InputError, ParameterError

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.model.recipe import Recipe
    from understudy.privacy import Budget
    from understudy.table.schema import Schema
    from understudy.table.table import Table

__all__ = ["Learned", "Source", "Wish", "budget_of", "learn", "settings_of"]


@final
@dataclass(frozen=True)
class Source:
    """A table to be read, and how to read it if it is a CSV file."""

    data: str
    delimiter: str | None = None
    encoding: str | None = None
    missing: Sequence[str] = ()

    def read(self, schema: Schema | None = None) -> Table:
        """Read the table; where a schema is given, by the types that it declares."""
        from understudy.table.read import read

        with in_a_shell():
            return read(
                self.data,
                delimiter=separator(self.delimiter),
                encoding=self.encoding,
                missing=tuple(self.missing),
                schema=schema,
            )

    def files(self) -> list[Path]:
        """Return the file that must survive; a database URL names none."""
        return [] if "://" in self.data else [Path(self.data)]


@final
@dataclass(frozen=True)
class Wish:
    """How a model shall be learned."""

    method: str | None = None
    settings: Sequence[str] = ()
    schema: Path | None = None
    budget: Budget | None = None
    seed: int = 0
    progress: bool = True
    run: Path | None = None


@final
@dataclass(frozen=True)
class Learned:
    """A model, why its method was taken, and the table it was learned from."""

    model: Model
    reason: str | None
    table: Table
    private: bool = False
    cautions: tuple[str, ...] = ()

    def rows(self, wanted: int | None) -> int:
        """Return how many rows to make: as many as were read, unless that number is private."""
        if wanted is not None:
            return wanted
        sampler = self.model.sampler
        if sampler.charge(1) is not None:
            return int(self.model.settings["rows"])
        if not self.private:
            return len(self.table)
        if sampler.rows is None:
            raise ParameterError(f"{self.model.recipe}: it bought no number of rows; say --rows.")
        return sampler.rows

    def size(self) -> str:
        """Return how large the table was that was read; with a budget its rows are not counted out."""
        from understudy.cli.outcome import columns_text, size_text

        return columns_text(self.table) if self.private else size_text(self.table)


def budget_of(epsilon: float | None, delta: float | None) -> Budget | None:
    """Return the budget that two options state; None if neither is there."""
    if epsilon is None and delta is None:
        return None
    if epsilon is None:
        raise ParameterError("budget: --delta belongs to --epsilon; give both, or neither.")
    from understudy.privacy import Budget

    return Budget(epsilon=epsilon) if delta is None else Budget(epsilon=epsilon, delta=delta)


def settings_of(recipe: type[Recipe], texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings that `--set key=value` states, each read as its declared kind."""
    from understudy import check

    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"--set: expected KEY=VALUE; got {text!r}.")
        if key in settings:
            raise ParameterError(f"--set: {key!r} is set twice; set it once.")
        settings[key] = check.parse(recipe, key, value)
    return settings


def learn(source: Source, wish: Wish, conditions: Sequence[str] = ()) -> Learned:
    """Read the table and fit a model; everything that can be refused is refused before the fit."""
    from understudy import synth

    _refuse_run(wish.run)
    schema = _loaded(wish.schema)
    recipe = None if wish.method is None else _recipe(wish.method, wish.settings)
    table = source.read(None if wish.budget is None else schema)
    reason = None
    if recipe is None:
        of_levels = 0 if wish.budget is None else _of_levels(table)
        method, reason = synth.choose(len(table), len(table.names), wish.budget, of_levels)
        recipe = _recipe(method, wish.settings)
    if conditions and wish.budget is None:
        _refuse_misfits(conditions, schema, table)
    elif conditions:
        _refuse_slips(conditions, schema, table)
    model = recipe.fit(
        table, schema=schema, budget=wish.budget, seed=wish.seed, progress=wish.progress, run=wish.run
    )
    # Within a budget no cell may decide what is said.
    cells = of_cells(source.data, table, schema) if wish.budget is None else []
    cautions = (*of_names(source.data, table.names), *cells)
    return Learned(model, reason, table, private=wish.budget is not None, cautions=cautions)


def _of_levels(table: Table) -> int:
    """Return how many columns are words or flags, by their types alone."""
    from understudy.table.public import by_type
    from understudy.table.schema import LEVEL_KINDS

    return sum(column.kind in LEVEL_KINDS for column in by_type(table).columns)


def _refuse_run(run: Path | None) -> None:
    if run is not None and run.exists() and not run.is_dir():
        raise InputError(f"--run: {str(run)!r} is a file; name a folder.")


def _recipe(method: str, settings: Sequence[str]) -> Recipe:
    from understudy import synth

    kind = synth.get(method)
    return kind(**settings_of(kind, settings))


def _loaded(path: Path | None) -> Schema | None:
    from understudy.table.schema import Schema

    return None if path is None else Schema.load(path)


def _refuse_misfits(conditions: Sequence[str], schema: Schema | None, table: Table) -> None:
    """Complete the schema and try the conditions on it: a slip of the pen should not cost a fit."""
    from understudy.model.where import parse_where
    from understudy.model.where_text import where_from_text
    from understudy.table.infer import complete, infer
    from understudy.table.said import as_said

    if schema is not None:
        table, schema = as_said(table, schema, openly=True)
    full = infer(table) if schema is None else complete(schema, table)
    parse_where(where_from_text(conditions, full), full)


def _refuse_slips(conditions: Sequence[str], schema: Schema | None, table: Table) -> None:
    """Try the conditions on what is public alone: levels that are still to be bought are tried afterwards."""
    from understudy.model.where import parse_where
    from understudy.model.where_text import where_from_text
    from understudy.table.public import by_type
    from understudy.table.said import as_said
    from understudy.table.schema import LEVEL_KINDS

    if schema is not None:
        table, schema = as_said(table, schema, openly=False)
    bare = by_type(table, schema)
    open_levels = {c.name for c in bare.columns if c.kind in LEVEL_KINDS and c.levels is None}
    where = where_from_text(conditions, bare)
    parse_where({name: wanted for name, wanted in where.items() if name not in open_levels}, bare)
