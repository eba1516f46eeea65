"""Any data frame in as Arrow, and Arrow out as the same kind of frame.

A `Frame` remembers the kind of frame and the dtype of each column as text. It never holds a cell,
a category or a count, so it may be stored in a model. Where a dtype lists its categories, they are
taken on the way back from the dictionary of the Arrow column.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import pyarrow as pa

from understudy.errors import FrameError
from understudy.table import frames_arrow, frames_duckdb, frames_pandas, frames_polars
from understudy.table.arrow_own import own
from understudy.table.arrow_plain import plain

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Frame", "FrameColumn", "ingest", "to_pandas", "to_polars"]

_ROOMS: dict[str, Any] = {
    "pandas": frames_pandas,
    "polars": frames_polars,
    "polars_lazy": frames_polars,
    "arrow": frames_arrow,
    "arrow_batch": frames_arrow,
    "stream": frames_arrow,
    "duckdb": frames_duckdb,
}
_ADVICE = {
    "Series": "call .to_frame() on it",
    "ndarray": "give its columns names with pandas.DataFrame(array, columns=[...])",
    "dict": "make a frame of it with pandas.DataFrame(...) or pyarrow.table(...)",
    "list": "make a frame of it with pandas.DataFrame(...) or pyarrow.table(...)",
    "tuple": "make a frame of it with pandas.DataFrame(...) or pyarrow.table(...)",
}


@final
@dataclass(frozen=True)
class FrameColumn:
    """What the caller's frame says about one column: its dtype and its Arrow type, as text."""

    name: str
    dtype: str
    type: str
    nullable: bool = True


@final
@dataclass(frozen=True)
class Frame:
    """The kind of frame a table came from, and the dtype of each column.

    >>> arrow, frame = ingest(pa.table({"age": pa.array([31, None], pa.int8())}))
    >>> frame.kind, frame.columns[0].type
    ('arrow', 'int8')
    >>> Frame.from_json(frame.to_json()) == frame
    True
    """

    kind: str
    columns: tuple[FrameColumn, ...]

    def restore(self, arrow: pa.Table) -> Any:
        """Return the rows as the caller's kind of frame, with the caller's dtypes and column order.

        Columns that `arrow` does not have are left out; columns the frame does not know come
        last, in a dtype that suits them. A missing value in a dtype without room for one gives the
        nullable form of that dtype: int64 becomes Int64, never float.
        """
        places = {name: place for place, name in enumerate(arrow.schema.names)}
        known = [column for column in self.columns if column.name in places]
        order = [places.pop(column.name) for column in known] + sorted(places.values())
        return _ROOMS[self.kind].restore(self.kind, arrow.select(order), known)

    def to_json(self) -> str:
        """Return JSON text that `from_json` gives back unchanged."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Frame:
        """Read what `to_json` wrote; anything else is refused."""
        try:
            tree = json.loads(text)
            kind, columns = tree["kind"], tuple(FrameColumn(**column) for column in tree["columns"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FrameError(
                "frame: expected the JSON text that Frame.to_json writes; got something else."
            ) from None
        if (
            not isinstance(kind, str)
            or kind not in _ROOMS
            or not all(_well_typed(column) for column in columns)
        ):
            raise FrameError(
                f"frame: expected a kind out of {', '.join(_ROOMS)} and columns described by text."
            )
        return cls(kind, columns)


def ingest(data: object) -> tuple[pa.Table, Frame]:
    """Turn any data frame into Arrow and a note of what it was; the frame itself is not touched.

    Accepts pandas, polars (eager or lazy), pyarrow (Table, RecordBatch, RecordBatchReader), a duckdb
    relation, and anything with `__arrow_c_stream__`.
    """
    kind = _kind_of(data)
    arrow, dtypes = _ROOMS[kind].ingest(kind, data)
    columns = tuple(
        FrameColumn(field.name, dtype, str(field.type), field.nullable)
        for field, dtype in zip(arrow.schema, dtypes, strict=True)
    )
    return own(plain(arrow, kind)), Frame(kind, columns)


def to_pandas(arrow: pa.Table) -> pd.DataFrame:
    """Return Arrow rows as pandas: whole numbers stay exact with or without missing values."""
    frame: pd.DataFrame = frames_pandas.restore("pandas", arrow, [])
    return frame


def to_polars(arrow: pa.Table) -> pl.DataFrame:
    """Return Arrow rows as polars."""
    frame: pl.DataFrame = frames_polars.restore("polars", arrow, [])
    return frame


def _kind_of(data: object) -> str:
    # A package that is not loaded cannot have made the object: nothing is imported just to ask.
    for kind, package, name in (
        ("pandas", "pandas", "DataFrame"),
        ("polars", "polars", "DataFrame"),
        ("polars_lazy", "polars", "LazyFrame"),
        ("arrow", "pyarrow", "Table"),
        ("arrow_batch", "pyarrow", "RecordBatch"),
        ("duckdb", "duckdb", "DuckDBPyRelation"),
    ):
        cls = getattr(sys.modules.get(package), name, None)
        if cls is not None and isinstance(data, cls):
            return kind
    if hasattr(data, "__arrow_c_stream__") and type(data).__name__ not in _ADVICE:
        return "stream"
    raise _not_a_frame(data)


def _not_a_frame(data: object) -> FrameError:
    what = type(data).__name__
    advice = _ADVICE.get(what, "give a path, a database URL, or a pandas, polars, pyarrow or duckdb frame")
    return FrameError(f"read: expected a table; got {what}; {advice}.")


def _well_typed(column: FrameColumn) -> bool:
    texts = (column.name, column.dtype, column.type)
    return all(isinstance(text, str) for text in texts) and isinstance(column.nullable, bool)
