"""Sites out of one table, for simulations: how it is split, and what of that is said to be public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from understudy.errors import ParameterError
from understudy.federated.partition import by_column, dirichlet, iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms
from understudy.privacy import Budget
from understudy.table.infer import infer
from understudy.table.schema import Schema
from understudy.table.spelled import spelled_out
from understudy.table.table import Table

__all__ = ["Split"]


@final
@dataclass(frozen=True)
class Split:
    """How one table becomes sites: at random, by a column, or by Dirichlet shares of a column.

    >>> import pyarrow as pa
    >>> [len(part) for part in Split(2, seed=1).parts(Table(pa.table({"age": [31, 42, 53]})))]
    [2, 1]
    """

    sites: int
    by: str | None = None
    alpha: float | None = None
    seed: int = 0
    public_rows: bool = False

    def parts(self, table: Table) -> list[Table]:
        """Return the rows of each site; they carry the condition under which they lie there."""
        if self.by is None:
            if self.alpha is not None:
                raise ParameterError("simulate: --alpha belongs to --by; say which column is shared out.")
            return iid(table, self.sites, self.seed)
        if self.alpha is None:
            return by_column(table, self.sites, self.by)
        return dirichlet(table, self.sites, self.by, self.alpha, self.seed)

    def members(self, table: Table, schema: Schema | None = None, budget: Budget | None = None) -> list[Site]:
        """Return a site for each part, all with the same schema and a budget of their own."""
        if schema is None and budget is None:
            # One schema for all: without a budget it may be looked up, and text that spells times is times.
            table = Table(spelled_out(table.to_arrow()), table.frame, condition=table.condition)
            schema = infer(table)
        return [
            Site(
                f"site-{number + 1:03d}",
                part,
                budget,
                schema=schema,
                rows=len(part) if self.public_rows else None,
                least_cohort=min(2, self.sites),
            )
            for number, part in enumerate(self.parts(table))
        ]

    def refuse_untold_rows(self, terms: Terms) -> None:
        """Refuse private terms that need the number of rows of a site, unless that was said to be public."""
        if terms.private and (terms.batch or terms.weights == "declared") and not self.public_rows:
            raise ParameterError(
                "simulate: --term batch and weights=declared go by the number of rows of each site; say that "
                "it is public (--public-rows), or leave them out."
            )
