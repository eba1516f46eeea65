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
        arrow.validate(full=True)  # text that is no UTF-8 would fail later, in the middle of a fit
    except Exception as error:  # noqa: BLE001 - a stream is foreign code: it may raise anything, cells included
        raise FrameError(
            f"{kind}: the Arrow data could not be read ({type(error).__name__}); "
            "check that the source is still open."
        ) from None
    return arrow, [str(field.type) for field in arrow.schema]


def restore(kind: str, arrow: pa.Table, columns: Sequence[FrameColumn]) -> pa.Table | pa.RecordBatch:
    """Return the rows with the types and nullability of `columns`; one batch when a batch came."""
    table = retyped(arrow, columns)
    if kind != "arrow_batch":
        return table
    return pa.RecordBatch.from_arrays([_whole(column) for column in table.columns], schema=table.schema)


def retyped(arrow: pa.Table, columns: Sequence[FrameColumn]) -> pa.Table:
    """Return the rows with the Arrow types that `columns` name; the others stay as they are."""
    wanted = {column.name: column for column in columns}
    pairs = [
        _retyped(field, array, wanted.get(field.name))
        for field, array in zip(arrow.schema, arrow.columns, strict=True)
    ]
    schema = pa.schema([field for field, _ in pairs], metadata=arrow.schema.metadata)
    return pa.table([array for _, array in pairs], schema=schema)


def _retyped(
    field: pa.Field, array: pa.ChunkedArray, column: FrameColumn | None
) -> tuple[pa.Field, pa.ChunkedArray]:
    if column is None:
        return field, array
    array = conform(field.name, array, from_text(column.type))
    return pa.field(field.name, array.type, column.nullable or array.null_count > 0), array


def _whole(column: pa.ChunkedArray) -> pa.Array:
    chunks = column.unify_dictionaries().chunks
    return pa.concat_arrays(chunks) if chunks else pa.nulls(0, column.type)


def _read(kind: str, data: Any) -> pa.Table:
    if kind == "arrow":
        return data
    if kind == "arrow_batch":
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    return pa.RecordBatchReader.from_stream(data).read_all()
