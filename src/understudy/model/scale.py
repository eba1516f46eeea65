"""Where a value that somebody asks for lies on the scale of a column.

The scale is that of the arrays: whole steps for an exact quantity, plain floats for the rest. An end
of a range that falls between two steps moves inwards, so that a row outside the range never passes.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from understudy.errors import SchemaError, WhereError
from understudy.model.where_length import LENGTHS
from understudy.table.grid import Grid, grid_of, time_units
from understudy.table.schema import TIME_KINDS, Column

__all__ = ["highest", "lowest"]

_LARGEST = 2**62  # no step lies beyond it, and it fits an int64 where infinity does not
_FORMS = {
    "datetime": "write it like '2024-05-31' or '2024-05-31 10:30:00'; ",
    "date": "write it like '2024-05-31'; ",
    "time": "write it like '10:30:00'; ",
    "duration": f"write it as text, like {LENGTHS}; ",
}
_MOST_DIGITS = 60  # longer numbers lie beyond every step; turning them into fractions could take for ever


def lowest(column: Column, value: Any) -> float:
    """Return the first position at or above the value; None leaves the end open."""
    grid = grid_of(column)
    if value is None:
        return -math.inf if grid is None else -_LARGEST
    return _position(column, grid, value, up=True)


def highest(column: Column, value: Any) -> float:
    """Return the last position at or below the value; None leaves the end open."""
    grid = grid_of(column)
    if value is None:
        return math.inf if grid is None else _LARGEST
    return _position(column, grid, value, up=False)


def _position(column: Column, grid: Grid | None, value: Any, *, up: bool) -> float:
    try:
        if column.kind in TIME_KINDS:
            return _time(grid, value, up=up)
        number = _number(value)
        if grid is None:
            return float(number)
        return _float_step(grid, float(number), up=up) if _is_float(grid) else _whole(grid, number, up=up)
    except (SchemaError, TypeError, ValueError, OverflowError, InvalidOperation):
        raise WhereError(
            f"where: column {column.name!r}: the value does not fit a {column.kind} column; "
            f"{_FORMS.get(column.kind, '')}ask for None to get missing ones."
        ) from None


def _is_float(grid: Grid) -> bool:
    return bool(pa.types.is_floating(grid.kind))


def _number(value: Any) -> Decimal:
    """Return the number as it is written; a truth value is no number, and NaN is no value."""
    if isinstance(value, bool | np.bool_):
        raise ValueError("a truth value")
    if not isinstance(value, str | int | float | Decimal | np.number):
        raise TypeError("nothing that is written as a number")  # nor is it asked: its text may be code
    number = Decimal(str(value).strip())
    if number.is_nan():
        raise ValueError("not a number")
    return number


def _clamped(number: Decimal) -> int | None:
    """Return the largest step with the number's sign if the number lies far beyond all steps."""
    if number.is_infinite() or (number and number.adjusted() > _MOST_DIGITS):
        return _LARGEST if number > 0 else -_LARGEST
    if number and number.adjusted() < -_MOST_DIGITS:
        raise ValueError("closer to 0 than any column can tell")
    return None


def _whole(grid: Grid, number: Decimal, *, up: bool) -> int:
    beyond = _clamped(number)
    if beyond is not None:
        return beyond
    digits = grid.kind.scale if pa.types.is_decimal(grid.kind) else 0
    steps = Fraction(number) * 10**digits / grid.divisor
    return _inside(math.ceil(steps) if up else math.floor(steps))


def _float_step(grid: Grid, number: float, *, up: bool) -> int:
    if math.isinf(number):
        return _LARGEST if number > 0 else -_LARGEST
    # A float32 cell that prints as 0.1 is not 0.1: the value asked for is read as such a cell would be.
    with np.errstate(over="ignore"):  # what is too large for such a cell lies beyond all of them
        number = float(grid.kind.to_pandas_dtype()(number))
    if math.isinf(number):
        return _LARGEST if number > 0 else -_LARGEST
    step = grid.step_of(number, "where")
    found = float(grid.value_of(step))
    return _inside(step + int(up and found < number) - int(not up and found > number))


def _time(grid: Grid | None, value: Any, *, up: bool) -> int:
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, np.timedelta64):
        value = value.astype("timedelta64[us]").item()
    length = isinstance(value, dt.timedelta)  # always there, and too long for Arrow's own guess at its type
    bare = isinstance(value, bool | int | float | np.number)
    if grid is None or bare or not (length or pa.scalar(value).is_valid):
        raise ValueError("a bare number is no time, and a missing time is asked for by None")
    # A step may be a whole day: the value is read in a unit that holds it, and only then moved inwards.
    step = time_units(grid.kind) * grid.divisor
    raw = _nanoseconds(_finer(grid.kind, value), value)
    return _inside(-(-raw // step) if up else raw // step)


def _nanoseconds(fine: pa.DataType, value: Any) -> int:
    """Return a time in nanoseconds, as a number of any size: a type of nanoseconds itself ends in 2262."""
    *kinds, last = fine, *_longer(fine)
    for kind in kinds:
        try:
            return Grid(kind).step_of(value, "where") * time_units(kind)
        except SchemaError:
            continue  # the next one reaches further, and the last one says no
    return Grid(last).step_of(value, "where") * time_units(last)


def _longer(kind: pa.DataType) -> tuple[pa.DataType, ...]:
    """Return the coarser types that reach further; what only they hold lies beyond every step."""
    if pa.types.is_duration(kind):
        return pa.duration("us"), pa.duration("s")
    return (pa.timestamp("us", tz=kind.tz),) if pa.types.is_timestamp(kind) else ()


def _finer(kind: pa.DataType, value: Any) -> pa.DataType:
    """Return a type of the same sort of time that tells microseconds apart, as Python's own objects do."""
    if pa.types.is_date(kind):
        return pa.timestamp("us") if isinstance(value, str | dt.datetime) else kind
    if pa.types.is_time32(kind):
        return pa.time64("us")
    if kind.unit not in {"s", "ms"}:
        return kind
    return pa.duration("us") if pa.types.is_duration(kind) else pa.timestamp("us", tz=kind.tz)


def _inside(step: int) -> int:
    return max(-_LARGEST, min(_LARGEST, step))
