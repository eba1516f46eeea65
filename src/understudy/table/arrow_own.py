"""Arrow memory of our own: what the caller does to a frame afterwards changes no table.

Arrow wraps the arrays of NumPy and of other libraries without a copy, and there is no way to ask a buffer
whether somebody else can still write to it. So whatever comes through the door is copied once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

__all__ = ["own"]

AT_ONCE = 2**26  # bytes; the copy of a wide or long table is made in pieces, so that only one exists twice


def own(arrow: pa.Table) -> pa.Table:
    """Return the same table in memory that nobody else can write to.

    >>> import numpy as np
    >>> cells = np.array([1.0, 2.0])
    >>> table = own(pa.table({"a": cells}))
    >>> cells[0] = 9
    >>> table.column("a").to_pylist()
    [1.0, 2.0]
    """
    if not arrow.num_rows or not arrow.num_columns:
        return arrow  # there is no cell to change; a stream without rows would also lose the levels
    columns = [column for group in _groups(arrow) for column in _copied(arrow.select(group)).columns]
    return pa.table(columns, schema=arrow.schema)


def _groups(arrow: pa.Table) -> Iterator[list[int]]:
    group: list[int] = []
    size = 0
    for place, column in enumerate(arrow.columns):
        group.append(place)
        size += column.nbytes
        if size >= AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _copied(arrow: pa.Table) -> pa.Table:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    return pa.ipc.open_stream(sink.getvalue()).read_all()
