"""Rows of a site without a budget: looked at as they are, and the ledger says so before the first look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.engines.margin import Margin, QuantityMargin, fit_margins
from understudy.errors import InputError
from understudy.federated.domain import Domain, needed
from understudy.federated.planning import plan_openly
from understudy.federated.rows import Holding, Rows
from understudy.federated.terms import Terms
from understudy.model.cells import Cells
from understudy.model.private_codec import Rule
from understudy.model.tables import ExactTables
from understudy.privacy import Ledger, Vault
from understudy.table.columns import modelled
from understudy.table.contradictions import refuse_contradictions
from understudy.table.infer import complete
from understudy.table.kinds import dictionary_values
from understudy.table.raw import encode, ends_of, raw_columns
from understudy.table.schema import LEVEL_KINDS, Column, Missing, Schema

if TYPE_CHECKING:
    from understudy.engines.training.openly import OpenFit
    from understudy.federated.local_training import Round

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
        why = f"{WHY}, run {terms.run}:{terms.hash[:16]}"
        vault = Vault(raw_columns(held.table.to_arrow(), held.bare), self.ledger)
        self._columns = vault.open(why, once=True)  # a site that was killed goes on with the run it was in
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
        """Look up bounds, levels and missing rates; a resolution could differ from site to site.

        Of a column without a value here, levels and bounds are left open: sites that have some tell them.
        """
        if self._schema is None:
            self._schema = self._described()
        return self._schema

    def _described(self) -> Schema:
        bare, arrow = self._held.bare, self._held.table.to_arrow()
        empty = {column.name for column in bare.columns if _never_told(column, arrow.column(column.name))}
        held = tuple(column for column in bare.columns if column.name not in empty)
        full = complete(bare.model_copy(update={"columns": held}), self._held.table)
        columns = tuple(
            _without_values(column, arrow.column(column.name))
            if column.name in empty
            else column.model_copy(
                update={part: getattr(full.column(column.name), part) for part in _LOOKED_UP}
            )
            for column in bare.columns
        )
        return bare.model_copy(update={"columns": columns})

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
        from understudy.federated.local_training import open_fit  # it needs torch, and trees do not

        if self._matrix is None or not len(self._matrix):
            raise InputError("Site: there are no rows to train on.")
        return open_fit(work, self._matrix, (self.terms.seed, self._held.name), self._held.device)


def _never_told(column: Column, cells: pa.ChunkedArray) -> bool:
    """Say whether a column leaves its levels or bounds open, and no row has a value to look them up from."""
    part = needed(column)
    if part is None or getattr(column, part) is not None:
        return False
    if pa.types.is_dictionary(cells.type) and len(dictionary_values(cells)):
        return False  # its type lists them
    return bool(pc.all(pc.is_null(cells, nan_is_null=True)).as_py())


def _without_values(column: Column, cells: pa.ChunkedArray) -> Column:
    """Return a column that is always missing here; its levels or bounds are for other sites to tell."""
    refuse_contradictions(column, column, cells)
    return column.model_copy(update={"missing": column.missing or Missing(rate=1.0, source="observed")})


def _never_empty(column: Column, margin: Margin) -> Margin:
    """Return a margin with values: of a column that is always missing, its bounds without any mass."""
    if column.kind in LEVEL_KINDS or not isinstance(margin, QuantityMargin) or len(margin.values):
        return margin
    ends: Any = np.unique(np.array(ends_of(column), dtype=margin.values.dtype))
    nothing = np.zeros(len(ends))
    return QuantityMargin(ends, nothing, nothing, 1.0)
