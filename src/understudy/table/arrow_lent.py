"""Bytes of Python lent to Arrow's parser, and taken back before anything goes on.

Arrow parses with threads of its own, and the last of them may drop its hold on the bytes some milliseconds
after the parser has answered (in 4 % of small files on a busy machine, up to 5 ms). To let go of what
belongs to Python a thread needs the interpreter; if that is on its way out by then, the process aborts with
"terminate called without an active exception" after its work is done. So nobody leaves before the bytes are
back.
"""

from __future__ import annotations

import time

import pyarrow as pa
import pyarrow.csv

__all__ = ["parse_lent"]

WAIT = 10.0  # seconds; a thread that needs longer hangs for reasons that waiting does not mend
NAP = 1e-4


def parse_lent(
    data: bytes | bytearray | memoryview,
    *,
    read: pa.csv.ReadOptions,
    parse: pa.csv.ParseOptions,
    convert: pa.csv.ConvertOptions,
) -> pa.Table:
    r"""Parse bytes of CSV without a copy; when this returns, no thread holds them any more.

    >>> data = bytearray(b"1,2\n")
    >>> kinds = pa.csv.ConvertOptions(column_types={"a": pa.int64(), "b": pa.int64()})
    >>> table = parse_lent(
    ...     data, read=pa.csv.ReadOptions(column_names=["a", "b"]), parse=pa.csv.ParseOptions(), convert=kinds
    ... )
    >>> data.append(0)  # refused with a BufferError as long as somebody reads it
    >>> table.to_pylist()
    [{'a': 1, 'b': 2}]
    """
    view = memoryview(data)
    try:
        return pa.csv.read_csv(
            pa.BufferReader(pa.py_buffer(view)),
            read_options=read,
            parse_options=parse,
            convert_options=convert,
        )
    finally:
        _take_back(view)


def _take_back(view: memoryview) -> None:
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            view.release()
        except BufferError:  # somebody still reads
            time.sleep(NAP)
        else:
            return
