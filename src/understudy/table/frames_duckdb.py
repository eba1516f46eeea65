"""duckdb relations, in and out.

A relation belongs to a connection, and a connection cannot be stored in a model. So a relation is
given back on duckdb's default connection, as `duckdb.sql` would, over rows held in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import FrameError, MissingExtra
from understudy.table.frames_arrow import retyped

if TYPE_CHECKING:
    from understudy.table.frames import FrameColumn

__all__ = ["ingest", "restore"]

_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_KNOWN = frozenset({
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "UBIGINT",
    "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "ENUM", "UUID", "DATE", "TIME", "TIMESTAMP",
    "TIMESTAMP_S",
    "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE",
})  # fmt: skip
_OWN = ("HUGEINT", "UHUGEINT", "UUID", "ENUM")  # types that Arrow does not tell apart from its own


def ingest(_kind: str, relation: Any) -> tuple[pa.Table, list[str]]:
    """Run the relation; return its rows as Arrow and its types as text."""
    import duckdb

    dtypes = [_text(name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)]
    try:
        arrow = relation.to_arrow_table()
    except (duckdb.Error, pa.ArrowException) as error:
        raise FrameError(
            f"duckdb: the relation could not be read ({type(error).__name__}); "
            "check that its connection is open."
        ) from None
    return arrow, dtypes


def restore(_kind: str, arrow: pa.Table, columns: Sequence[FrameColumn]) -> Any:
    """Return a relation on duckdb's default connection with the types that `columns` name."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb: not installed; run: pip install duckdb") from None
    table = retyped(arrow, columns)
    relation = duckdb.from_arrow(table)
    wanted = {column.name: column.dtype for column in columns}
    return relation.project(
        ", ".join(_expression(name, table, wanted.get(name, "")) for name in table.schema.names)
    )


def _text(name: str, text: str) -> str:
    word = text.partition("(")[0]
    if word not in _KNOWN or text.endswith("]"):
        raise FrameError(
            f"duckdb: column {name!r} has a type that has no place in a table; leave it out, "
            "or cast it to VARCHAR."
        )
    return "ENUM" if word == "ENUM" else text  # the levels of an ENUM are data


def _expression(name: str, table: pa.Table, dtype: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if dtype not in _OWN or (dtype == "UUID" and not _are_uuids(table.column(name))):
        return quoted
    target = _enum(table.column(name)) if dtype == "ENUM" else dtype
    return f"CAST({quoted} AS {target}) AS {quoted}"


def _are_uuids(column: pa.ChunkedArray) -> bool:
    # A made-up id need not be a valid UUID; a cast that fails when the caller reads would be a trap.
    return bool(pc.all(pc.match_substring_regex(column, _UUID), min_count=0).as_py())


def _enum(column: pa.ChunkedArray) -> str:
    column = column.unify_dictionaries()
    levels = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    if not levels:
        return "VARCHAR"
    return "ENUM(" + ", ".join("'" + level.replace("'", "''") + "'" for level in levels) + ")"
