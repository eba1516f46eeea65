"""Try a type on a column of text: it is taken only if every cell comes through."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["all_true", "is_same_text", "try_type"]


def try_type(
    cells: pa.ChunkedArray, kind: pa.DataType, holds: Callable[[pa.Array, pa.Array], bool]
) -> pa.ChunkedArray | None:
    """Return the cells in the type if each chunk can be cast and `holds(text, values)`; else None.

    Chunk by chunk, so that a text column is given up early and the text that is printed
    for the comparison never exists for the whole column at once.
    """
    chunks = []
    for chunk in cells.chunks:
        values = _cast(chunk, kind)
        if values is None or not holds(chunk, values):
            return None
        chunks.append(values)
    return pa.chunked_array(chunks, kind)


def _cast(cells: pa.Array, kind: pa.DataType) -> pa.Array | None:
    try:
        return pc.cast(cells, kind)
    except pa.ArrowInvalid:  # the answer "no": these cells are not of that type
        return None


def is_same_text(left: pa.Array, right: pa.Array) -> bool:
    """Say whether two columns of text are equal wherever both are there.

    >>> is_same_text(pa.array(["1", None]), pa.array(["1", None]))
    True
    """
    return all_true(pc.equal(left, right))


def all_true(mask: pa.Array | pa.ChunkedArray) -> bool:
    """Say whether no cell of the mask is false; a missing one is not."""
    return pc.all(mask).as_py() is not False
