"""Parquet and Arrow files: read whole, with a cap on what a file may claim to hold.

A file of a few bytes can claim any number of rows. So it is read batch by batch, the claim is checked
before the first batch and the bytes after each, and a file beyond the cap is refused before memory runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from understudy.errors import FrameError, ReadError, TooLarge
from understudy.table.arrow_plain import plain, refuse_type

__all__ = ["LIMIT_BYTES", "LIMIT_ROWS", "read_arrow", "read_parquet", "write_arrow", "write_parquet"]

LIMIT_BYTES = 8 * 2**30
LIMIT_ROWS = 2_000_000_000
_BATCH_ROWS = 131_072
_PARQUET, _ARROW, _FEATHER_1 = b"PAR1", b"ARROW1", b"FEA1"


def read_parquet(path: Path, *, limit_bytes: int = LIMIT_BYTES) -> pa.Table:
    """Read a Parquet file into the types a table holds."""
    if _start(path)[:4] != _PARQUET:
        raise ReadError(
            f"{path.name}: not a Parquet file, whatever its ending says; rename it or write it again."
        )
    return _guarded(path, lambda: _read_parquet(path, limit_bytes))


def read_arrow(path: Path, *, limit_bytes: int = LIMIT_BYTES) -> pa.Table:
    """Read an Arrow file or stream (Feather version 2 is the same thing) into the types a table holds."""
    if _start(path)[:4] == _FEATHER_1:
        raise ReadError(
            f"{path.name}: Feather version 1 is not read; write it again as version 2 or as Parquet."
        )
    return _guarded(path, lambda: _read_arrow(path, limit_bytes))


def write_parquet(arrow: pa.Table, file: pa.NativeFile) -> None:
    """Write Parquet with the schema's metadata and a checksum for the body of each page."""
    pq.write_table(arrow, file, compression="zstd", write_page_checksum=True)


def write_arrow(arrow: pa.Table, file: pa.NativeFile) -> None:
    """Write an Arrow file, which is Feather version 2."""
    # A file holds one dictionary per column, and chunks may each have brought their own.
    with pa.ipc.new_file(file, arrow.schema) as writer:
        writer.write_table(arrow.unify_dictionaries())


def _read_parquet(path: Path, limit_bytes: int) -> pa.Table:
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        _refuse_rows(path, file.metadata.num_rows)
        schema = file.schema_arrow
        _refuse_types(path, schema)
        return _collect(path, schema, file.iter_batches(batch_size=_BATCH_ROWS), limit_bytes)


def _read_arrow(path: Path, limit_bytes: int) -> pa.Table:
    # Read, not mapped: a table must not change when somebody writes into the file later.
    with pa.OSFile(str(path)) as source:
        if _start(path) == _ARROW:
            reader = pa.ipc.open_file(source)
            batches: Iterable[pa.RecordBatch] = (
                reader.get_batch(place) for place in range(reader.num_record_batches)
            )
        else:
            reader = pa.ipc.open_stream(source)
            batches = reader
        _refuse_types(path, reader.schema)
        return _collect(path, reader.schema, batches, limit_bytes)


def _collect(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], limit_bytes: int) -> pa.Table:
    kept, rows, size = [], 0, 0
    for batch in batches:
        rows += batch.num_rows
        _refuse_rows(path, rows)
        batch.validate(full=True)  # before anything else looks at it: a lying offset crashes the process
        size += batch.nbytes
        if size > limit_bytes:
            raise TooLarge(
                f"{path.name}: holds more than {limit_bytes:,} bytes of cells; split it or read a part."
            )
        kept.append(batch)
    return plain(pa.Table.from_batches(kept, schema), path.name)


def _refuse_types(path: Path, schema: pa.Schema) -> None:
    # Before any cell is decoded: an unknown type should cost nothing.
    for field in schema:
        refuse_type(field.name, field.type, path.name)


def _refuse_rows(path: Path, rows: int) -> None:
    if rows > LIMIT_ROWS:
        raise TooLarge(
            f"{path.name}: claims {rows:,} rows; at most {LIMIT_ROWS:,} are read. Split it or read a part."
        )


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_ARROW))
    except OSError as error:
        raise ReadError(f"cannot read {str(path)!r} ({error.strerror}).") from None


def _guarded(path: Path, read: Callable[[], pa.Table]) -> pa.Table:
    try:
        return read()
    except (MemoryError, pa.ArrowMemoryError):
        raise TooLarge(f"{path.name}: claims more than fits into memory; the file may be damaged.") from None
    except FrameError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        # The text of these errors can quote cells; the kind of error is enough to act on.
        raise ReadError(
            f"{path.name}: damaged, or not of the kind its ending says ({type(error).__name__}); "
            "write it again."
        ) from None
