from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from urllib.parse import quote

import pyarrow as pa
import pytest

from sql_names import hostile_names
from understudy.errors import FrameError, ReadError, SqlError, TooLarge
from understudy.table.sql import read_sql

CANARY = "canary-cell-5e55"


@pytest.fixture
def database(tmp_path):
    """Run a script into a new file, and give back what reads `what` from it."""

    def make(script, rows=(), name="a.db"):
        path = tmp_path / name
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
            connection.commit()
        return lambda what: read_sql(f"sqlite:///{quote(str(path))}?{what}")

    return make


def column(database, declared, cells):
    return database(f"CREATE TABLE t (x {declared})", [(cell,) for cell in cells])("table=t").column("x")


@pytest.mark.parametrize(
    ("declared", "cells", "kind", "values"),
    [
        ("INTEGER", [1, None, 2**63 - 1, -(2**63)], pa.int64(), None),
        ("BIGINT", [2**53 + 1, None], pa.int64(), None),
        ("REAL", [1, 0.1, None], pa.float64(), [1.0, 0.1, None]),
        ("NUMERIC(10,2)", [12.5, 12, None], pa.float64(), [12.5, 12.0, None]),
        ("TEXT", ["a", "", None, "é\n"], pa.string(), None),
        ("VARCHAR(3)", ["00501", "NA", None], pa.string(), None),
        ("BOOLEAN", [1, 0, None], pa.bool_(), [True, False, None]),
        ("DATE", ["2020-02-29", None], pa.date32(), [dt.date(2020, 2, 29), None]),
        ("DATE", ["29/02/2020", None], pa.string(), None),
        ("DATE", [1_600_000_000, None], pa.int64(), None),
        ("DATETIME", ["2020-01-01 10:00:00.5"], pa.timestamp("us"), [dt.datetime(2020, 1, 1, 10, 0, 0,
        500_000)]),
        ("TIMESTAMP", ["2020-01-01T10:00:00"], pa.timestamp("us"), [dt.datetime(2020, 1, 1, 10)]),
        ("TIMESTAMP", ["2020-01-01 10:00:00+02:00"], pa.string(), None),
        ("TIME", ["10:11:12", None], pa.time64("us"), [dt.time(10, 11, 12), None]),
        ("", ["a", None], pa.string(), None),
        ("", [1, None], pa.int64(), None),
        ("INTEGER", [None, None], pa.int64(), None),
        ("DOUBLE", [None], pa.float64(), None),
        ("TEXT", [None], pa.string(), None),
        ("BOOLEAN", [None], pa.bool_(), None),
        ("WEIRD TYPE", ["a"], pa.string(), None),
    ],
)  # fmt: skip
def test_a_column_keeps_its_exact_cells(database, declared, cells, kind, values):
    found = column(database, declared, cells)
    assert found.type == kind
    assert found.to_pylist() == (cells if values is None else values)


@pytest.mark.parametrize(
    ("declared", "cells"),
    [
        ("INTEGER", [1, CANARY]), ("", [1, CANARY]), ("", [1.5, CANARY]), ("TEXT", [b"x"]), ("BLOB", [b"x",
        None]),
        ("", [2**60, 1.5]), ("BOOLEAN", [1, 2]), ("BOOLEAN", [-1, None]), ("REAL", [1.5, CANARY]),
        ("INTEGER", [b"1"]),
        ("DATE", ["2020-01-01", 5]),
    ],
)  # fmt: skip
def test_cells_of_different_types_are_refused_by_column_and_never_shown(database, declared, cells):
    with pytest.raises(SqlError, match="'x'") as caught:
        column(database, declared, cells)
    assert CANARY not in str(caught.value)


def test_types_that_differ_between_blocks_are_noticed_too(database):
    cells = [1] * 20_000 + [CANARY]
    with pytest.raises(SqlError, match="'x'"):
        column(database, "", cells)
    assert column_of_blocks(database, [1] * 20_000 + [None] * 20_000 + [1.5]).type == pa.float64()
    with pytest.raises(SqlError, match="'x'"):
        column_of_blocks(database, [2**60] * 20_000 + [1.5])


def column_of_blocks(database, cells):
    name = f"{len(cells)}{cells[0]}.db"
    return database("CREATE TABLE t (x)", [(cell,) for cell in cells], name)("table=t").column("x")


def test_text_that_is_no_utf8_is_refused_and_never_shown(database):
    read = database(f"CREATE TABLE t (x TEXT); INSERT INTO t VALUES (CAST(x'ff' || '{CANARY}' AS TEXT))")
    with pytest.raises(ReadError) as caught:
        read("table=t")
    assert CANARY not in str(caught.value)


