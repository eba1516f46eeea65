"""One immutable table, held as Arrow, that remembers what kind of frame it came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import pyarrow as pa

from understudy.errors import FrameError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from understudy.table.frames import Frame

__all__ = ["Table"]


@final
class Table:
    """Rows and columns with names, types and missing values; nothing in it can be changed.

    `condition` is said of rows that were picked from a larger table by looking at it: what must hold for a
    price of them to hold for rows of that table.

    >>> table = Table(pa.table({"age": [31, None], "sex": ["F", "M"]}))
    >>> len(table), table.names
    (2, ['age', 'sex'])
    """

    __slots__ = ("_arrow", "_condition", "_frame")

    def __init__(self, arrow: pa.Table, frame: Frame | None = None, *, condition: str = "") -> None:
        if not isinstance(arrow, pa.Table):
            raise FrameError(f"table: expected an Arrow table; got {type(arrow).__name__}; try us.read.")
        refuse_bad_names(arrow.schema.names)
        self._arrow = arrow
        self._frame = frame
        self._condition = condition

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return list(self._arrow.schema.names)

    @property
    def frame(self) -> Frame | None:
        """The kind of frame this table came from; None for a file, a database or Arrow rows of our own."""
        return self._frame

    @property
    def condition(self) -> str:
        """What must hold for prices of these rows to be right; empty for rows that nobody picked."""
        return self._condition

    def __len__(self) -> int:
        return int(self._arrow.num_rows)

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows x {len(self.names)} columns)"

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table, without a copy."""
        return self._arrow

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame: exact integers stay integers, blanks or not."""
        from understudy.table.frames import to_pandas

        return to_pandas(self._arrow)

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars frame."""
        from understudy.table.frames import to_polars

        return to_polars(self._arrow)

    def write(self, path: str | Path, *, raw_csv: bool = False) -> Path:
        """Write the table; the ending of `path` names the format.

        Text cells that a spreadsheet would run as a formula get a leading apostrophe in
        CSV, unless `raw_csv` is set. The file appears whole or not at all.
        """
        from understudy.table.write import write

        return write(self._arrow, Path(path), raw_csv=raw_csv)


def refuse_bad_names(names: list[str]) -> None:
    """Refuse duplicate and empty column names: both make a cell impossible to address."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name.strip():
            raise FrameError(f"table: column {place} has no name; give every column a name that is text.")
        if name in seen:
            raise FrameError(
                f"table: columns {seen[name]} and {place} have the same name; rename one of them."
            )
        seen[name] = place
