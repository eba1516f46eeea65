"""What a database URL asks for: which server or file, and which table or query.

The part after `?` follows URL rules: `&` separates, `%20` is a space. A plus sign is a plus sign, since
`SELECT a+b` must not turn into `SELECT a b`; only a query that has no space at all is taken to be
form-encoded, with `+` for a space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, final
from urllib.parse import unquote, unquote_plus

from understudy.errors import MissingExtra, SqlError

__all__ = ["Source", "parse_url"]

_DIALECTS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "postgresql+psycopg": "postgresql",
}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HOST = re.compile(r"[A-Za-z0-9._:-]+")


@final
@dataclass(frozen=True)
class Source:
    """A parsed URL; its text never shows the password."""

    dialect: str
    where: str
    table: str | None
    query: str | None
    url: Any = field(repr=False)

    def __str__(self) -> str:
        return self.where


def parse_url(text: str) -> Source:
    """Take a database URL apart; exactly one of ?table= and ?query= must be given.

    >>> parse_url("sqlite:///people.db?table=visits").table
    'visits'
    """
    front, mark, tail = text.partition("?")
    dialect = _dialect(front)
    options = _options(tail) if mark else {}
    table, query = options.pop("table", None), options.pop("query", None)
    if (table is None) == (query is None):
        raise SqlError("sql: give exactly one of ?table=NAME and ?query=SELECT ... at the end of the URL.")
    if not (table or query or "").strip() or "\0" in (table or query or ""):
        raise SqlError("sql: the name after ?table= or the text after ?query= is empty or holds a NUL.")
    if dialect == "sqlite" and options:
        raise SqlError(f"sql: SQLite takes no setting {sorted(options)[0]!r} in the URL; leave it out.")
    url = _url(front, dialect, options)
    return Source(dialect, _where(url), table, query, url)


def _dialect(front: str) -> str:
    name = _SCHEME.match(front)
    if name is None:
        raise SqlError("sql: expected a URL such as sqlite:///people.db?table=visits; got something else.")
    dialect = _DIALECTS.get(name[1].lower())
    if dialect is None:
        raise SqlError(
            f"sql: there is no reader for {name[1]!r}; use sqlite:/// or postgresql://, "
            "or read the table into a data frame first."
        )
    return dialect


def _options(tail: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in tail.split("&"):
        name, equals, value = part.partition("=")
        if not equals or not name:
            raise SqlError("sql: expected name=value between ? and &; write & inside a query as %26.")
        if name in options:
            raise SqlError(f"sql: {name!r} stands twice in the URL; give it once.")
        options[name] = _decoded(name, value)
    return options


def _decoded(name: str, value: str) -> str:
    form = name == "query" and "+" in value and not any(space in value for space in (" ", "%20", "\n", "\t"))
    try:
        return (unquote_plus if form else unquote)(value, errors="strict")
    except UnicodeDecodeError:
        raise SqlError(f"sql: the percent-encoding of {name!r} is not UTF-8; encode it again.") from None


def _url(front: str, dialect: str, options: dict[str, str]) -> Any:
    try:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise MissingExtra("sql: SQLAlchemy is not installed; run: pip install 'understudy[sql]'") from None
    rest = front.partition("://")[2]
    if dialect == "sqlite":
        if rest and not rest.startswith("/"):
            raise SqlError(
                "sql: a SQLite URL has three slashes before the path: sqlite:///people.db?table=visits."
            )
        # SQLAlchemy decodes %20 in a path or not, depending on its version; so it is given the path itself.
        return make_url("sqlite+pysqlite://").set(database=_decoded("path", rest[1:]))
    try:
        # SQLAlchemy quotes the whole URL, password included, in its error.
        return make_url(f"postgresql+psycopg://{rest}").update_query_dict(options)
    except (ArgumentError, ValueError):
        raise SqlError(
            "sql: the URL cannot be taken apart; write special characters of a password as %40 and the like."
        ) from None


def _where(url: Any) -> str:
    if url.get_backend_name() == "sqlite":
        return f"SQLite file {url.database!r}"
    # A password with an unescaped @ or / spills into host and database: then neither is shown.
    host, database = url.host or "the local socket", url.database or ""
    if (url.host and not _HOST.fullmatch(url.host)) or "@" in database:
        return "the PostgreSQL database"
    return f"PostgreSQL database {database!r} on {host}"
