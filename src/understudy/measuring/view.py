"""What an adversary sees: its tables, told the same way in whatever order, names and units they came.

Rows, columns and codes stand in canonical order, so that draws and trained models do not depend on orders
that mean nothing. Ranges, means and deviations are those of rows that the adversary has, of the reference
where it has one and of the synthetic rows otherwise: the training rows are what it wants to learn about.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from understudy.engines.neighbours.points import Places
from understudy.engines.neighbours.search import Neighbours, nearest
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.canonical import canonical, renumbered
from understudy.measuring.encoder import Encoder, Matrix, Scaling
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["View", "look", "ranged"]


@final
@dataclass(frozen=True, eq=False)
class View:
    """The tables of an adversary in their roles; what many attacks need of them is made once."""

    evidence: Evidence
    sees: tuple[Role, ...]
    domain: tuple[CodedColumn, ...]
    tables: tuple[CodedTable, ...]

    def table(self, role: Role) -> CodedTable:
        """Return the rows of a role, in canonical order."""
        return self.tables[self.sees.index(role)]

    @property
    def known(self) -> CodedTable:
        """The rows in whose terms all others are told: real ones, if there are any."""
        return self.table("reference" if "reference" in self.sees else "synthetic")

    def of(self, targets: CodedTable) -> CodedTable:
        """Return targets in the terms of these tables; they stay in their order."""
        seen = [self.evidence.coded(role) for role in self.sees]
        return replace(renumbered([targets], seen)[0], domain=self.domain)

    def matrix(self, table: CodedTable, scaling: Scaling = "standard") -> Matrix:
        """Return rows encoded in the terms of the known ones."""
        return self._encoder(scaling).matrix(table)

    def nearest(
        self, targets: CodedTable, role: Role, scaling: Scaling = "standard", k: int = 1
    ) -> Neighbours:
        """Return the k nearest rows of a table to each target, straight through the encoding.

        `targets` are as the evidence has them; a table of fewer rows gives as many as it has.
        """
        key = ("nearest", self.sees, role, scaling, k, _digest(targets))
        distances, rows = self.evidence.cached(key, lambda: self._search(targets, role, scaling, k))
        return Neighbours(distances, rows)

    def _search(self, targets: CodedTable, role: Role, scaling: Scaling, k: int) -> tuple[Matrix, Places]:
        table = self.table(role)
        asked = Vectors(self.matrix(self.of(targets), scaling))
        found = nearest(asked, Vectors(self.matrix(table, scaling)), min(k, len(table)))
        return found.distances, found.rows

    def _encoder(self, scaling: Scaling) -> Encoder:
        key = ("encoder", self.sees, scaling)
        return self.evidence.cached(key, lambda: Encoder.fit(self.known, scaling))


def look(evidence: Evidence, sees: tuple[Role, ...]) -> View:
    """Return what an adversary who has these tables sees.

    >>> import pyarrow as pa
    >>> shown = Evidence(train=pa.table({"x": [1.5, 9.5]}), synthetic=pa.table({"x": [4.5, 2.5]}))
    >>> view = look(shown, ("synthetic",))
    >>> view.table("synthetic")["x"].tolist(), view.domain[0].high
    ([2.5, 4.5], 4.5)
    """
    roles = tuple(sorted(sees))  # the reference comes before the synthetic rows
    tables = evidence.cached(("view", roles), lambda: _tables(evidence, roles))
    return View(evidence, roles, tables[0].domain, tables)


def _tables(evidence: Evidence, roles: tuple[Role, ...]) -> tuple[CodedTable, ...]:
    tables = canonical([evidence.coded(role) for role in roles])
    known = tables[roles.index("reference") if "reference" in roles else roles.index("synthetic")]
    domain = tuple(ranged(column, known) for column in known.domain)
    return tuple(replace(table, domain=domain) for table in tables)


def ranged(column: CodedColumn, known: CodedTable) -> CodedColumn:
    """Return a quantity with the range of the known rows in place of that of the training rows."""
    if not column.quantity:
        return column
    values = known[column.name][~np.isnan(known[column.name])]
    low, high = (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)
    return replace(column, low=low, high=high)


def _digest(table: CodedTable) -> str:
    """Return a name for these rows: the same for the same cells in the same order."""
    digest = hashlib.blake2b(digest_size=16)
    for column in table.domain:
        digest.update(column.name.encode() + b"\0")
        digest.update(np.ascontiguousarray(table[column.name]).tobytes())
    return digest.hexdigest()
