"""Read a CSV file strictly: every cell as it stands in the file, or a typed error.

The bytes are checked by `csv_scan`, parsed by pyarrow with every column as text, and
typed by `csv_types`. An unquoted empty field is missing; a quoted empty field is the
empty text in a column of text and missing in any other column.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from understudy.errors import CsvError, ParameterError
from understudy.table.csv_bytes import read_text_bytes
from understudy.table.csv_guard import unguard, unguard_name
from understudy.table.csv_header import Header, read_header
from understudy.table.csv_scan import Part, Structure, scan
from understudy.table.csv_types import type_column

__all__ = ["check_delimiter", "read_csv"]

LIMIT = 8 * 2**30
SMALLEST_BLOCK = 2**22


def read_csv(
    path: Path,
    *,
    delimiter: str = ",",
    encoding: str | None = None,
    missing: Sequence[str] = (),
    guarded: bool = False,
    limit_bytes: int = LIMIT,
) -> pa.Table:
    """Read a CSV file, gzipped or not, into an Arrow table without changing any cell.

    `missing` lists spellings, such as "NA", that mean a missing value where they stand
    unquoted; `guarded` takes off the apostrophes that `write_csv` puts before formulas.
    """
    check_delimiter(delimiter)
    data = read_text_bytes(Path(path), encoding=encoding, limit_bytes=limit_bytes)
    header = read_header(data, delimiter)
    cells = _parse(data, header, delimiter, missing)
    del data
    names = [unguard_name(name) for name in header.names] if guarded else header.names
    return _typed(cells, names, ("", *missing), guarded=guarded)


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that could be part of a number, a date or a formula guard.

    >>> check_delimiter(";")
    """
    plain = len(delimiter) == 1 and delimiter.isascii() and not delimiter.isalnum()
    if not plain or delimiter in "\"'.+-:=@\r\n\0":
        raise ParameterError(f"CSV: delimiter must be one character such as , ; | or tab; got {delimiter!r}.")


def _parse(data: bytearray, header: Header, delimiter: str, missing: Sequence[str]) -> list[pa.ChunkedArray]:
    width = len(header.names)
    # In a file of one column a blank line is a missing cell; elsewhere the last ones mean nothing.
    end = len(data) if width == 1 else max(len(data.rstrip(b"\r\n")), header.end)
    structure = scan(Part(data, header.end, end, ord(delimiter), width, header.lone_cr))
    if not structure.records:
        return [pa.chunked_array([], pa.string())] * width
    keys = [str(place) for place in range(width)]  # the names play no part in parsing
    table = pa.csv.read_csv(
        pa.BufferReader(pa.py_buffer(data).slice(header.end, end - header.end)),
        read_options=pa.csv.ReadOptions(column_names=keys, block_size=_block_size(structure)),
        parse_options=pa.csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=structure.quoted_line_ends, ignore_empty_lines=False
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(keys, pa.string()),
            null_values=["", *missing],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            check_utf8=False,  # the bytes were checked when they were read
        ),
    )
    if table.num_rows != structure.records or table.num_columns != width:
        raise CsvError(f"CSV: {structure.records:,} records were counted but {table.num_rows:,} parsed.")
    return list(table.columns)


def _block_size(structure: Structure) -> int:
    # A record must end in the block after the one it starts in.
    return max(SMALLEST_BLOCK, 2 * structure.longest + 2)


def _typed(
    cells: list[pa.ChunkedArray], names: list[str], blanks: Sequence[str], *, guarded: bool
) -> pa.Table:
    fields, columns = [], []
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for name, (field, column) in zip(
            names, pool.map(lambda c: type_column(c, blanks), cells), strict=True
        ):
            fields.append(field.with_name(name))
            columns.append(unguard(column) if guarded and pa.types.is_string(column.type) else column)
    return pa.table(columns, schema=pa.schema(fields))
