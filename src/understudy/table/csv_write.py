"""Write a table as CSV that reads back cell by cell: UTF-8, LF, quotes only where needed.

A missing cell is an empty field, the empty text is `""`. Text that a spreadsheet would
run as a formula gets an apostrophe (`csv_guard`); numbers, dates and booleans never do.
"""

from __future__ import annotations

import re
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import InputError
from understudy.table.csv_guard import guard, guard_name
from understudy.table.csv_header import SEPARATORS
from understudy.table.csv_read import check_delimiter
from understudy.table.csv_render import Renderer, is_text, renderer
from understudy.table.table import refuse_bad_names

__all__ = ["write_csv"]

BATCH = 2**24  # bytes of Arrow data that are turned into text at a time


def write_csv(table: pa.Table, file: IO[bytes], *, raw: bool = False, delimiter: str = ",") -> None:
    r"""Write the table to an open file; `raw` leaves formula-like text unguarded.

    Floats are written in their shortest exact form, durations as seconds, NaN as missing;
    the spellings that `read_csv` noted in the field metadata are used again.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_csv(pa.table({"a": [1, None], "b": ["x, y", "=1"]}), file)
    >>> file.getvalue()
    b'a,b\n1,"x, y"\n,\'=1\n'
    """
    check_delimiter(delimiter)
    if not table.num_columns:
        raise InputError("CSV: the table has no columns; there is nothing to write.")
    refuse_bad_names(table.schema.names)
    columns = zip(table.schema, table.columns, strict=True)
    printers = [_printer(renderer(field, column), field, raw, delimiter) for field, column in columns]
    file.write(_header(table.schema.names, raw, delimiter).encode())
    per_row = max(1, table.nbytes // max(1, table.num_rows))
    for batch in table.to_batches(max_chunksize=max(1, BATCH // per_row)):
        cells = [printer(column) for printer, column in zip(printers, batch.columns, strict=True)]
        file.write(_lines(cells, delimiter))


def _header(names: list[str], raw: bool, delimiter: str) -> str:
    shown = names if raw else [guard_name(name) for name in names]
    # A lone name with another separator in it would look like a file read with the wrong one.
    special = '"\r\n' + delimiter + ("".join(SEPARATORS) if len(names) == 1 else "")
    needs = re.compile(f"[{re.escape(special)}]|^\ufeff")
    quoted = ['"' + name.replace('"', '""') + '"' if needs.search(name) else name for name in shown]
    for column, name in enumerate(names, start=1):
        if "\0" in name:
            raise InputError(f"CSV: the name of column {column} holds a NUL character; rename it.")
    return delimiter.join(quoted) + "\n"


def _printer(render: Renderer, field: pa.Field, raw: bool, delimiter: str) -> Renderer:
    text = is_text(field.type)

    def show(cells: pa.Array) -> pa.Array:
        printed = render(cells)
        if text:
            _refuse_nul(printed, field.name)
            printed = _quote(printed if raw else guard(printed), delimiter)
        elif delimiter == " ":  # timestamps hold a space
            printed = _quote(printed, delimiter)
        return pc.fill_null(printed, "") if printed.null_count else printed

    return show


def _refuse_nul(cells: pa.Array, name: str) -> None:
    if (np.frombuffer(_payload(cells), dtype=np.uint8) == 0).any():
        raise InputError(
            f"CSV: column {name!r} holds a NUL character, which CSV cannot carry; write Parquet."
        )


def _quote(cells: pa.Array, delimiter: str) -> pa.Array:
    needs = pc.fill_null(pc.match_substring_regex(cells, f'^$|["\r\n{re.escape(delimiter)}]'), False)
    if not pc.any(needs).as_py():
        return cells
    inner = pc.replace_substring(cells.filter(needs), '"', '""')
    quoted = pc.binary_join_element_wise(pa.scalar('"'), inner, pa.scalar('"'), "")
    return pc.replace_with_mask(cells, needs, quoted)


def _lines(cells: list[pa.Array], delimiter: str) -> memoryview:
    ended = pc.binary_join_element_wise(cells[-1], pa.scalar("\n"), "")
    return _payload(pc.binary_join_element_wise(*cells[:-1], ended, delimiter) if cells[:-1] else ended)


def _payload(cells: pa.Array) -> memoryview:
    """Return the bytes of all cells, one after another, without a copy."""
    _, places, data = cells.buffers()
    if not len(cells) or data is None:
        return memoryview(b"")
    ends = np.frombuffer(places, dtype=np.int32)
    return memoryview(data)[ends[cells.offset] : ends[cells.offset + len(cells)]]
