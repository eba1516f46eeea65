"""Which way the values of a column lie, said where a condition asks for what a model cannot draw.

The ends are the bounds of the model's own schema: whoever holds the model holds them.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.engines.condition import Between, Conditions
from understudy.errors import NothingMatches, WhereError
from understudy.model.scale import highest, lowest
from understudy.model.where_length import length_text
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.schema import TIME_KINDS, Column, Schema

__all__ = ["pointed"]


def pointed(refused: NothingMatches, schema: Schema, conditions: Conditions) -> NothingMatches:
    """Return the error with the ends of the columns that are asked for beyond them.

    Where no column is, one range alone is to blame for itself, and the ends of its column are told.
    """
    asked = [
        (_Reach.of(schema.column(name)), each)
        for name, each in conditions.items()
        if isinstance(each, Between)
    ]
    known = [(reach, each) for reach, each in asked if reach is not None]
    beyond = [reach for reach, each in known if each.high < reach.low or each.low > reach.high]
    told = beyond or [reach for reach, _ in known if len(conditions) == 1]
    return NothingMatches(" ".join([str(refused), *(each.told() for each in told)]))


@final
class _Reach(NamedTuple):
    """A column, and the first and the last position that its bounds leave."""

    column: Column
    low: float
    high: float

    @classmethod
    def of(cls, column: Column) -> _Reach | None:
        """Return what the bounds of a schema say; None where there are none."""
        if column.bounds is None:
            return None
        try:
            low, high = lowest(column, column.bounds.low), highest(column, column.bounds.high)
        except WhereError:
            return None  # the text of a far-off year cannot be read back
        return cls(column, low, high)

    def told(self) -> str:
        """Return the ends in a sentence."""
        grid = grid_of(self.column)
        low, high = (_text(self.column, grid, end) for end in (self.low, self.high))
        zone = getattr(grid.kind, "tz", None) if grid is not None else None
        return f"Values of {self.column.name!r} lie from {low} to {high}{f' ({zone})' if zone else ''}."


def _text(column: Column, grid: Grid | None, position: float) -> str:
    """Return a position in the words in which `where` takes it."""
    if grid is None:
        return repr(float(position))
    return _time_text(grid, int(position)) if column.kind in TIME_KINDS else str(grid.value_of(int(position)))


def _time_text(grid: Grid, step: int) -> str:
    if pa.types.is_duration(grid.kind):
        return length_text(step * grid.divisor * time_units(grid.kind))
    text = str(grid.value_of(step))
    if pa.types.is_timestamp(grid.kind) and grid.kind.tz is not None:
        cell = grid.from_steps(np.array([step], dtype=np.int64))
        text = str(pc.local_timestamp(cell).cast(pa.string())[0])
    return text.rstrip("0").rstrip(".") if "." in text else text
