"""polars frames, eager and lazy, in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from understudy.errors import FrameError, MissingExtra
from understudy.table.frames_arrow import retyped

if TYPE_CHECKING:
    from understudy.table.frames import FrameColumn

__all__ = ["ingest", "restore"]

_REFUSED = {
    "Object": "convert it to a plain dtype",
    "List": "give each part its own column",
    "Array": "give each part its own column",
    "Struct": "unnest it, so that each part has its own column",
    "Binary": "leave the column out or turn it into text",
}
_WIDE = ("Int128", "UInt128")  # Arrow has no such integer; a decimal without decimals holds it exactly


def ingest(kind: str, data: Any) -> tuple[pa.Table, list[str]]:
    """Return the rows as Arrow and the dtypes as text; a lazy frame is collected."""
    import polars as pl

    frame = _collected(data) if kind == "polars_lazy" else data
    dtypes = []
    for name, dtype in frame.schema.items():
        word = dtype.base_type().__name__
        if word in _REFUSED:
            raise FrameError(f"polars: column {name!r} has the dtype {word}; {_REFUSED[word]}.")
        dtypes.append(word)
    try:
        wide = [
            pl.col(name).cast(pl.Decimal(38, 0))
            for name, word in zip(frame.columns, dtypes, strict=True)
            if word in _WIDE
        ]
        return frame.with_columns(wide).to_arrow(), dtypes
    except (pl.exceptions.PolarsError, pa.ArrowException):
        raise FrameError(
            "polars: a 128-bit integer has more than 38 digits; convert its column to text."
        ) from None


def restore(kind: str, arrow: pa.Table, columns: Sequence[FrameColumn]) -> Any:
    """Return a polars frame with the dtypes that `columns` name; lazy when a lazy one came."""
    pl = _polars()
    frame = pl.from_arrow(retyped(arrow, columns))
    # The columns of a frame come first and in its order, so they need no search by name.
    casts = [_cast(pl, column, array) for column, array in zip(columns, arrow.columns, strict=False)]
    frame = frame.with_columns([cast for cast in casts if cast is not None])
    return frame.lazy() if kind == "polars_lazy" else frame


def _collected(frame: Any) -> Any:
    import polars as pl

    try:
        return frame.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FrameError(
            f"polars: the lazy frame could not be collected ({type(error).__name__}); "
            "try .collect() yourself."
        ) from None


def _cast(pl: Any, column: FrameColumn, array: pa.ChunkedArray) -> Any:
    if column.dtype == "Enum":
        return pl.col(column.name).cast(pl.Enum(_levels(array)))
    if column.dtype in ("Categorical", *_WIDE):
        return pl.col(column.name).cast(getattr(pl, column.dtype))
    return None


def _levels(array: pa.ChunkedArray) -> list[str]:
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    array = array.unify_dictionaries()
    levels: list[str] = array.chunk(0).dictionary.to_pylist() if array.num_chunks else []
    return levels


def _polars() -> Any:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtra("polars: not installed; run: pip install polars") from None
    return pl
