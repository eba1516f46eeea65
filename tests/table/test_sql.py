"""The same table out of PostgreSQL, out of SQLite and out of a CSV file, compared cell by cell."""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import sqlite3
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import SqlError
from understudy.table.read import read
from understudy.table.sql import read_sql
from understudy.table.write import write

ROWS = 1_000
POSTGRES = {
    pa.bool_(): "boolean", pa.int16(): "smallint", pa.int32(): "integer", pa.int64(): "bigint",
    pa.float64(): "double precision", pa.decimal128(12, 2): "numeric(12,2)", pa.string(): "text",
    pa.date32(): "date", pa.time64("us"): "time", pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz", pa.duration("us"): "interval",
}  # fmt: skip
SQLITE = {
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.time64("us"): "TIME",
    pa.timestamp("us"): "TIMESTAMP",
}


def every_type() -> pa.Table:
    """A table with every type that a database and a CSV file can both hold, a tenth of it missing."""
    rng = np.random.default_rng(5)
    start = dt.datetime(1970, 1, 1)
    words = np.array(
        ["", "a", "é🙂", 'say "hi"', "a,b", "two\nlines", "NA", "null", "00501", "=1+1", " ", "\\N", "\\."]
    )
    seconds = rng.integers(-(2**32), 2**32, ROWS)
    cells = {
        "b": (rng.random(ROWS) < 0.5).tolist(),
        "i2": rng.integers(-(2**15), 2**15, ROWS).tolist(),
        "i4": rng.integers(-(2**31), 2**31, ROWS).tolist(),
        "i8": rng.integers(-(2**63), 2**63, ROWS, dtype=np.int64, endpoint=False).tolist(),
        "f8": (rng.standard_normal(ROWS) * 10.0 ** rng.integers(-300, 300, ROWS)).tolist(),
        "n": [Decimal(int(cents)).scaleb(-2) for cents in rng.integers(-(10**11), 10**11, ROWS)],
        "s": rng.choice(words, ROWS).tolist(),
        "d": [(start + dt.timedelta(seconds=int(s))).date() for s in seconds],
        "t": [(start + dt.timedelta(microseconds=int(s) % 86_400_000_000)).time() for s in seconds],
        "ts": [start + dt.timedelta(microseconds=int(s)) for s in seconds],
        "tz": [(start + dt.timedelta(seconds=int(s))).replace(tzinfo=dt.UTC) for s in seconds],
        "iv": [dt.timedelta(microseconds=int(s)) for s in seconds],
    }
    kinds = zip(cells.items(), POSTGRES, strict=True)
    arrays = {name: pa.array(values, kind, mask=rng.random(ROWS) < 0.1) for (name, values), kind in kinds}
    return pa.table(arrays)


def fill_sqlite(path, table, types):
    definition = ", ".join(f'"{field.name}" {types.get(field.type, "")}' for field in table.schema)
    plain = [
        str(cell) if isinstance(cell, dt.date | dt.time) else cell
        for column in table.columns
        for cell in column.to_pylist()
    ]
    rows = zip(*[iter_column(plain, place, len(table)) for place in range(table.num_columns)], strict=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE t ({definition})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * table.num_columns)})", rows)
        connection.commit()
    return read_sql(f"sqlite:///{path}?table=t")


def iter_column(cells, place, rows):
    return cells[place * rows : (place + 1) * rows]


def fill_postgres(server, name, table, csv=None):
    """Put the rows, or the CSV text of them, into a table; read it back in the order they came."""
    definition = ", ".join(f'"{field.name}" {POSTGRES[field.type]}' for field in table.schema)
    names = ", ".join(f'"{name}"' for name in table.schema.names)
    with server.connect() as connection:
        # A heap has no order of its own, so the rows are numbered.
        connection.execute(
            f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({definition}, place bigserial)"
        )
        with connection.cursor().copy(
            f"COPY {name} ({names}) FROM STDIN {'(FORMAT csv)' if csv else ''}"
        ) as copy:
            if csv:
                copy.write(csv)
            else:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
    found = read_sql(server.url(f"table={name}")).sort_by("place").drop_columns("place")
    assert found.equals(read_sql(server.url(f"query=SELECT {names} FROM {name} ORDER BY place")))
    return found


def test_every_type_out_of_postgresql_equals_the_csv_byte_by_byte(server, tmp_path):
    table = every_type()
    found = fill_postgres(server, "every_type", table)
    assert found.schema.equals(table.schema)
    assert found.equals(table)
    ours, theirs = (
        write(rows, tmp_path / name, raw_csv=True) for rows, name in ((table, "a.csv"), (found, "b.csv"))
    )
    assert ours.read_bytes() == theirs.read_bytes()
    from_csv = read(ours).to_arrow()
    for name in ("b", "i2", "i4", "i8", "f8", "s", "d", "t", "ts", "tz"):
        assert found.column(name).to_pylist() == from_csv.column(name).to_pylist(), name
    assert [
        None if cell is None else float(cell) for cell in found.column("n").to_pylist()
    ] == from_csv.column("n").cast(pa.float64()).to_pylist()


def test_every_type_out_of_sqlite_equals_the_csv_cell_by_cell(tmp_path):
    table = every_type().drop_columns(["n", "tz", "iv"])
    found = fill_sqlite(tmp_path / "a.db", table, SQLITE)
    from_csv = read(write(table, tmp_path / "a.csv", raw_csv=True)).to_arrow()
    for name in table.schema.names:
        assert (
            found.column(name).to_pylist()
            == from_csv.column(name).to_pylist()
            == table.column(name).to_pylist()
        )


def test_a_real_table_is_the_same_out_of_csv_postgresql_and_sqlite(server, datasets, tmp_path):
    source = datasets / "adult.csv.gz"
    from_csv = read(source).to_arrow()
    header, rest = gzip.decompress(source.read_bytes()).split(b"\n", 1)
    assert len(header.split(b",")) == from_csv.num_columns
    from_postgres = fill_postgres(server, "adult", from_csv, csv=rest)
    from_sqlite = fill_sqlite(tmp_path / "a.db", from_csv, {})
    assert from_csv.num_rows == from_postgres.num_rows == from_sqlite.num_rows > 30_000
    for name in from_csv.schema.names:
        cells = from_csv.column(name).to_pylist()
        assert from_postgres.column(name).to_pylist() == cells
        assert from_sqlite.column(name).to_pylist() == cells


def test_the_door_takes_a_url(tmp_path):
    fill_sqlite(tmp_path / "a.db", pa.table({"x": [1, None]}), {})
    assert read(f"sqlite:///{tmp_path}/a.db?table=t").to_arrow().to_pydict() == {"x": [1, None]}
    with pytest.raises(SqlError):
        read(f"sqlite:///{tmp_path}/a.db?table=u")
