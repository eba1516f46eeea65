"""A table or a query of a database, named by one URL, as Arrow."""

from __future__ import annotations

import pyarrow as pa

from understudy.table.arrow_plain import plain
from understudy.table.files import LIMIT_BYTES
from understudy.table.sql_postgres import read_postgres
from understudy.table.sql_sqlite import read_sqlite
from understudy.table.sql_url import parse_url

__all__ = ["read_sql"]

_READERS = {"sqlite": read_sqlite, "postgresql": read_postgres}


def read_sql(url: str, *, limit_bytes: int = LIMIT_BYTES) -> pa.Table:
    """Read `sqlite:///x.db?table=t`, `postgresql://...?table=schema.t` or `...?query=SELECT ...`.

    The session cannot write, table names are looked up in the catalogue and quoted, numbers and times
    keep their exact value, and a password appears in no message.
    """
    source = parse_url(url)
    return plain(_READERS[source.dialect](source, limit_bytes=limit_bytes), "sql")
