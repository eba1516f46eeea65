"""What a schema and a style decide before any row is seen, and the one read for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.codec.codec import Codec
from understudy.codec.domain import bounds_of, dtype_of, levels_of
from understudy.codec.layout import Layout
from understudy.codec.learn import known_parts, learned, no_rows, slot_of
from understudy.codec.style import Style
from understudy.errors import SchemaError
from understudy.privacy import Vault
from understudy.table.columns import modelled
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["Plan", "plan"]


@final
@dataclass(frozen=True)
class Plan:
    """The columns that a codec will hold, and how."""

    columns: tuple[Column, ...]
    style: Style

    @property
    def reads(self) -> dict[str, list[str]]:
        """What `fit` has to learn from rows, and for which columns; empty when the schema is enough."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            for what in learned(column, self.style):
                found.setdefault(what, []).append(column.name)
        return found

    @property
    def layout(self) -> Layout | None:
        """The layout, when the schema alone decides it; None when a width has to be learned."""
        parts = {column.name: known_parts(column, self.style) for column in self.columns}
        if None in parts.values():
            return None
        return Layout.of((name, part) for name, known in parts.items() for part in known or ())

    def fit(self, vault: Vault, rng: np.random.Generator) -> Codec:
        """Learn what the schema leaves open and return the codec.

        Guarantee: none where anything is learned: the vault is opened once, which is an entry of
        infinite price that says what was learned. Where the schema decides everything, the vault is
        not touched. `rng` draws the first guess of mixtures.
        """
        if set(vault.names) != {column.name for column in self.columns}:
            raise SchemaError(
                "codec: the vault's columns are not those that the schema models; use one schema for both."
            )
        reads = self.reads
        rows = vault.open(_why(reads), "preprocess") if reads else {}
        return Codec(tuple(slot_of(c, self.style, rows.get(c.name, no_rows(c)), rng) for c in self.columns))


def plan(schema: Schema, style: Style) -> Plan:
    """Return the plan of a codec; refuse a schema that leaves types or levels open.

    >>> member = Column(name="member", kind="boolean", levels={"values": (False, True)})
    >>> schema = Schema(columns=(member,))
    >>> plan(schema, Style()).reads
    {}
    """
    columns = tuple(modelled(schema))
    for column in columns:
        if column.kind in LEVEL_KINDS:
            levels_of(column)
        else:
            dtype_of(column), bounds_of(column)
    return Plan(columns, style)


def _why(reads: dict[str, list[str]]) -> str:
    """Say what is learned and for which columns; beyond a few names, how many."""
    told = [
        f"{what} of " + (", ".join(names) if len(names) <= 5 else f"{len(names)} columns")
        for what, names in reads.items()
    ]
    return "codec: " + "; ".join(told)
