"""One door out: the ending of the path names the format, and the file appears whole or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from understudy.errors import InputError, WriteError
from understudy.table.atomic import replacing
from understudy.table.files import write_arrow, write_parquet
from understudy.table.read import ENDINGS, ending_of

__all__ = ["write"]

_BINARY: dict[str, Callable[[pa.Table, IO[bytes]], None]] = {
    ".parquet": write_parquet,
    ".arrow": write_arrow,
    ".feather": write_arrow,
    ".ipc": write_arrow,
}


def write(arrow: pa.Table, path: Path, *, raw_csv: bool) -> Path:
    """Write Arrow rows to `path`; `raw_csv` leaves formula-like text cells in CSV as they are."""
    path = Path(path)
    ending = ending_of(path)
    if ending is None:
        known, name = ", ".join(ENDINGS), path.name or str(path)
        raise InputError(f"write: the ending of {name!r} names no format; known endings: {known}.")
    if path.is_dir():
        raise WriteError(f"write: {str(path)!r} is a folder; name a file.")
    with replacing(path) as file:
        if ending in _BINARY:
            _write_binary(arrow, file, ending)
        else:
            _write_csv(arrow, file, ending, raw_csv)
    return path


def _write_binary(arrow: pa.Table, file: IO[bytes], ending: str) -> None:
    try:
        _BINARY[ending](arrow, file)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise WriteError(
            f"write: a column has a type that {ending} cannot hold ({type(error).__name__})."
        ) from None


def _write_csv(arrow: pa.Table, file: IO[bytes], ending: str, raw_csv: bool) -> None:
    from understudy.table.csv_write import write_csv

    delimiter = "\t" if ending.startswith(".tsv") else ","
    if not ending.endswith(".gz"):
        write_csv(arrow, file, raw=raw_csv, delimiter=delimiter)
        return
    # No name and no time in the gzip header: the same table gives the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
        write_csv(arrow, cast(IO[bytes], packed), raw=raw_csv, delimiter=delimiter)
