"""Rows of a site without a budget: looked at as they are, and the ledger says so before the first look."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import Margin, QuantityMargin, fit_margins
from understudy.engines.training.openly import OpenFit
from understudy.errors import InputError
from understudy.federated.domain import Domain
from understudy.federated.local_training import Round, open_fit
from understudy.federated.planning import plan_openly
from understudy.federated.rows import Holding, Rows
from understudy.federated.terms import Terms
from understudy.model.cells import Cells
from understudy.model.private_codec import Rule
from understudy.model.tables import ExactTables
from understudy.privacy import Ledger, Vault
from understudy.table.columns import modelled
from understudy.table.infer import complete
from understudy.table.raw import encode, ends_of, raw_columns
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["OpenRows"]

_LOOKED_UP = ("bounds", "levels", "missing")
KNOTS = 1_000  # of a margin
WHY = "federated training in the open: a site without a budget"


@final
class OpenRows(Rows):
    """No guarantee: the certificate of such a site says none, and all its messages say private: false."""

    def __init__(self, terms: Terms, held: Holding, ledger: Ledger) -> None:
        self.terms, self._held = terms, held
        self.planned, self.ledger = plan_openly(terms), ledger
        self._columns = Vault(raw_columns(held.table.to_arrow(), held.bare), self.ledger).open(WHY)
        self._matrix: npt.NDArray[np.float32] | None = None
        self._schema: Schema | None = None

    @property
    def declared(self) -> float:
        """How many rows there are."""
        return float(len(self._held.table))

    @property
    def told(self) -> float:
        """How many rows there are."""
        return self.declared

    def describe(self) -> Schema:
        """Look up bounds, levels and missing rates; a resolution could differ from site to site."""
        if self._schema is None:
            self._schema = self._described()
        return self._schema

    def _described(self) -> Schema:
        full = complete(self._held.bare, self._held.table)
        columns = tuple(
            column.model_copy(update={part: getattr(full.column(column.name), part) for part in _LOOKED_UP})
            for column in self._held.bare.columns
        )
        return self._held.bare.model_copy(update={"columns": columns})

    def margins(self, schema: Schema) -> Domain:
        """Return exact margins."""
        columns = encode(dict(self._columns), schema)
        levels = {c.name: len(c.levels.values) for c in modelled(schema) if c.levels is not None}
        found = fit_margins(columns, levels, KNOTS)
        full = {c.name: _never_empty(c, found[c.name]) for c in modelled(schema)}
        return Domain(schema, full, self.declared)

    def settle(self, schema: Schema, rule: Rule) -> None:
        """Encode the rows once."""
        self._matrix = rule(encode(dict(self._columns), schema))

    def tables(self, schema: Schema, cells: dict[str, Cells]) -> ExactTables:
        """Return exact tables."""
        return ExactTables.of(cells, encode(dict(self._columns), schema))

    def fit(self, work: Round) -> OpenFit:
        """Return a fit on all rows, shuffled by a seed of this site and round."""
        if self._matrix is None or not len(self._matrix):
            raise InputError("Site: there are no rows to train on.")
        return open_fit(work, self._matrix, (self.terms.seed, self._held.name), self._held.device)


def _never_empty(column: Column, margin: Margin) -> Margin:
    """Return a margin with values: of a column that is always missing, its bounds without any mass."""
    if column.kind in LEVEL_KINDS or not isinstance(margin, QuantityMargin) or len(margin.values):
        return margin
    ends: Any = np.unique(np.array(ends_of(column), dtype=margin.values.dtype))
    nothing = np.zeros(len(ends))
    return QuantityMargin(ends, nothing, nothing, 1.0)
