from __future__ import annotations

import builtins
import datetime as dt
from decimal import Decimal
from urllib.parse import quote

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

import postgres
from sql_names import hostile_names
from understudy.errors import FrameError, MissingExtra, ReadError, SqlError, TooLarge
from understudy.table.sql import read_sql

CANARY = "canary-cell-d00f"


@pytest.fixture
def run(server):
    """Run statements as the owner, in a schema of their own that is dropped afterwards."""
    with server.connect() as connection:
        connection.execute("DROP SCHEMA IF EXISTS own CASCADE; CREATE SCHEMA own; SET search_path TO own")
        yield connection.execute
        connection.execute("DROP SCHEMA own CASCADE")


def select(server, query):
    return read_sql(server.url(f"query={quote(query)}"))


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        ("true", pa.bool_(), True),
        ("1::int2", pa.int16(), 1),
        ("-7::int4", pa.int32(), -7),
        ("9223372036854775807::int8", pa.int64(), 2**63 - 1),
        ("4000000000::oid", pa.uint32(), 4_000_000_000),
        ("0.5::real", pa.float32(), 0.5),
        ("0.1::float8", pa.float64(), 0.1),
        ("5e-324::float8", pa.float64(), 5e-324),
        ("'Infinity'::float8", pa.float64(), float("inf")),
        ("'NaN'::float8", pa.float64(), None),
        ("12.50::numeric(12,2)", pa.decimal128(12, 2), Decimal("12.50")),
        ("1.5::numeric", pa.decimal128(38, 1), Decimal("1.5")),
        (f"{10**50}.5::numeric(60,2)", pa.decimal256(60, 2), Decimal(f"{10**50}.5")),
        (f"{10**70}::numeric", pa.decimal256(76, 0), Decimal(10**70)),
        ("'a\"b'", pa.string(), 'a"b'),
        ("E'a\\nb\\\\.'", pa.string(), "a\nb\\."),
        ("''", pa.string(), ""),
        ("'NULL'", pa.string(), "NULL"),
        ("E'\\\\.'", pa.string(), "\\."),
        ("'ab'::char(4)", pa.string(), "ab  "),
        ("'é🙂'::varchar(10)", pa.string(), "é🙂"),
        ("'00000000-0000-0000-0000-00000000000A'::uuid", pa.string(), "00000000-0000-0000-0000-00000000000a"),
        ("DATE '2020-02-29'", pa.date32(), dt.date(2020, 2, 29)),
        ("DATE '0001-01-01'", pa.date32(), dt.date(1, 1, 1)),
        ("TIME '23:59:59.999999'", pa.time64("us"), dt.time(23, 59, 59, 999_999)),
        ("TIMESTAMP '2020-01-01 10:00:00.000001'", pa.timestamp("us"), dt.datetime(2020, 1, 1, 10, 0, 0, 1)),
        (
            "TIMESTAMPTZ '2020-06-01 00:00:00+02'",
            pa.timestamp("us", "UTC"),
            dt.datetime(2020, 5, 31, 22, tzinfo=dt.UTC),
        ),
        ("INTERVAL '1 day 02:03:04.000005'", pa.duration("us"), dt.timedelta(1, 7384, 5)),
        ("INTERVAL '-1 day 02:00'", pa.duration("us"), dt.timedelta(days=-1, hours=2)),
        ("INTERVAL '-0.000001 seconds'", pa.duration("us"), dt.timedelta(microseconds=-1)),
        ("INTERVAL '1000000 days'", pa.duration("us"), dt.timedelta(days=1_000_000)),
        ("NULL::int4", pa.int32(), None),
        ("'x'::name", pa.string(), "x"),
    ],
)
def test_a_cell_keeps_its_exact_value(server, expression, kind, value):
    rows = f"generate_series(1, 2) i LEFT JOIN (SELECT 1 AS j, {expression} AS x) v ON v.j = i"
    table = select(server, f"SELECT v.x FROM {rows} ORDER BY i")
    assert table.schema.field("x").type == kind
    assert table.column("x").to_pylist() == [value, None]


