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
from typing import Any, Protocol, TypeVar, final

import pyarrow as pa

from understudy.errors import InputError
from understudy.table.agreement import gather
from understudy.table.arrow_plain import plain
from understudy.table.coded import CodedTable
from understudy.table.coding import Coding, cut_short
from understudy.table.counted import counted
from understudy.table.infer import infer_as_typed
from understudy.table.read import read
from understudy.table.reading import Reading
from understudy.table.roles import REAL, Role, refuse_unfit_tables, row_keys, said_of_roles
from understudy.table.schema import Schema
from understudy.table.spelled import spelled_alike
from understudy.table.table import Table

__all__ = ["REAL", "Cache", "Evidence", "Role"]

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
        for role in ("train", "synthetic"):
            if given[role] is None:
                raise InputError(f"evidence: a {role} table is needed; got None.")
        if schema is not None and not isinstance(schema, Schema):
            raise InputError(f"evidence: schema must be a Schema; got {type(schema).__name__}.")
        roles: list[Role] = [role for role in (*REAL, "synthetic") if given[role] is not None]
        self._tables = dict(
            zip(roles, _spelled([_plain_table(role, given[role]) for role in roles]), strict=True)
        )
        self._schema, self._target = schema, target
        self._cache: Cache = _Memory() if cache is None else cache
        # Processes that share a cache find these: the tables are validated once.
        self.notes: tuple[str, ...] = self.cached(("notes",), self._validated)
        if target is not None and target not in self.coding.names:
            raise InputError(f"evidence: the target {target!r} is no column that can be judged.")

    def has(self, role: Role) -> bool:
        """Say whether there is a table in this role."""
        return role in self._tables

    def table(self, role: Role) -> Table:
        """Return a table, text that spells times in all of them read as such; or say that it is needed."""
        if role not in self._tables:
            raise InputError(f"evidence: this needs a {role} table; give --{role}, or {role}= in Python.")
        return self._tables[role]

    def coded(self, role: Role) -> CodedTable:
        """Return the judged columns of a table as codes and floats; they cannot be written into."""
        table = self.table(role)
        return self.cached(("coded", role), lambda: _frozen(self.coding.apply(table.to_arrow())))

    @cached_property
    def schema(self) -> Schema:
        """What the columns are, as all real tables together show it; or as it was given."""
        return self.cached(("schema",), lambda: _schema_of(self._schema, self._real()))

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

    def cached(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what was made under this key before, by whichever measure, or make it now.

        What is made must follow from these tables and the key alone. One that draws numbers draws them from
        `stream(seed, ...)` with the seed in the key: a measure that went on with its own generator would
        find another state in it whenever the thing was there already.
        """
        return self._cache.find(key, make)

    def _real(self) -> list[pa.Table]:
        return [self._tables[role].to_arrow() for role in REAL if role in self._tables]

    def _validated(self) -> tuple[str, ...]:
        """Refuse tables that do not fit each other or their roles; return what every result has to say."""
        refuse_unfit_tables(self._tables, self._schema)
        keys = {role: row_keys(self.coded(role)) for role in self._tables}
        said = said_of_roles(keys)
        if self.coding.left_out:
            said.append(
                f"not judged (ids, free text, ignored): {counted(len(self.coding.left_out), 'column')}"
            )
        if far := sorted({name for role in self._tables for name in cut_short(self.coded(role))}):
            said.append(f"infinite or extremely far cells, their distances are cut short: {', '.join(far)}")
        return tuple(said)


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


def _plain_table(role: Role, data: object) -> Table:
    table = Reading().stand_in(data) if role == "synthetic" else read(data)
    return Table(plain(table.to_arrow()), table.frame) if isinstance(data, Table) else table


def _spelled(tables: list[Table]) -> list[Table]:
    """Return the tables in one reading: a frame may hold as text what a file's reader takes for dates."""
    alike = spelled_alike([table.to_arrow() for table in tables])
    pairs = zip(alike, tables, strict=True)
    return [Table(arrow, table.frame, condition=table.condition) for arrow, table in pairs]


def _schema_of(given: Schema | None, real: list[pa.Table]) -> Schema:
    """Return what the real rows show, or what was given with the types filled in that it leaves open."""
    if given is None:
        return infer_as_typed(gather(real, real[0].schema.names))
    kinds = gather(real, [column.name for column in given.columns if column.kind != "ignore"]).schema
    open_ = {c.name for c in given.columns if c.type is None and c.kind != "ignore"}
    return given.model_copy(
        update={
            "columns": tuple(
                c.model_copy(update={"type": str(kinds.field(c.name).type)}) if c.name in open_ else c
                for c in given.columns
            )
        }
    )


def _frozen(table: CodedTable) -> CodedTable:
    # Many judges read these arrays; one that wrote into them would change what the others see.
    for array in table.arrays.values():
        array.flags.writeable = False
    return table
