"""The rows of a site as a run may use them, in the open or through a vault with a budget: one shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from understudy.federated.domain import Domain
from understudy.federated.planning import Planned
from understudy.federated.terms import Terms
from understudy.model.cells import Cells
from understudy.model.private_codec import Rule
from understudy.model.tables import Tables
from understudy.privacy import Budget, Ledger
from understudy.table.schema import Schema
from understudy.table.table import Table

if TYPE_CHECKING:
    from understudy.engines.training.fit import Fit
    from understudy.federated.local_training import Round

__all__ = ["PUBLIC_ROWS", "Holding", "Rows"]

PUBLIC_ROWS = "how many rows each site has is public"


@final
@dataclass(frozen=True, eq=False)
class Holding:
    """What a site holds: its table, what is public of it, its budget, the number of rows it declares."""

    name: str
    table: Table
    bare: Schema
    budget: Budget | None
    rows: int | None
    device: str = "auto"

    @property
    def stated(self) -> int | None:
        """The number of rows that a site with a budget tells as it is."""
        return None if self.budget is None else self.rows

    @property
    def condition(self) -> str:
        """What must hold for the price of this site's reads to be right; empty for most sites.

        A number of rows that is declared is told as it is, and one row more would make it another.
        """
        said = (self.table.condition, "" if self.stated is None else PUBLIC_ROWS)
        return "; ".join(each for each in said if each)


class Rows(ABC):
    """What a membership asks of rows. Whatever comes out of here may leave the site."""

    terms: Terms
    planned: Planned
    ledger: Ledger

    @property
    @abstractmethod
    def declared(self) -> float | None:
        """How many rows there are, as far as that may be told before anything was read."""

    @property
    @abstractmethod
    def told(self) -> float:
        """How many rows there are, as exactly as it was told."""

    @abstractmethod
    def describe(self) -> Schema:
        """Return the schema with nothing left open."""

    @abstractmethod
    def margins(self, schema: Schema) -> Domain:
        """Return the margins of all columns, in the terms of a merged schema."""

    @abstractmethod
    def settle(self, schema: Schema, rule: Rule) -> None:
        """Encode the rows by a merged domain, each by itself."""

    @abstractmethod
    def tables(self, schema: Schema, cells: dict[str, Cells]) -> Tables:
        """Return the tables of merged cells."""

    @abstractmethod
    def fit(self, work: Round) -> Fit:
        """Return the way to train for one round; refuse a round that was begun before."""