@pytest.mark.parametrize(
    "expression",
    [
        "'x'::bytea", "'{}'::json", "'{}'::jsonb", "ARRAY[1]", "ARRAY['a']", "'10:00+02'::timetz",
        "'1'::bit(1)",
        "'<a/>'::xml", "int4range(1, 2)", "'1.2.3.4'::inet", "point(1, 2)", "ROW(1, 2)", "1::money",
        "INTERVAL '1 month'", "INTERVAL '-1 year'", "DATE 'infinity'", "TIMESTAMP '-infinity'",
        "TIMESTAMPTZ 'infinity'", "DATE '0044-03-15 BC'", "DATE '12000-01-01'", "TIME '24:00'",
        "'NaN'::numeric",
        "'Infinity'::numeric", "'NaN'::numeric(5,2)", "'a'::tsvector", "1e100::numeric",
    ],
)  # fmt: skip
def test_a_type_or_value_without_a_place_is_refused_by_column(server, expression):
    with pytest.raises(SqlError, match="'the column'"):
        select(server, f'SELECT {expression} AS "the column"')


QUERIES = [
    "DROP TABLE own.t", "DELETE FROM own.t", "INSERT INTO own.t VALUES (2) RETURNING a", "TRUNCATE own.t",
    "UPDATE own.t SET a = 2 RETURNING a", "CREATE TABLE own.u (a int)", "SELECT 1 AS a; SELECT 2 AS b",
    "SELECT 1) AS q; DROP TABLE own.t; SELECT * FROM (SELECT 1", "SELECT 1 AS a; DROP TABLE own.t",
    "SELECT", "",
    "SELECT * FROM gone", "SELECT gone FROM own.t", "garbage", "COMMIT", "SET search_path TO own", "SHOW ALL",
    "WITH d AS (DELETE FROM own.t RETURNING a) SELECT a FROM d", "SELECT 1 AS a, 2 AS a", "SELECT 1 AS \" \"",
    "COPY own.t TO STDOUT", "EXPLAIN SELECT 1", "SELECT setval('own.s', 5)", "SELECT 1 INTO own.u",
    "LOCK own.t",
    "SELECT 1/0 AS a", "SELECT CAST('canary-cell-d00f' AS int) AS a", "SELECT $1", "SELECT %s",
    "SELECT 1 AS a /*",
    "SELECT * FROM own.t FOR UPDATE", "SELECT nextval('own.s') AS a", "SELECT pg_sleep(", "VALUES (",
    "DO $$ BEGIN END $$",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_anything_but_one_select_is_refused_and_changes_nothing(server, run, query):
    run("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE SEQUENCE s")
    with pytest.raises((SqlError, FrameError)) as caught:
        select(server, query)
    assert CANARY not in str(caught.value)
    assert run("SELECT a FROM t").fetchall() == [(1,)]
    assert run("SELECT count(*) FROM pg_tables WHERE schemaname = 'own'").fetchone() == (1,)


def test_selects_of_every_shape_are_read(server, run):
    run("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)")
    assert select(server, "SELECT a + 1 AS b FROM own.t ORDER BY 1;").to_pydict() == {"b": [2, 3]}
    assert select(server, "SELECT a FROM own.t WHERE a::text LIKE '1%' -- comment").to_pydict() == {"a": [1]}
    assert select(server, "SELECT '%s {} {0}' AS a").to_pydict() == {"a": ["%s {} {0}"]}
    assert select(server, "WITH u AS (SELECT 1 AS a) SELECT a FROM u").to_pydict() == {"a": [1]}
    assert select(server, "VALUES (1)").num_rows == 1
    assert select(server, "TABLE own.t").num_rows == 2


def test_tables_views_and_schemas_are_found(server, run):
    run("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t")
    run("CREATE MATERIALIZED VIEW m AS SELECT a FROM t; CREATE TABLE p (a int) PARTITION BY LIST (a)")
    run("CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); INSERT INTO p VALUES (1)")
    run("""CREATE TABLE "a.b" (a int); CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN d AS int""")
    run("CREATE TABLE e (m mood, d d, s serial); INSERT INTO e VALUES ('ok', 3)")
    for name in ("t", "v", "m", "p"):
        assert read_sql(server.url(f"table=own.{name}")).to_pydict() == {"a": [1]}
    assert read_sql(server.url("table=own.a.b")).num_rows == 0
    assert read_sql(server.url("table=own.e")).to_pydict() == {"m": ["ok"], "d": [3], "s": [1]}
    for name in ("t", "own.gone", "gone.t", "own.T", "own.", ".t", "own.t; DROP TABLE own.t", '"own"."t"'):
        with pytest.raises(SqlError, match="no table"):
            read_sql(server.url(f"table={quote(name)}"))


def test_a_table_in_the_default_schema_needs_no_schema(server):
    with server.connect() as connection:
        connection.execute("CREATE TABLE public.plain (a int); INSERT INTO public.plain VALUES (1)")
    assert read_sql(server.url("table=plain")).to_pydict() == {"a": [1]}
    assert read_sql(server.socket_url("table=public.plain")).to_pydict() == {"a": [1]}


def test_many_rows_come_in_blocks(server):
    table = select(
        server, "SELECT i, NULLIF(i % 7, 0) AS j, repeat('x', i % 5) AS s FROM generate_series(1, 50001) i"
    )
    assert table.num_rows == 50_001
    assert table.column("i").to_pylist() == list(range(1, 50_002))
    assert table.column("s").to_pylist()[:6] == ["x", "xx", "xxx", "xxxx", "", "x"]
    assert table.column("j").null_count == 7143


def test_a_single_column_of_missing_and_empty_text_keeps_both(server):
    query = "SELECT x FROM (VALUES (1, NULL), (2, ''), (3, 'a'), (4, NULL)) t(i, x) ORDER BY i"
    assert select(server, query).column("x").to_pylist() == [None, "", "a", None]


def test_a_cell_of_many_megabytes_is_read(server):
    assert len(select(server, "SELECT repeat('ab', 5000000) AS x").column("x")[0].as_py()) == 10_000_000


def test_more_bytes_than_the_cap_are_refused(server):
    with pytest.raises(TooLarge):
        read_sql(server.url("query=SELECT repeat('x', 1000) AS x"), limit_bytes=500)


def test_an_empty_table_keeps_its_types(server):
    table = select(server, "SELECT 1::int2 AS a, 'x' AS b, 1.5::numeric(5,2) AS c, now() AS d WHERE false")
    assert table.schema.types == [pa.int16(), pa.string(), pa.decimal128(5, 2), pa.timestamp("us", "UTC")]


def test_hostile_table_and_column_names_are_read_exactly(server, run):
    made = []
    for number, name in enumerate(hostile_names()):
        statement = sql.SQL("CREATE TABLE own.{0} ({0} int); INSERT INTO own.{0} VALUES ({1})")
        try:
            run(statement.format(sql.Identifier(name), sql.Literal(number)))
        except psycopg.Error:  # longer than PostgreSQL allows
            continue
        made.append((number, name))
    assert len(made) >= 180
    for number, name in made[::4]:
        table = read_sql(server.url(f"table=own.{quote(name)}"))
        assert table.to_pydict() == {name: [number]}
    for _, name in made[::20]:
        with pytest.raises(SqlError, match="no table"):
            read_sql(server.url(f"table=own.{quote(name)}%22"))
    assert run("SELECT count(*) FROM pg_tables WHERE schemaname = 'own'").fetchone() == (len(made),)


def test_a_password_appears_in_no_message(server):
    urls = [
        server.url("table=gone"),
        server.url("query=garbage"),
        server.url("table=t", database="gone"),
        server.url("table=t&sslmode=nonsense"),
        server.url("table=t&nonsense=1"),
        server.url("table=t").replace(str(server.port), "1"),
        server.url("table=t").replace("127.0.0.1", "host.invalid"),
        server.url("table=t", password=CANARY),
    ]
    for url in urls:
        with pytest.raises(SqlError) as caught:
            read_sql(url)
        said = f"{caught.value} {caught.value!r} {caught.value.__cause__} {caught.value.args}"
        assert postgres.PASSWORD not in said
        assert quote(postgres.PASSWORD, safe="") not in said
        assert CANARY not in said


def test_nothing_stays_open_on_the_server(server):
    select(server, "SELECT 1 AS a")
    with pytest.raises(ReadError):
        select(server, "garbage")
    with server.connect() as connection:
        others = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        count = f"SELECT count(*) FROM pg_stat_activity WHERE {others}"
        for _ in range(50):
            open_ones = connection.execute(count).fetchone()
            if open_ones == (0,):
                break
            connection.execute("SELECT pg_sleep(0.05)")
    assert open_ones == (0,)


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch):
    real = builtins.__import__

    def without_psycopg(name, *rest):
        if name == "psycopg":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_psycopg)
    with pytest.raises(MissingExtra, match=r"pip install 'understudy\[sql\]'"):
        read_sql("postgresql://h/d?table=t")
