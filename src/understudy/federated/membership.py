"""What a site does under terms that it agreed to, and what it will not do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, final

from understudy.errors import BudgetError, InputError, ParameterError, SchemaError
from understudy.federated.demand import Demand
from understudy.federated.domain import Domain, needed
from understudy.federated.message import Message
from understudy.federated.open_rows import OpenRows
from understudy.federated.private_rows import PrivateRows
from understudy.federated.reading import read_or_refuse
from understudy.federated.recipes import method_of, tree_of
from understudy.federated.rows import Holding, Rows
from understudy.federated.shared_cells import read_cells, read_pairs
from understudy.federated.terms import Terms
from understudy.federated.updates import Update
from understudy.model.job import certified
from understudy.model.neural_fit import Bought
from understudy.model.tree_fit import spanning_tree
from understudy.privacy import Certificate, Ledger
from understudy.table.raw import ends_of
from understudy.table.schema import Column, Schema

if TYPE_CHECKING:
    from understudy.federated.catching import Catcher

__all__ = ["Membership"]


@final
@dataclass(frozen=True, eq=False)
class _Settled:
    digest: str
    catcher: Catcher


@final
class Membership:
    """One run at one site, from the agreement to the certificate."""

    def __init__(self, terms: Terms, held: Holding, ledger: Ledger, least_cohort: int) -> None:
        _refuse_rows(terms, held)  # before anything is paid for
        kind = OpenRows if held.budget is None else PrivateRows
        self.terms, self._held, self._least_cohort = terms, held, least_cohort
        self.rows: Rows = kind(terms, held, ledger)
        self._settled: _Settled | None = None
        self._schema: Schema | None = None

    def agreed(self) -> Message:
        """Return what the server is told of the plan: its price, which is paid by now, and declared rows."""
        facts = {"rows": self.rows.declared or 0.0, "certificate": self.certificate.to_json()}
        return Message("agreed", facts)

    def described(self) -> Message:
        """Return the schema with nothing left open."""
        schema = self.rows.describe()
        # Notes are the operator's own words, and of no use to anybody else.
        columns = tuple(column.model_copy(update={"note": None}) for column in schema.columns)
        bare = schema.model_copy(update={"columns": columns})
        return Message("described", {"schema": bare.to_json(), "rows": self.rows.told})

    def margins(self, message: Message) -> Message:
        """Return the margins of a merged schema."""
        schema = read_or_refuse("margins", partial(Schema.from_json, message.fact("schema", str)))
        read_or_refuse("margins", partial(_refuse_narrower, self.rows.describe(), schema))
        self._schema = schema
        return self.rows.margins(schema).to_message("margins")

    def settle(self, message: Message) -> Message:
        """Take the merged domain that all rounds are about."""
        from understudy.federated.catching import Catcher  # it needs torch, and trees do not

        domain, bought = read_or_refuse("domain", partial(_read, message))
        read_or_refuse("domain", partial(_refuse_narrower, self.rows.describe(), domain.schema))
        self.rows.settle(domain.schema, bought.rule)
        method = method_of(self.rows.planned.recipe, noisy=self.terms.private)
        catcher = Catcher(method, bought.fields, self.terms.seed, self._held.device)
        self._settled = _Settled(message.digest(), catcher)
        return Message("settled", {"domain": self._settled.digest})

    def update(self, message: Message) -> Message:
        """Return the update of one round."""
        from understudy.federated.local_training import Round, within_memory

        demand = read_or_refuse("train", partial(_demanded, message))
        settled = self._settled
        if settled is None or settled.digest != demand.domain:
            raise InputError("Site: the demand is about another domain than was agreed on.")
        _refuse_odd_rounds(demand, self.terms, self._least_cohort)
        with within_memory():
            work = Round.of(demand, settled.catcher, self.terms)
            made = work.difference(self.rows.fit(work))
        told = (self.terms.hash, demand.stage, demand.round, message.digest(), self.weight)
        return Update(*told, made).to_message()

    def tables(self, message: Message) -> Message:
        """Return which pairs this site would tie together, or the tables of those that are asked for."""
        tree = tree_of(self.rows.planned.recipe)
        if self._schema is None:
            raise InputError("Site: tables come after margins; ask for those first.")
        cells = read_or_refuse(message.kind, partial(read_cells, message.arrays, self._schema))
        tables = self.rows.tables(self._schema, cells)
        if message.kind == "span":
            return Message("span", {"pairs": [list(pair) for pair in spanning_tree(tables, tree.choose)]})
        pairs = read_pairs(message.fact("cliques", list), len(tables.sizes))
        measured = tables.measure(tree.measure, pairs)
        return Message("tables", {}, {str(k): each.table for k, each in enumerate(measured)})

    @property
    def weight(self) -> float:
        """What this site's differences weigh, as the terms say."""
        if self.terms.weights == "equal":
            return 1.0
        return self.rows.declared or 1.0 if self.terms.weights == "declared" else self.rows.told

    def close(self) -> Message:
        """End the run: the noise key is destroyed, and what was paid stays paid."""
        self.rows.ledger.finish()
        return Message("closed", {"certificate": self.certificate.to_json()})

    @property
    def certificate(self) -> Certificate:
        """What was sent, and all else that was planned, can reveal of one row."""
        return certified(self.rows.ledger, self._held.bare, self._held.stated)


