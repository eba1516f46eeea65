"""Each table in its role: no rows may play two roles unnoticed.

A judge takes holdout rows for rows that the synthesizer never saw. If they are training rows after all, in
whatever order, every verdict that rests on them is wrong, and nothing else would show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from understudy.errors import InputError, SchemaError
from understudy.table.coded import CodedTable
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["REAL", "Overlap", "Role", "overlap", "refuse_unfit_tables", "row_keys", "said_of_roles"]

Role = Literal["train", "holdout", "reference", "synthetic"]
REAL: tuple[Role, ...] = ("train", "holdout", "reference")

Keys = npt.NDArray[np.uint64]
_Z = 4.0  # deviations, twice over: honest samples hardly ever overlap so much more than duplicates explain
_BY_CHANCE = 1e-4


@final
@dataclass(frozen=True)
class Overlap:
    """How many rows of one table stand in another, and how many duplicates would explain.

    found      rows of the second table that the first one has too
    rows       of the second table
    explained  the share of rows of the first table that stand there at least twice: what a fresh sample
               of the same law would find of itself in it
    most       the largest share that duplicates can plausibly explain
    chance     of two tables with just the same rows, at most, were they drawn apart; 1 if the rows differ
    """

    found: int
    rows: int
    explained: float
    most: float
    chance: float

    @property
    def is_copy(self) -> bool:
        """Whether both hold the same rows, in any order, and chance cannot have done it."""
        return self.chance < _BY_CHANCE

    @property
    def is_suspect(self) -> bool:
        """Whether more rows are shared than duplicates explain."""
        spread = _Z * np.sqrt(self.rows * self.most * (1 - self.most))
        return bool(self.found > self.rows * self.most + spread)

    def __str__(self) -> str:
        return f"{self.found / self.rows:.1%} of its rows (duplicates explain {self.explained:.1%})"


def refuse_unfit_tables(tables: Mapping[Role, Table], schema: Schema | None) -> None:
    """Refuse tables without rows, with other columns than the training rows, or not those of the schema.

    Columns that the schema tells to ignore may be absent: a synthesizer leaves them out.
    """
    for role, table in tables.items():
        if len(table) == 0:
            raise InputError(f"evidence: the {role} table has no rows.")
    ignored = {c.name for c in schema.columns if c.kind == "ignore"} if schema is not None else set()
    wanted = set(tables["train"].names) - ignored
    for role, table in tables.items():
        if odd := sorted((set(table.names) - ignored) ^ wanted):
            raise SchemaError(
                f"evidence: column {odd[0]!r} is not in both the train and the {role} table; "
                "drop it, or tell to ignore it in a schema."
            )
    if schema is not None:
        _refuse_other_names({column.name for column in schema.columns} - ignored, wanted)


def _refuse_other_names(said: set[str], found: set[str]) -> None:
    if absent := sorted(said - found):
        raise SchemaError(f"evidence: the schema names column {absent[0]!r}, which the tables lack.")
    if unnamed := sorted(found - said):
        raise SchemaError(
            f"evidence: the schema does not name column {unnamed[0]!r} of the tables; "
            "add it, if only to tell to ignore it."
        )


def said_of_roles(keys: Mapping[Role, Keys]) -> list[str]:
    """Refuse rows that play two real roles; say what else the tables share beyond what duplicates explain."""
    said = []
    for first, second in combinations((*REAL, "synthetic"), 2):
        if first not in keys or second not in keys:
            continue
        shared, whole = overlap(keys[first], keys[second]), np.array_equal(keys[first], keys[second])
        if second != "synthetic" and (whole or shared.is_copy):
            raise InputError(
                f"evidence: {first} and {second} hold the same rows; each role needs rows of its own."
            )
        if whole:
            said.append(f"the {second} table is the {first} table, row for row")
        elif shared.is_copy:
            said.append(f"the {second} table is the {first} table in another order")
        elif shared.is_suspect:
            said.append(f"the {second} table shares rows with the {first} table: {shared}")
    return said


def overlap(first: Keys, second: Keys) -> Overlap:
    """Return how much of the second table is in the first.

    >>> overlap(np.arange(50, dtype=np.uint64), np.arange(50, dtype=np.uint64)[::-1]).is_copy
    True
    """
    values, counts = np.unique(first, return_counts=True)
    others, other_counts = np.unique(second, return_counts=True)
    found = int(other_counts[np.isin(others, values, assume_unique=True)].sum())
    twice = int(counts[counts > 1].sum())
    same = np.array_equal(values, others) and np.array_equal(counts, other_counts)
    share = twice / len(first)
    return Overlap(found, len(second), share, _most(counts), _chance(counts) if same else 1.0)


def row_keys(table: CodedTable) -> Keys:
    """Return a number per row that is the same for equal rows, and differs for others but by a rare chance.

    >>> from understudy.table.coded import CodedColumn
    >>> keys = row_keys(CodedTable((CodedColumn("x", quantity=True),), {"x": np.array([0.0, 1.0, -0.0])}))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    keys = np.zeros(len(table), dtype=np.uint64)
    for column in table.domain:
        keys = _mixed(keys + _bits(table[column.name]))
    return keys


def _bits(values: npt.NDArray[np.generic]) -> Keys:
    if values.dtype != np.float64:
        return values.astype(np.int64).view(np.uint64)
    # One pattern for every missing value, and one for both zeros.
    canonical = np.where(np.isnan(values), np.nan, values) + 0.0
    return canonical.view(np.uint64)


def _mixed(keys: Keys) -> Keys:
    """Scatter 64 bits (the finalizer of splitmix64, Steele et al. 2014); the odd step keeps columns apart."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def _most(counts: npt.NDArray[np.int64]) -> float:
    """Return the largest share of fresh rows that may plausibly be among rows with these counts.

    Rows that stand there once are what a fresh sample is expected to lack (Good 1953), in number s with a
    variance of s (1 - s / n) + 2 d for d rows that stand there twice; `_Z` deviations of it are allowed.
    """
    rows, single, double = counts.sum(), (counts == 1).sum(), (counts == 2).sum()
    spread = _Z * np.sqrt(single * (1 - single / rows) + 2 * double) + _Z**2
    return float(1 - max(0.0, single - spread) / rows)


def _chance(counts: npt.NDArray[np.int64]) -> float:
    """Return the largest probability that any law gives these counts again: the multinomial at its mode."""
    from scipy import special

    rows = counts.sum()
    ways = special.gammaln(rows + 1) - special.gammaln(counts + 1).sum()
    return float(np.exp(ways + (counts * np.log(counts / rows)).sum()))