def test_a_view_and_generated_columns_are_read(database):
    read = database(
        "CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1)); INSERT INTO t VALUES (1);"
        "CREATE VIEW v AS SELECT a AS c FROM t"
    )
    assert read("table=v").to_pydict() == {"c": [1]}
    assert read("table=t").to_pydict() == {"a": [1], "b": [2]}


def test_a_table_without_rows_keeps_its_columns(database):
    table = database("CREATE TABLE t (a INTEGER, b TEXT)")("table=t")
    assert table.schema.types == [pa.int64(), pa.string()]


def test_more_bytes_than_the_cap_are_refused(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT zeroblob(1) AS b, 'text' AS x")
        connection.commit()
    with pytest.raises(TooLarge):
        read_sql(f"sqlite:///{tmp_path}/a.db?query=SELECT x FROM t", limit_bytes=3)


QUERIES = [
    "DROP TABLE t", "DELETE FROM t", "INSERT INTO t VALUES (2)", "UPDATE t SET a = 2", "CREATE TABLE u (a)",
    "PRAGMA user_version = 5", "PRAGMA table_info(t)", "ATTACH 'other.db' AS o", "VACUUM",
    "VACUUM INTO 'copy.db'",
    "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "SELECT * FROM gone", "SELECT gone FROM t", "SELECT",
    "garbage",
    "BEGIN", "COMMIT", "SELECT load_extension('x')", "WITH x AS (DELETE FROM t) SELECT 1",
    "SELECT 1 AS a, 2 AS a", "SELECT x'00' AS b", "CREATE TEMP TABLE u (a)", "REINDEX", "ANALYZE",
    "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')", "-- nothing", "SELECT 1 AS ''",
    "SELECT ?",
    "SELECT :a", "SELECT edit('x')",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_anything_but_one_select_is_refused_and_changes_nothing(database, tmp_path, monkeypatch, query):
    monkeypatch.chdir(tmp_path)
    read = database("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises((SqlError, FrameError)):
        read(f"query={quote(query)}")
    assert (tmp_path / "a.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_selects_of_every_shape_are_read(database):
    read = database("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)")
    assert read("query=SELECT a + 1 AS b FROM t ORDER BY 1;").to_pydict() == {"b": [2, 3]}
    assert read("query=WITH u AS (SELECT a FROM t) SELECT max(a) AS m FROM u").to_pydict() == {"m": [2]}
    assert read("query=VALUES (1)").num_rows == 1
    recursive = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i FROM n"
    assert read(f"query={quote(recursive)}").to_pydict() == {"i": [1, 2, 3]}


def test_a_missing_file_is_refused_and_not_created(tmp_path):
    for name in ("gone.db", "gone/gone.db", "", ":memory:", "file:x?mode=rwc"):
        with pytest.raises(SqlError):
            read_sql(f"sqlite:///{tmp_path / name if name.startswith('gone') else quote(name)}?table=t")
    with pytest.raises(SqlError):
        read_sql("sqlite://?table=t")
    with pytest.raises(SqlError):
        read_sql(f"sqlite:///{tmp_path}?table=t")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "a.db"
    for content in (b"a,b\n1,2\n" * 100, b"SQLite format 3\0" + b"\1" * 1000):
        path.write_bytes(content)
        with pytest.raises(SqlError, match=r"SQLite"):
            read_sql(f"sqlite:///{path}?table=t")


def test_an_odd_path_is_opened_as_it_is(database):
    read = database("CREATE TABLE t (a); INSERT INTO t VALUES (1)", name="o d%d#é.db")
    assert read("table=t").to_pydict() == {"a": [1]}


def test_system_tables_are_not_tables(database):
    read = database("CREATE TABLE t (a)")
    for name in ("sqlite_master", "sqlite_schema", "main.t", "T", "gone", "pragma_table_info"):
        with pytest.raises(SqlError, match="no table"):
            read(f"table={name}")


def test_hostile_table_and_column_names_are_read_exactly(tmp_path):
    names, path = hostile_names(), tmp_path / "a.db"
    assert len(names) >= 190
    made = []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE witness (a)")
        for number, name in enumerate(names):
            quoted = '"' + name.replace('"', '""') + '"'
            with contextlib.suppress(sqlite3.OperationalError):  # names that differ in case only exist once
                connection.execute(f"CREATE TABLE {quoted} ({quoted} INTEGER)")
                connection.execute(f"INSERT INTO {quoted} VALUES ({number})")
                made.append((number, name))
        connection.commit()
    assert len(made) >= 180
    for number, name in made:
        table = read_sql(f"sqlite:///{path}?table={quote(name)}")
        assert table.to_pydict() == {name: [number]}
    for number, name in made:
        with pytest.raises(SqlError, match="no table"):
            read_sql(f"sqlite:///{path}?table={quote(name + chr(34))}{number}")
    assert read_sql(f"sqlite:///{path}?table=witness").num_rows == 0
