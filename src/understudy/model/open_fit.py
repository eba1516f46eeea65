"""A fit without a budget: the vault is opened, and the ledger says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from understudy.errors import TooFewRows
from understudy.model import purchase
from understudy.model.job import Job, Learned, certified, refuse_other_schemas, refuse_text
from understudy.privacy import Entry, Ledger, Vault
from understudy.table.columns import to_columns
from understudy.table.infer import complete, infer
from understudy.table.public import by_type
from understudy.table.raw import encode, raw_columns
from understudy.table.schema import Schema
from understudy.table.spelled import spelled_out
from understudy.table.table import Table

if TYPE_CHECKING:
    from understudy.model.recipe import Recipe

__all__ = ["fit_openly"]


def fit_openly(recipe: Recipe, job: Job) -> Learned:
    """Look up what the schema leaves open, put the rows into a vault, and learn."""
    refuse_other_schemas(job.schema)
    if len(job.table) < recipe.fewest_rows:
        wanted = f"{recipe.fewest_rows} row{'s' if recipe.fewest_rows > 1 else ''}"
        raise TooFewRows(f"{recipe.name()}: needs at least {wanted}; got {len(job.table)}.")
    ledger = Ledger(condition=job.table.condition)  # rows that are drawn at a price carry it too
    job.watcher.stage("looking at the columns")
    declared = by_type(job.table, job.schema) if recipe.moves_cells() else None
    if declared is not None and not purchase.asks(declared):
        refuse_text(declared)
        schema, columns = declared, encode(raw_columns(job.table.to_arrow(), declared), declared)
    else:
        # A frame may hold times as text; with a schema, that says which these are, and they are read already.
        job = replace(job, table=Table(spelled_out(job.table.to_arrow()))) if job.schema is None else job
        schema = _completed(job, ledger)
        columns = to_columns(job.table.to_arrow(), schema)
    vault = Vault(columns, ledger)
    job.watcher.stage(f"fitting {recipe.name()}")
    sampler = recipe.learn(vault, schema, job.rng, job.watcher)
    return Learned(schema, sampler, certified(ledger, job.schema))


def _completed(job: Job, ledger: Ledger) -> Schema:
    """Return the schema with nothing left open, after writing down what has to be looked up for that."""
    full = infer(job.table) if job.schema is None else complete(job.schema, job.table)
    if columns := _looked_up(job.schema, full):
        kinds = "" if job.schema else "kinds, "
        what = f"{kinds}bounds, levels, missing rates, resolutions and shapes of ids looked up in the rows"
        ledger.write(Entry(what, "schema", columns=columns))
    refuse_text(full)
    return full


def _looked_up(given: Schema | None, full: Schema) -> tuple[str, ...]:
    """Return the columns of which anything was read off the rows; a resolution has no source, yet it was.

    Without a schema that is every column: that none of its cells holds anything is read off the rows too.
    """
    if given is None:
        return tuple(column.name for column in full.columns)
    parts = [name for name, _ in full.observed()]
    before = {column.name: column for column in given.columns}
    for column in full.columns:
        old = before[column.name]
        parts += [
            column.name
            for part in ("resolution", "template")
            if getattr(column, part) is not None and getattr(old, part) is None
        ]
    found = set(parts)
    return tuple(column.name for column in full.columns if column.name in found)
