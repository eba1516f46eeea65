"""A table at a glance: one line for each column, so that two tables can be laid side by side."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.arrow_types import value_type
from understudy.table.grid import time_units
from understudy.table.table import Table

__all__ = ["glance"]


def glance(table: Table) -> dict[str, str]:
    """Return a few words about each column: its median and ends or its commonest value, and what is missing.

    The words quote values. They are for a table that may be looked at, never for a log.

    >>> glance(Table(pa.table({"age": [30, 40, 50], "sex": ["F", "F", None]})))
    {'age': '40 (30 to 50)', 'sex': 'F 100% of 1 level, 33% missing'}
    """
    arrow = table.to_arrow()
    return {name: _line(arrow.column(name)) for name in table.names}


def _line(cells: pa.ChunkedArray) -> str:
    present = pc.drop_null(cells)
    if len(present) == 0:
        return "all missing"
    share = 1 - len(present) / len(cells)
    missing = f", {share:.0%} missing" if share else ""
    return _words(present) + missing


def _words(present: pa.ChunkedArray) -> str:
    kind = value_type(present.type)
    if pa.types.is_decimal(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _middle(present.cast(pa.float64()))
    if time_units(kind):
        return str(_at(present, 0.5).as_py())
    return _commonest(present)


def _middle(present: pa.ChunkedArray) -> str:
    low, middle, high = (_short(_at(present, part).as_py()) for part in (0.0, 0.5, 1.0))
    return f"{middle} ({low} to {high})"


def _at(present: pa.ChunkedArray, part: float) -> pa.Scalar:
    return present[pc.sort_indices(present)[round(part * (len(present) - 1))].as_py()]


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _commonest(present: pa.ChunkedArray) -> str:
    counts = present.cast(value_type(present.type)).value_counts()
    levels = len(counts)
    if levels == len(present) > 1:
        return "all different"
    most = pc.index(counts.field("counts"), pc.max(counts.field("counts"))).as_py()
    top, count = counts.field("values")[most].as_py(), counts.field("counts")[most].as_py()
    return f"{top} {count / len(present):.0%} of {levels:,} level{'s' if levels > 1 else ''}"
