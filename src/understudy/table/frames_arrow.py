"""pyarrow tables, record batches and Arrow streams, in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from understudy.errors import FrameError
from understudy.table.arrow_plain import conform
from understudy.table.arrow_types import from_text

if TYPE_CHECKING:
    from understudy.table.frames import FrameColumn

__all__ = ["ingest", "restore", "retyped"]


def ingest(kind: str, data: Any) -> tuple[pa.Table, list[str]]:
    """Return the rows as one pyarrow table; a reader or stream is read to its end."""
    try:
        arrow = _read(kind, data)
        arrow.validate()
    except FrameError:
        raise
    except Exception as error:
        # A stream is somebody else's code: it may raise anything, with cells in the text.
        raise FrameError(
            f"{kind}: the Arrow data could not be read ({type(error).__name__}); check that the source is still open."
        ) from None
    return arrow, [str(field.type) for field in arrow.schema]


def restore(kind: str, arrow: pa.Table, columns: Sequence[FrameColumn]) -> pa.Table | pa.RecordBatch:
    """Return the rows with the types and nullability of `columns`; one batch when a batch came."""
    table = retyped(arrow, columns)
    if kind != "arrow_batch":
        return table
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def retyped(arrow: pa.Table, columns: Sequence[FrameColumn]) -> pa.Table:
    """Return the rows with the Arrow types that `columns` name; the others stay as they are."""
    wanted = {column.name: column for column in columns}
    fields, arrays = [], []
    for field, array in zip(arrow.schema, arrow.columns, strict=True):
        column = wanted.get(field.name)
        if column is not None:
            array = conform(field.name, array, from_text(column.type))
            nullable = column.nullable or array.null_count > 0
            field = pa.field(field.name, array.type, nullable)
        fields.append(field)
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields, metadata=arrow.schema.metadata))


def _read(kind: str, data: Any) -> pa.Table:
    if kind == "arrow":
        return data
    if kind == "arrow_batch":
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    return pa.RecordBatchReader.from_stream(data).read_all()
