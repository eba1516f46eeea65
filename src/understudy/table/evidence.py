"""Evidence: the tables that a judge sees, each in its role, in one code for all of them.

Metrics and attacks read evidence and nothing else. What a column is, is decided once, by the real
tables; the synthetic one is read in the same terms, whatever types its file happened to have.

train      the rows that a synthesizer learned from
holdout    rows of the same population that it did not see
reference  more such rows, for adversaries who have some of their own
synthetic  what is judged
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, final

import pyarrow as pa

from understudy.errors import InputError, SchemaError
from understudy.table.coded import CodedTable
from understudy.table.coding import Coding
from understudy.table.read import read
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["REAL", "Cache", "Evidence", "Role"]

Role = Literal["train", "holdout", "reference", "synthetic"]
REAL: tuple[Role, ...] = ("train", "holdout", "reference")
_T = TypeVar("_T")


class Cache(Protocol):
    """Where what measures share is kept."""

    def find(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what was made under this key before, or make it now."""


@final
class Evidence:
    """Role-typed tables, validated once against one schema.

    `target` is the column that utility measures predict; the last one that can be judged if none is named.
    `cache` is for processes that judge the same tables together; alone, evidence keeps things for itself.

    >>> real = pa.table({"age": [31, 42, 31], "sex": ["F", "M", "F"]})
    >>> evidence = Evidence(train=real, synthetic=pa.table({"age": [40.0], "sex": ["X"]}))
    >>> evidence.coded("synthetic")["sex"].tolist(), evidence.coded("train").column("sex").known
    ([2], 2)
    """

    def __init__(
        self,
        *,
        train: object,
        synthetic: object,
        holdout: object = None,
        reference: object = None,
        schema: Schema | None = None,
        target: str | None = None,
        cache: Cache | None = None,
    ) -> None:
        given = {"train": train, "holdout": holdout, "reference": reference, "synthetic": synthetic}
        self._tables: dict[str, Table] = {
            role: read(data) for role, data in given.items() if data is not None
        }
        for role in ("train", "synthetic"):
            if role not in self._tables:
                raise InputError(f"evidence: a {role} table is needed; got None.")
        _refuse_other_columns(self._tables)
        _refuse_doubles(self._tables)
        self._schema, self._target = schema, target
        self._cache: Cache = _Memory() if cache is None else cache
        if target is not None and target not in self.coding.names:
            raise InputError(f"evidence: the target {target!r} is no column that can be judged.")

    def has(self, role: Role) -> bool:
        """Say whether there is a table in this role."""
        return role in self._tables

    def table(self, role: Role) -> Table:
        """Return a table as it came, or say that it is needed."""
        if role not in self._tables:
            raise InputError(f"evidence: this needs a {role} table; give {role}=... to Evidence.")
        return self._tables[role]

    def coded(self, role: Role) -> CodedTable:
        """Return the judged columns of a table as codes and floats; they cannot be written into."""
        table = self.table(role)
        return self.cached(("coded", role), lambda: _frozen(self.coding.apply(table.to_arrow())))

    @cached_property
    def schema(self) -> Schema:
        """What the columns are, as all real tables together show it; or as it was given."""
        if self._schema is not None:
            return self._schema
        return self.cached(("schema",), lambda: _inferred(self._real()))

    @cached_property
    def coding(self) -> Coding:
        """The one code of all tables."""
        synthetic = self._tables["synthetic"].to_arrow()
        return self.cached(("coding",), lambda: Coding.of(self.schema, self._real(), synthetic))

    @property
    def chose_target(self) -> bool:
        """Whether the caller named the column to predict."""
        return self._target is not None

    @property
    def target(self) -> str:
        """The column to predict."""
        return self._target if self._target is not None else self.coding.names[-1]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What every result has to say about these tables."""
        return self.cached(("notes",), lambda: _said(self._tables, self.coding))

    def cached(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what was made under this key before, by whichever measure, or make it now.

        What is made must follow from these tables and the key alone. One that draws numbers draws them from
        `stream(seed, ...)` with the seed in the key: a measure that went on with its own generator would
        find another state in it whenever the thing was there already.
        """
        return self._cache.find(key, make)

    def _real(self) -> list[pa.Table]:
        return [self._tables[role].to_arrow() for role in REAL if role in self._tables]


@final
class _Memory:
    """Keeps things for one process."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}

    def find(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what was made under this key before, or make it now."""
        if key not in self._made:
            self._made[key] = make()
        found: _T = self._made[key]
        return found


def _inferred(real: list[pa.Table]) -> Schema:
    try:
        whole = pa.concat_tables(real, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise SchemaError("evidence: a column has different types in the real tables.") from None
    return Schema.infer(Table(whole))


def _said(tables: dict[str, Table], coding: Coding) -> tuple[str, ...]:
    twins = [role for role in REAL if role in tables and _same(tables[role], tables["synthetic"])]
    said = [f"the synthetic table is the {role} table, row for row" for role in twins]
    if coding.left_out:
        said.append(f"not judged (ids, free text, ignored): {len(coding.left_out)} columns")
    return tuple(said)


def _frozen(table: CodedTable) -> CodedTable:
    # Many judges read these arrays; one that wrote into them would change what the others see.
    for array in table.arrays.values():
        array.flags.writeable = False
    return table


def _refuse_other_columns(tables: dict[str, Table]) -> None:
    names = set(tables["train"].to_arrow().schema.names)
    for role, table in tables.items():
        if odd := sorted(set(table.to_arrow().schema.names) ^ names):
            raise SchemaError(f"evidence: column {odd[0]!r} is not in both the train and the {role} table.")
        if len(table) == 0:
            raise InputError(f"evidence: the {role} table has no rows.")


def _refuse_doubles(tables: dict[str, Table]) -> None:
    """Refuse a table in two real roles: a judge would take what was seen for unseen."""
    real = [role for role in REAL if role in tables]
    for place, first in enumerate(real):
        for second in real[place + 1 :]:
            if _same(tables[first], tables[second]):
                raise InputError(
                    f"evidence: {first} and {second} are the same table; each role needs rows of its own."
                )


def _same(first: Table, second: Table) -> bool:
    one, other = first.to_arrow(), second.to_arrow()
    return bool(
        one is other or one.select(sorted(one.schema.names)).equals(other.select(sorted(one.schema.names)))
    )
