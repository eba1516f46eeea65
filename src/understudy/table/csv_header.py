"""The first record of a CSV file: its names, and the faults that make a cell unaddressable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from understudy.errors import CsvError
from understudy.table.csv_scan import Part, scan, separators

__all__ = ["LONGEST_NAME", "Header", "read_header"]

LONGEST_NAME = 1_000  # characters; a longer name is a sign of a file read with the wrong separator
SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
_INK = re.compile(rb"[^ \t\r\n]")
_TOKEN = re.compile(rb'["\r\n]')


@final
@dataclass(frozen=True)
class Header:
    """The column names, where the rows begin, and whether lines end with CR alone."""

    names: list[str]
    end: int
    lone_cr: bool


def read_header(data: bytes | bytearray, delimiter: str) -> Header:
    r"""Read and check the names in the first record.

    >>> read_header(b"a,b\n1,2\n", ",").names
    ['a', 'b']
    """
    if _INK.search(data) is None:
        raise CsvError("CSV: the file is empty; expected a line with the column names.", line=1)
    stop, end = _line_end(data)
    lone_cr = data[stop:end] == b"\r"
    if not data[:stop].strip():
        raise CsvError("CSV: line 1 is blank; expected the column names.", line=1)
    scan(Part(data, 0, stop, ord(delimiter), None, lone_cr))
    raw = _split(bytes(data[:stop]), ord(delimiter))
    names = [_unquote(field) for field in raw]
    _refuse_other_separator(raw, delimiter)
    _refuse_bad_names(names)
    return Header(names, end, lone_cr)


def _line_end(data: bytes | bytearray) -> tuple[int, int]:
    """Return where the first record stops and where the next one starts."""
    inside = False
    for token in _TOKEN.finditer(data):
        if token[0] == b'"':
            inside = not inside
        elif not inside:
            stop = token.start()
            return stop, stop + (2 if data[stop : stop + 2] == b"\r\n" else 1)
    return len(data), len(data)


def _split(record: bytes, delimiter: int) -> list[bytes]:
    places = [-1, *separators(record, delimiter).tolist(), len(record)]
    return [record[low + 1 : high] for low, high in pairwise(places)]


def _unquote(field: bytes) -> str:
    if field.startswith(b'"'):
        field = field[1:-1].replace(b'""', b'"')
    return field.decode()


def _refuse_other_separator(raw: list[bytes], delimiter: str) -> None:
    if len(raw) > 1 or raw[0].startswith(b'"'):
        return
    for other, words in SEPARATORS.items():
        if other != delimiter and other in raw[0].decode():
            message = f"line 1 has one field and {words} in it; pass delimiter={other!r}, or quote the name"
            raise CsvError(f"CSV: {message}.", line=1, column=1)


def _refuse_bad_names(names: list[str]) -> None:
    seen: dict[str, int] = {}
    for column, name in enumerate(names, start=1):
        if not name.strip():
            raise CsvError(f"CSV: column {column} has no name; give it one on line 1.", line=1, column=column)
        if len(name) > LONGEST_NAME:
            message = f"the name of column {column} has more than {LONGEST_NAME:,} characters; shorten it"
            raise CsvError(f"CSV: {message}.", line=1, column=column)
        if name in seen:
            message = f"columns {seen[name]} and {column} have the same name; rename one of them"
            raise CsvError(f"CSV: {message}.", line=1, column=column)
        seen[name] = column
