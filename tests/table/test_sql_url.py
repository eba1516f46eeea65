from __future__ import annotations

import builtins

import pytest

from understudy.errors import MissingExtra, SqlError
from understudy.table.sql_url import parse_url

CANARY = "canary-f00d"


@pytest.mark.parametrize(
    ("url", "query"),
    [
        ("sqlite:///a.db?query=SELECT 1", "SELECT 1"),
        ("sqlite:///a.db?query=SELECT%201", "SELECT 1"),
        ("sqlite:///a.db?query=SELECT a+b FROM t", "SELECT a+b FROM t"),
        ("sqlite:///a.db?query=SELECT%20a%2Bb%20FROM%20t", "SELECT a+b FROM t"),
        ("sqlite:///a.db?query=SELECT+a+FROM+t", "SELECT a FROM t"),
        ("sqlite:///a.db?query=SELECT a FROM t WHERE b = 'x=y?'", "SELECT a FROM t WHERE b = 'x=y?'"),
        ("sqlite:///a.db?query=SELECT 1 %26 2", "SELECT 1 & 2"),
        ("sqlite:///a.db?query=SELECT '100%' AS a", "SELECT '100%' AS a"),
        ("sqlite:///a.db?query=SELECT %27%C3%A9%27", "SELECT 'é'"),
    ],
)
def test_a_query_is_decoded_and_otherwise_left_alone(url, query):
    source = parse_url(url)
    assert (source.query, source.table) == (query, None)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "POSTGRESQL"])
def test_every_spelling_of_postgresql_uses_the_one_driver(scheme):
    source = parse_url(f"{scheme}://me:pw@host:5432/db?table=a.b&sslmode=require")
    assert source.dialect == "postgresql"
    assert source.url.drivername == "postgresql+psycopg"
    assert source.url.query == {"sslmode": "require"}
    assert source.table == "a.b"


BAD = [
    "", "x", "sqlite", "sqlite:", "sqlite:/a.db?table=t", "://a?table=t", "sqlite:///a.db", "sqlite:///a.db?",
    "sqlite:///a.db?table", "sqlite:///a.db?table=", "sqlite:///a.db?query=", "sqlite:///a.db?query=%20",
    "sqlite:///a.db?table=a&query=b", "sqlite:///a.db?table=a&table=b", "sqlite:///a.db?query=a&query=b",
    "sqlite:///a.db?=x", "sqlite:///a.db?table=a&", "sqlite:///a.db?table=a&mode=rw", "sqlite:///a.db?table=%00",
    "sqlite:///a.db?table=%FF", "sqlite:///a.db?query=SELECT 1&2", "mysql://h/d?table=t", "oracle://h/d?table=t",
    "mssql+pyodbc://h/d?table=t", "duckdb:///a?table=t", "http://h/a.csv?table=t", "file:///a.csv?table=t",
    "s3://bucket/a.csv?table=t", "sqlite+aiosqlite:///a.db?table=t", "postgresql+psycopg2://h/d?table=t",
    "postgresql+asyncpg://h/d?table=t", "postgresql://h:port/d?table=t", "postgresql://h/d", "postgresql://",
    "jdbc:postgresql://h/d?table=t", "postgresql://h/d?tables=t", "postgresql://h/d?TABLE=t",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD)
def test_a_url_that_asks_for_nothing_readable_is_refused(url):
    with pytest.raises(SqlError, match="sql: "):
        parse_url(url)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{CANARY}@host/db?table=t",
        f"postgresql://me:{CANARY}@{CANARY}@host/db?table=t",
        f"postgresql://me:a/{CANARY}@host/db?table=t",
        f"postgresql://me:{CANARY}@/db?table=t",
    ],
)
def test_the_password_is_in_no_text_of_a_source(url):
    try:
        source = parse_url(url)
    except SqlError as error:
        assert CANARY not in str(error)  # noqa: PT017 - some are refused, some are not, none may tell
    else:
        assert CANARY not in str(source)
        assert CANARY not in repr(source)


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch):
    real = builtins.__import__

    def without_sqlalchemy(name, *rest):
        if name.startswith("sqlalchemy"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_sqlalchemy)
    with pytest.raises(MissingExtra, match=r"pip install 'understudy\[sql\]'"):
        parse_url("sqlite:///a.db?table=t")
