"""Read a CSV file strictly: every cell as it stands in the file, or a typed error.

The bytes are checked by `csv_scan`, parsed by pyarrow with every column as text, and
typed by `csv_types`. An unquoted empty field is missing; a quoted empty field is the
empty text in a column of text and missing in any other column.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from understudy.errors import CsvError, ParameterError, TooLarge
from understudy.table.arrow_lent import parse_lent
from understudy.table.by_cell import read_by_cell
from understudy.table.csv_bytes import read_text_bytes
from understudy.table.csv_guard import unguard, unguard_name
from understudy.table.csv_header import Header, read_header
from understudy.table.csv_scan import Part, Structure, scan
from understudy.table.csv_types import type_column
from understudy.table.schema import Column, Schema

__all__ = ["check_delimiter", "read_csv"]

LIMIT = 8 * 2**30
SMALLEST_BLOCK = 2**22
TEXT_AT_ONCE = 2**29  # bytes of the file whose cells are held as text at one time
WORTH_A_THREAD = 10_000  # rows


def read_csv(
    path: Path,
    *,
    delimiter: str = ",",
    encoding: str | None = None,
    missing: Sequence[str] = (),
    guarded: bool = False,
    declared: Schema | None = None,
    limit_bytes: int = LIMIT,
) -> pa.Table:
    """Read a CSV file, gzipped or not, into an Arrow table without changing any cell.

    `missing` lists spellings, such as "NA", that mean a missing value where they stand
    unquoted; `guarded` takes off the apostrophes that `write_csv` puts before formulas.
    Columns whose type is declared are read as that, each cell by itself (`by_cell`).
    """
    check_delimiter(delimiter)
    data = read_text_bytes(Path(path), encoding=encoding, limit_bytes=limit_bytes)
    with _naming(path):
        header, part, structure = _check(data, delimiter)
    typed: list[tuple[pa.Field, pa.ChunkedArray]] = []
    names = [unguard_name(name) if guarded else name for name in header.names]
    known = {column.name: column for column in declared.columns} if declared else {}
    for group in _groups(len(names), part.end):
        said = [known.get(names[place]) for place in group]
        typed += _type_all(_parse(part, structure, group, missing), said, ("", *missing))
    return _assemble(typed, names, guarded=guarded)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name before a fault in it: a command may read several."""
    try:
        yield
    except CsvError as error:
        message = f"{str(path)!r}: {str(error).removeprefix('CSV: ')}"
        raise CsvError(message, line=error.line, column=error.column) from None
    except TooLarge as error:
        raise TooLarge(f"{str(path)!r}: {str(error).removeprefix('CSV: ')}") from None


def _check(data: bytearray, delimiter: str) -> tuple[Header, Part, Structure]:
    header = read_header(data, delimiter)
    width = len(header.names)
    # In a file of one column a blank line is a missing cell; elsewhere the last ones mean nothing.
    end = len(data) if width == 1 else max(_end_of_ink(data), header.end)
    part = Part(data, header.end, end, ord(delimiter), width, header.lone_cr)
    return header, part, scan(part)


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that could be part of a number, a date or a formula guard.

    >>> check_delimiter(";")
    """
    plain = len(delimiter) == 1 and delimiter.isascii() and not delimiter.isalnum()
    if not plain or delimiter in "\"'.+-:=@\r\n\0":
        raise ParameterError(f"CSV: delimiter must be one character such as , ; | or tab; got {delimiter!r}.")


def _end_of_ink(data: bytearray) -> int:
    end = len(data)  # a plain loop, because rstrip would copy the whole file
    while end and data[end - 1] in b"\r\n":
        end -= 1
    return end


def _groups(width: int, size: int) -> list[range]:
    """Split the columns so that only the text of one group is in memory beside the file."""
    step = max(1, width // max(1, size // TEXT_AT_ONCE))
    return [range(low, min(low + step, width)) for low in range(0, width, step)]


def _parse(part: Part, structure: Structure, group: range, missing: Sequence[str]) -> list[pa.ChunkedArray]:
    if not structure.records:
        return [pa.chunked_array([], pa.string()) for _ in group]
    keys = [str(place) for place in range(part.fields or 0)]  # the names play no part in parsing
    wanted = [keys[place] for place in group]
    try:
        table = parse_lent(
            _rows(part),
            read=pa.csv.ReadOptions(column_names=keys, block_size=_block_size(structure)),
            parse=pa.csv.ParseOptions(
                delimiter=chr(part.delimiter),
                newlines_in_values=structure.quoted_line_ends,
                ignore_empty_lines=False,
            ),
            convert=_as_text(wanted, missing),
        )
    except pa.ArrowInvalid:  # its message quotes a row of the file, so it must not go on
        raise CsvError("CSV: the checked file could not be parsed; this is a fault of understudy.") from None
    if table.num_rows != structure.records:
        raise CsvError(f"CSV: {structure.records:,} records were counted but {table.num_rows:,} parsed.")
    return list(table.columns)


def _rows(part: Part) -> memoryview:
    rows = memoryview(part.data)[part.start : part.end]
    if part.data.startswith(BOM_UTF8, part.start):
        # pyarrow takes a mark off whatever it reads; here it is part of the first cell, so it gets another.
        return memoryview(BOM_UTF8 + rows)
    return rows


def _as_text(keys: list[str], missing: Sequence[str]) -> pa.csv.ConvertOptions:
    return pa.csv.ConvertOptions(
        include_columns=keys,
        column_types=dict.fromkeys(keys, pa.string()),
        null_values=["", *missing],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        check_utf8=False,  # the bytes were checked when they were read
    )


def _block_size(structure: Structure) -> int:
    # A record must end in the block after the one it starts in.
    return max(SMALLEST_BLOCK, 2 * structure.longest + 2)


def _type_all(
    cells: list[pa.ChunkedArray], said: list[Column | None], blanks: Sequence[str]
) -> list[tuple[pa.Field, pa.ChunkedArray]]:
    pairs = list(zip(cells, said, strict=True))
    if len(cells[0]) < WORTH_A_THREAD:
        return [_typed(column, told, blanks) for column, told in pairs]
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda pair: _typed(pair[0], pair[1], blanks), pairs))


def _typed(
    cells: pa.ChunkedArray, said: Column | None, blanks: Sequence[str]
) -> tuple[pa.Field, pa.ChunkedArray]:
    found = None if said is None else read_by_cell(said, cells)
    if found is None:
        return type_column(cells, blanks)
    notes, read = found
    return pa.field("", read.type, metadata=notes or None), read


def _assemble(typed: list[tuple[pa.Field, pa.ChunkedArray]], names: list[str], *, guarded: bool) -> pa.Table:
    fields, columns = [], []
    for name, (field, column) in zip(names, typed, strict=True):
        fields.append(field.with_name(name))
        columns.append(unguard(column) if guarded and pa.types.is_string(column.type) else column)
    return pa.table(columns, schema=pa.schema(fields))