@lru_cache(maxsize=1)  # in one process all sites are sent one message
def _demanded(message: Message) -> Demand:
    return Demand.of(message)


@lru_cache(maxsize=1)  # likewise
def _read(message: Message) -> tuple[Domain, Bought]:
    domain = Domain.of(message)
    return domain, domain.bought()


def _refuse_odd_rounds(demand: Demand, terms: Terms, least_cohort: int) -> None:
    if not 0 <= demand.round < terms.rounds:
        raise BudgetError(
            f"Site: {terms.rounds} rounds were agreed on and paid for, counted from 0; "
            f"got a demand for round {demand.round}."
        )
    least = max(least_cohort, terms.least_cohort)
    if demand.cohort < least:
        raise InputError(
            f"Site: at least {least} sites must be asked together; got a cohort of {demand.cohort}."
        )


def _refuse_rows(terms: Terms, held: Holding) -> None:
    declared = len(held.table) if held.budget is None else held.rows
    if declared is not None and not 1 <= declared <= terms.most_rows:
        raise ParameterError(f"Site: the terms take 1 to {terms.most_rows:,} rows of a site.")
    if declared is None and terms.weights == "declared":
        raise ParameterError("Site: the terms weigh by declared rows; declare them (rows=...).")


def _refuse_narrower(own: Schema, merged: Schema) -> None:
    """Refuse a schema that is not this site's, or has no room for what the site declared or told."""
    if [column.name for column in merged.columns] != [column.name for column in own.columns]:
        raise SchemaError("Site: the merged schema has other columns than were agreed on.")
    for mine in own.columns:
        theirs = merged.column(mine.name)
        if theirs != mine and not _holds(theirs, mine):
            raise SchemaError(
                f"Site: column {mine.name!r}: the merged schema lacks what this site declared or told."
            )


def _holds(merged: Column, mine: Column) -> bool:
    if (merged.kind, merged.type, merged.resolution) != (mine.kind, mine.type, mine.resolution):
        return False
    for part in ("bounds", "levels", "missing"):
        theirs, own = getattr(merged, part), getattr(mine, part)
        if own is None and part == needed(mine):
            continue  # this site has no value of it, and takes what others told
        if (theirs is None) != (own is None):
            return False
        if own is not None and (theirs.source != own.source or (own.source == "declared" and theirs != own)):
            return False
    if mine.bounds is not None and merged.bounds is not None:
        (low, high), (lowest, highest) = ends_of(mine), ends_of(merged)
        if lowest > low or highest < high:
            return False
    if mine.levels is not None and merged.levels is not None:
        return set(mine.levels.values) <= set(merged.levels.values)
    return True
