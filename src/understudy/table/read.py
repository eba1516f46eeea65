"""One door for every source: a path, a database URL, a table, or any data frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from understudy.errors import ParameterError, ReadError
from understudy.table.files import read_arrow, read_parquet
from understudy.table.frames import ingest
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["ENDINGS", "ending_of", "is_csv", "read"]

_CSV = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
_BINARY = {".parquet": read_parquet, ".arrow": read_arrow, ".feather": read_arrow, ".ipc": read_arrow}
ENDINGS = (*_CSV, *_BINARY)
# One slash is enough: a mistyped URL must not be printed as a path, password and all.
_URL = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]+:/")


def read(
    source: object,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = (),
    guarded: bool = False,
    schema: Schema | None = None,
) -> Table:
    """Read a table from a path, an SQLAlchemy URL with ?table= or ?query=, or any data frame.

    The first four settings are for CSV files: the separator and the encoding, the spellings that mean
    "missing", and whether apostrophes that guard against formulas are taken off again. The cells of a CSV
    file say what their column is, unless a schema declares its type: then each cell is read by itself, so
    that none decides how another one is read, and one that is spelled otherwise is missing. All other
    sources have types of their own.
    """
    settings = _settings(delimiter, encoding, missing, guarded)
    if isinstance(source, str | Path) and _URL.match(str(source)):
        _refuse_settings(settings, "a database")
        return Table(_read_sql(str(source)))
    if isinstance(source, str | Path):
        return Table(_read_path(source, settings, schema))
    _refuse_settings(settings, "a data frame")
    if isinstance(source, Table):
        return source
    return Table(*ingest(source))


def ending_of(path: Path) -> str | None:
    """Return the ending that names the format, in small letters; None when there is none we know.

    >>> ending_of(Path("people.v2.CSV.gz"))
    '.csv.gz'
    """
    name = path.name.lower()
    matches = [ending for ending in ENDINGS if name.endswith(ending)]
    return max(matches, key=len, default=None)


def is_csv(source: object) -> bool:
    """Say whether a source is a CSV file, by its name.

    >>> is_csv("people.CSV.gz"), is_csv("people.parquet"), is_csv("sqlite:///people.csv?table=t")
    (True, False, False)
    """
    named = isinstance(source, str | Path) and not _URL.match(str(source))
    return named and ending_of(Path(str(source))) in _CSV


def _settings(delimiter: object, encoding: object, missing: object, guarded: object) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if delimiter is not None:
        given["delimiter"] = _text("delimiter", delimiter)
    if encoding is not None:
        given["encoding"] = _text("encoding", encoding)
    if (
        isinstance(missing, str)
        or not isinstance(missing, Sequence)
        or not all(isinstance(m, str) for m in missing)
    ):
        raise ParameterError("read: missing must be a list of texts such as ['NA']; got something else.")
    if missing:
        given["missing"] = tuple(missing)
    if not isinstance(guarded, bool):
        raise ParameterError("read: guarded must be true or false; got something else.")
    return given | {"guarded": True} if guarded else given


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ParameterError(f"read: {name} must be text; got {type(value).__name__}.")
    return value


def _refuse_settings(settings: dict[str, Any], what: str) -> None:
    if settings:
        names = ", ".join(sorted(settings))
        raise ParameterError(f"read: {names} is for CSV files; the source is {what}; leave it out.")


def _read_path(source: str | Path, settings: dict[str, Any], schema: Schema | None) -> pa.Table:
    path = Path(source)
    ending = ending_of(path)
    _refuse_unreadable(path)
    if ending is None:
        raise ReadError(
            f"read: the ending of {path.name!r} names no format; known endings: {', '.join(ENDINGS)}."
        )
    if ending in _CSV:
        from understudy.table.csv_read import read_csv

        return read_csv(path, **({"delimiter": _CSV[ending]} | settings), declared=schema)
    _refuse_settings(settings, f"a {ending} file")
    return _BINARY[ending](path)


def _refuse_unreadable(path: Path) -> None:
    try:
        if path.is_dir():
            raise ReadError(f"read: {str(path)!r} is a folder; name one file in it.")
        if not path.exists():
            raise ReadError(
                f"read: there is no file {str(path)!r}; check the path and the working directory."
            )
        if not path.is_file():
            raise ReadError(f"read: {str(path)!r} is not a plain file; copy its content into one.")
        if path.stat().st_size == 0:
            raise ReadError(f"read: {str(path)!r} is empty; there is no table in it.")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a valid path"
        raise ReadError(f"read: cannot read {str(path)!r} ({reason}).") from None


def _read_sql(url: str) -> pa.Table:
    from understudy.table.sql import read_sql

    return read_sql(url)
