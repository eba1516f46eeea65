"""A fit within a budget: planned, paid for, and only then read, from the first bound to the last count.

1. The schema is reduced to what is public: names, types, and what was declared.
2. Everything that will be read is planned from that, and noise is allotted to fit the budget.
3. The whole plan is written into the ledger in one commit, before any noise is drawn.
4. What the schema leaves open is bought; the recipe learns through the vault.

No row decides what is read, how often, or whether an error is raised before noise was added. What comes
before this room, the reading of a file, does refuse tables for their rows; so the certificate takes types
and spellings to be public.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.errors import UnderstudyError
from understudy.model import purchase
from understudy.model.job import Job, Learned, certified, refuse_other_schemas, refuse_text
from understudy.privacy import Ask, Budget, Entry, Ledger, Vault, allot
from understudy.privacy.events import Event
from understudy.table.level_order import in_order_of_types
from understudy.table.public import by_type
from understudy.table.raw import encode, raw_columns

if TYPE_CHECKING:
    from understudy.model.recipe import Recipe

__all__ = ["all_asks", "entry_of", "fit_privately"]

_BECAUSE = {
    "counts": "one row adds 1 to one cell of each table",
    "sums": "what one row adds to all sums, or moves of all scores, has at most a fixed length",
    "selections": "one row moves each score by at most the stated amount, in one group",
    "steps": "each row's gradient is clipped to a fixed length",
    "votes": "each row belongs to one teacher, which has one vote on each made row",
    "adaptive": "one row adds 1 to one cell of each table, or moves its interaction by less than that, "
    "and moves each score by at most the stated amount",
    "delta": "a value that one row has is told with at most this chance",
}


def fit_privately(recipe: Recipe, job: Job, budget: Budget, run: Path | None = None) -> Learned:
    """Learn within a budget. With a run folder the ledger is durable and a cut-off run can be taken up."""
    refuse_other_schemas(job.schema)
    bare = by_type(job.table, job.schema)
    refuse_text(bare)
    job.watcher.stage("planning what to read")
    asks = all_asks(purchase.asks(bare), recipe.asks(bare))
    events = allot(asks, budget)
    ledger = Ledger(run, condition=job.table.condition)
    stream = ledger.reserve([entry_of(ask, events[ask.name]) for ask in asks], budget, run=recipe.name())
    raw = Vault(raw_columns(job.table.to_arrow(), bare), ledger, stream)
    job.watcher.stage("buying the schema")
    schema = in_order_of_types(purchase.buy(raw, bare, events), job.table)
    events = purchase.left(raw, bare, schema, events)
    shares = purchase.told_shares(raw, schema, events)
    vault = raw.map(lambda rows: encode(dict(rows), schema, shares))
    job.watcher.stage(f"fitting {recipe.name()}")
    sampler = recipe.learn_privately(vault, schema, events, job.rng, job.watcher)
    ledger.finish()
    if observed := schema.observed():
        # A second net: nothing that was looked up in the rows may leave under a certificate of this fit.
        raise UnderstudyError(
            f"fit: {observed[0][1]} of column {observed[0][0]!r} was not bought; please report this."
        )
    return Learned(schema, sampler, certified(ledger, job.schema))


def all_asks(schema: Sequence[Ask], recipe: Sequence[Ask]) -> list[Ask]:
    """Return all asks; the schema's shares are of the whole, the recipe's of what is left.

    A filter of the recipe's is lent to the purchase of levels, which leaves it what they do not take.
    """
    own = sum(ask.share for ask in recipe if ask.form != "delta") or 1.0
    bought = sum(ask.share for ask in schema if ask.form != "delta")
    rest = (1 - bought) / own
    own_asks = (ask if ask.form == "delta" else ask.scaled(rest) for ask in recipe)
    return purchase.lent([*schema, *own_asks])


def entry_of(ask: Ask, event: Event) -> Entry:
    """Return the line of the ledger that a planned read becomes."""
    return Entry(
        ask.what, ask.phase, event, ask.columns, because=ask.because or _BECAUSE[ask.form], name=ask.name
    )
