"""PostgreSQL tables and queries, read through COPY in a read-only session.

COPY hands over CSV made by the server, which Arrow parses column by column: no Python object is
made for a cell, and the text of a number is exact. The types come from the server's own description of the
result. A type that has no place in a table is refused with the column's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, final

import pyarrow as pa
import pyarrow.csv as pcsv

from understudy.errors import MissingExtra, SqlError, TooLarge
from understudy.table.arrow_lent import parse_lent
from understudy.table.sql_text import parse_decimals, parse_text
from understudy.table.sql_url import Source
from understudy.table.table import refuse_bad_names

__all__ = ["read_postgres"]

_BLOCK_ROWS = 20_000
_TEXT_TYPES = frozenset({"text", "varchar", "bpchar", "name", "char", "uuid", "citext"})
_TYPES = {
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "oid": pa.uint32(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "interval": pa.duration("us"),
}
_REASONS = {
    "28P01": "the user name or the password was refused",
    "28000": "the user name was refused",
    "3D000": "there is no such database",
    "42P01": "the query names a table that is not there",
    "42703": "the query names a column that is not there",
    "42601": "the query is not one valid SELECT",
    "42501": "permission was refused",
    "25006": "only reading is allowed",
    "57014": "the server cancelled the query",
}
_SESSION = (
    "SET client_encoding TO 'UTF8'",
    "SET TimeZone TO 'UTC'",
    "SET DateStyle TO 'ISO, YMD'",
    "SET extra_float_digits TO 3",  # shortest text that gives the same float back, on servers before 12 too
    # Workers and shared scans hand over rows in another order every time, and a seed must give the same fit.
    "SET max_parallel_workers_per_gather TO 0",
    "SET synchronize_seqscans TO off",
)
# Days, hours, minutes and microseconds are exact; months have no length, so they spoil the number on purpose.
_INTERVAL = (
    "CASE WHEN EXTRACT(YEAR FROM {0}) = 0 AND EXTRACT(MONTH FROM {0}) = 0 THEN"
    " (EXTRACT(DAY FROM {0})::bigint * 86400000000 + EXTRACT(HOUR FROM {0})::bigint * 3600000000"
    " + EXTRACT(MINUTE FROM {0})::bigint * 60000000 + EXTRACT(MICROSECONDS FROM {0})::bigint)::text"
    " WHEN {0} IS NOT NULL THEN 'months' END"
)


@final
@dataclass(frozen=True)
class _Column:
    name: str
    word: str
    kind: pa.DataType | None  # None: a number whose scale is only known once all cells are there

    @property
    def in_csv(self) -> pa.DataType:
        native = self.word in {"bool", "int2", "int4", "int8", "oid", "float4", "float8"}
        return self.kind if native else pa.string()


def read_postgres(source: Source, *, limit_bytes: int) -> pa.Table:
    """Read one table or one query in a session that cannot write."""
    try:
        import psycopg
        import sqlalchemy
    except ImportError:
        raise MissingExtra("sql: psycopg is not installed; run: pip install 'understudy[sql]'") from None
    engine = sqlalchemy.create_engine(source.url, poolclass=sqlalchemy.pool.NullPool, hide_parameters=True)
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    try:
        with engine.connect().execution_options(**options) as connection:
            driver = connection.connection.driver_connection
            for statement in _SESSION:
                connection.exec_driver_sql(statement)
            return _read(driver, _wanted(connection, source), limit_bytes)
    except (sqlalchemy.exc.SQLAlchemyError, psycopg.Error) as error:
        raise _refusal(source, error) from None


def _wanted(connection: Any, source: Source) -> Any:
    from psycopg import sql

    if source.query is not None:
        # The line break keeps a comment at the end of the query from swallowing the bracket.
        return sql.SQL("({}\n) AS q").format(sql.SQL(source.query.strip().rstrip(";")))
    return sql.Identifier(*_find(connection, source))


def _find(connection: Any, source: Source) -> tuple[str, str]:
    import sqlalchemy

    inspector = sqlalchemy.inspect(connection)
    name = source.table or ""
    places = [(inspector.default_schema_name, name)]
    places += [(name[:dot], name[dot + 1 :]) for dot, letter in enumerate(name) if letter == "."]
    schemas = set(inspector.get_schema_names())
    for schema, table in places:
        if schema in schemas and table in _relations(inspector, schema):
            return schema, table
    raise SqlError(f"sql: {source} has no table or view of the name after ?table=; check name and schema.")


def _relations(inspector: Any, schema: str) -> set[str]:
    return {
        *inspector.get_table_names(schema=schema),
        *inspector.get_view_names(schema=schema),
        *inspector.get_materialized_view_names(schema=schema),
        *inspector.get_foreign_table_names(schema=schema),
    }


def _read(driver: Any, wanted: Any, limit_bytes: int) -> pa.Table:
    from psycopg import sql

    columns = _describe(driver, wanted)
    cells = sql.SQL(", ").join([_expression(column) for column in columns])
    copy = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv)").format(cells, wanted)
    with driver.cursor() as cursor, cursor.copy(copy) as stream:
        blocks = [_parse(block, columns) for block in _blocks(stream, limit_bytes)]
    schema = pa.schema([(column.name, column.in_csv) for column in columns])
    table = pa.concat_tables(blocks) if blocks else schema.empty_table()
    arrays = [_converted(column, table.column(place)) for place, column in enumerate(columns)]
    return pa.table(arrays, names=[column.name for column in columns])


def _describe(driver: Any, wanted: Any) -> list[_Column]:
    from psycopg import sql

    with driver.cursor() as cursor:
        # Prepared: the server takes exactly one statement, so a query cannot smuggle in a second one.
        cursor.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(wanted), prepare=True)
        found = list(cursor.description or ())
        cursor.execute(
            "SELECT oid, typname, typtype FROM pg_catalog.pg_type WHERE oid = ANY(%s)",
            ([column.type_code for column in found],),
        )
        words = {oid: "text" if kind == "e" else word for oid, word, kind in cursor.fetchall()}
    if not found:
        raise SqlError("sql: the result has no columns; name at least one.")
    refuse_bad_names([column.name for column in found])
    return [_column(column, words[column.type_code]) for column in found]


def _column(column: Any, word: str) -> _Column:
    if word in _TEXT_TYPES:
        return _Column(column.name, word, pa.string())
    if word == "numeric":
        return _Column(column.name, word, _decimal(column.precision, column.scale))
    if word not in _TYPES:
        raise SqlError(
            f"sql: column {column.name!r} has the type {word}, which has no place in a table; leave it out, "
            "or cast it to text, with ?query=."
        )
    return _Column(column.name, word, _TYPES[word])


def _decimal(precision: int | None, scale: int | None) -> pa.DataType | None:
    if precision is None or scale is None or not 0 <= scale <= precision <= 76:
        return None
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


def _expression(column: _Column) -> Any:
    from psycopg import sql

    name = sql.Identifier(column.name)
    if column.word == "timestamptz":
        return sql.SQL("{} AT TIME ZONE 'UTC'").format(name)
    return sql.SQL(_INTERVAL).format(name) if column.word == "interval" else name


def _blocks(stream: Any, limit_bytes: int) -> Iterator[bytes]:
    total = 0
    rows = iter(stream)  # the server sends one message per row, so a block ends where a row ends
    while block := b"".join(islice(rows, _BLOCK_ROWS)):
        total += len(block)
        if total > limit_bytes:
            raise TooLarge(f"sql: more than {limit_bytes:,} bytes; read a part of it with ?query=.")
        yield block


def _parse(block: bytes, columns: list[_Column]) -> pa.Table:
    # Columns are told apart by place: a hostile name has no chance to be taken for anything else.
    names = [str(place) for place in range(len(columns))]
    try:
        return parse_lent(
            block,
            read=pcsv.ReadOptions(column_names=names, block_size=len(block) + 1),
            parse=pcsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert=pcsv.ConvertOptions(
                column_types={name: column.in_csv for name, column in zip(names, columns, strict=True)},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        ).rename_columns([column.name for column in columns])
    except pa.ArrowException:
        raise SqlError(
            "sql: the server's answer is not valid UTF-8; check the encoding of the database."
        ) from None


def _converted(column: _Column, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    if column.kind is None:
        return parse_decimals(column.name, cells)
    return cells if column.kind == cells.type else parse_text(column.name, cells, column.kind)


def _refusal(source: Source, error: Exception) -> SqlError:
    # The driver's text can hold cells and settings; the state code says what a reader needs.
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None)
    if state is None:
        return SqlError(
            f"sql: {source} cannot be reached, or refuses the connection; check host, port, database, user "
            "and password."
        )
    return SqlError(f"sql: {source}: {_REASONS.get(state, 'the server refused')} (SQLSTATE {state}).")
