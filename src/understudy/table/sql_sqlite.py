"""SQLite tables and queries, read from a file opened for reading only.

SQLite lets every cell have a type of its own. A column whose cells are all of one type is taken as it is;
whole numbers and floats together become floats when that is exact; text and numbers together are refused.
The declared type decides what text and numbers stand for (a date, a truth value), and never changes a cell.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SqlError, TooLarge
from understudy.table.sql_text import parse_text
from understudy.table.sql_url import Source
from understudy.table.table import refuse_bad_names

__all__ = ["read_sqlite"]

_BLOCK_ROWS = 20_000
_EXACT = 2**53  # up to here a float holds every whole number
_TIMES = {
    "DATE": pa.date32(),
    "DATETIME": pa.timestamp("us"),
    "TIMESTAMP": pa.timestamp("us"),
    "TIME": pa.time64("us"),
}
_ARROW = {int: pa.int64(), float: pa.float64(), str: pa.string()}
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33}  # 33: SQLITE_RECURSIVE
_REASONS = {
    "SQLITE_NOTADB": "the file is not a SQLite database",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_CANTOPEN": "the file cannot be opened",
    "SQLITE_BUSY": "the file is locked by another program",
    "SQLITE_AUTH": "only SELECT is allowed",
    "SQLITE_ERROR": "the query is not one valid SELECT over tables and columns that are there",
}


def read_sqlite(source: Source, *, limit_bytes: int) -> pa.Table:
    """Read one table or one query; the file is never created and never written."""
    path = _existing(source)
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            return _read(connection, source, limit_bytes)
        finally:
            connection.close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        # The text of some of these errors quotes a cell, so only the code of the error is passed on.
        code = getattr(error, "sqlite_errorname", type(error).__name__)
        raise SqlError(f"sql: {source}: {_REASONS.get(code, 'SQLite refused')} ({code}).") from None


def _existing(source: Source) -> Path:
    name = source.url.database
    if not name or name == ":memory:" or name.startswith("file:"):
        raise SqlError("sql: the URL names no file; write sqlite:///people.db?table=visits.")
    path = Path(name)
    try:
        found = path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise SqlError(f"sql: there is no file {name!r}; check the path (an absolute one has four slashes).")
    return path.resolve()


def _read(connection: sqlite3.Connection, source: Source, limit_bytes: int) -> pa.Table:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    declared: dict[str, str] = {}
    statement = (source.query or "").strip().rstrip(";")
    if source.table is not None:
        statement, declared = _select(connection, source)
    connection.set_authorizer(_authorize)
    cursor = connection.execute(statement)
    names = [column[0] for column in cursor.description or ()]
    if not names:
        raise SqlError("sql: the query gives no columns; only SELECT is allowed.")
    refuse_bad_names(names)
    blocks = list(_blocks(cursor, names, limit_bytes))
    columns = [
        _column(name, [block[place] for block in blocks], declared.get(name, ""))
        for place, name in enumerate(names)
    ]
    return pa.table(columns, names=names)


def _select(connection: sqlite3.Connection, source: Source) -> tuple[str, dict[str, str]]:
    from sqlalchemy.dialects import sqlite

    catalogue = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?"
    if (source.table or "").startswith("sqlite_") or not connection.execute(
        catalogue, (source.table,)
    ).fetchall():
        raise SqlError(f"sql: {source} has no table or view of the name after ?table=; check the name.")
    columns = "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1"
    declared = {name: str(kind).upper() for name, kind in connection.execute(columns, (source.table,))}
    quoted = sqlite.dialect().identifier_preparer.quote_identifier(source.table or "")
    return f"SELECT * FROM {quoted}", declared  # noqa: S608 - the name is in the catalogue, and quoted


def _authorize(action: int, *_details: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _blocks(cursor: sqlite3.Cursor, names: list[str], limit_bytes: int) -> Iterator[list[pa.Array]]:
    total = 0
    while rows := cursor.fetchmany(_BLOCK_ROWS):
        columns = list(zip(*rows, strict=True))
        block = [_array(name, cells) for name, cells in zip(names, columns, strict=True)]
        total += sum(array.nbytes for array in block)
        if total > limit_bytes:
            raise TooLarge(f"sql: more than {limit_bytes:,} bytes; read a part of it with ?query=.")
        yield block


def _array(name: str, cells: tuple[Any, ...]) -> pa.Array:
    found = set(map(type, cells)) - {type(None)}
    if bytes in found:
        raise SqlError(
            f"sql: column {name!r} holds binary values; leave it out, or cast it to text, with ?query=."
        )
    if str in found and len(found) > 1:
        raise _mixed(name)
    if not found:
        return pa.nulls(len(cells))
    if found == {int, float}:
        whole = [cell for cell in cells if type(cell) is int]
        _refuse_inexact(name, max(whole), min(whole))
    kind = float if float in found else found.pop()
    return pa.array(cells, type=_ARROW[kind])


def _column(name: str, chunks: list[pa.Array], declared: str) -> pa.ChunkedArray:
    found = {chunk.type for chunk in chunks} - {pa.null()}
    if pa.string() in found and len(found) > 1:
        raise _mixed(name)
    if len(found) > 1:
        ends = [pc.min_max(chunk).as_py() for chunk in chunks if chunk.type == pa.int64()]
        _refuse_inexact(name, max(end["max"] for end in ends), min(end["min"] for end in ends))
    kind = _affinity(declared) if not found else pa.float64() if len(found) > 1 else found.pop()
    column = pa.chunked_array([chunk.cast(kind) for chunk in chunks], type=kind)
    return _declared(name, column, declared.partition("(")[0].strip())


def _declared(name: str, column: pa.ChunkedArray, word: str) -> pa.ChunkedArray:
    if word in {"BOOLEAN", "BOOL"} and column.type == pa.int64():
        ends = pc.min_max(column).as_py()
        if ends["min"] is not None and (ends["min"] < 0 or ends["max"] > 1):
            raise SqlError(f"sql: column {name!r} is declared {word} but holds numbers other than 0 and 1.")
        return column.cast(pa.bool_())
    if word in _TIMES and column.type == pa.string():
        try:
            return parse_text(name, column, _TIMES[word])
        except SqlError:
            return column  # text in another form than ISO 8601: kept as the text that it is
    return column


def _affinity(declared: str) -> pa.DataType:
    # A column without any cell has only its declaration; the rules are SQLite's own.
    if "INT" in declared or declared.startswith("BOOL"):
        return pa.int64()
    return pa.float64() if any(word in declared for word in ("REAL", "FLOA", "DOUB")) else pa.string()


def _refuse_inexact(name: str, largest: int, smallest: int) -> None:
    if largest > _EXACT or smallest < -_EXACT:
        raise SqlError(
            f"sql: column {name!r} mixes floats with whole numbers too large for a float; cast it."
        )


def _mixed(name: str) -> SqlError:
    return SqlError(f"sql: column {name!r} mixes text and numbers; cast it to one type with ?query=.")
