"""Exact counting: integers, decimals, dates and times as whole numbers of resolution steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.arrow_types import from_text, value_type
from understudy.table.schema import TIME_KINDS, Column, Kind

__all__ = [
    "Grid",
    "Steps",
    "grid_of",
    "largest_float",
    "largest_float_step",
    "reach",
    "read_cell",
    "time_units",
]

_LARGEST = 2**62  # steps beyond this leave no room for differences of two of them
_EXACT = Context(prec=100)  # more digits than any decimal type has

_NANOSECONDS = {
    "day": 86_400_000_000_000, "hour": 3_600_000_000_000, "minute": 60_000_000_000,
    "second": 1_000_000_000, "millisecond": 1_000_000, "microsecond": 1_000, "nanosecond": 1,
}  # fmt: skip
_UNIT = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
_UNREADABLE = (ValueError, TypeError, OverflowError, InvalidOperation, pa.ArrowException)

Steps = npt.NDArray[np.int64]


@final
@dataclass(frozen=True)
class Grid:
    """How the cells of one column become whole numbers, and back, without loss.

    A moment is `raw // divisor` steps: it belongs to the hour or day it falls in. Any other whole
    cell is the nearest number of steps, and a float cell `round(value / resolution)`.
    """

    kind: pa.DataType
    divisor: int = 1
    decimals: int = 0

    def to_steps(self, cells: pa.Array, who: str) -> Steps:
        """Return the steps of an Arrow array; a missing cell is MISSING_STEP."""
        if pa.types.is_floating(self.kind):
            steps = _float_steps(cells, self.decimals, largest_float_step(self.decimals), who)
        else:
            steps = self._whole_steps(cells, who)
        steps[np.asarray(pc.is_null(cells, nan_is_null=True))] = MISSING_STEP
        return steps

    def from_steps(self, steps: Steps) -> pa.Array:
        """Return the Arrow array of these steps."""
        missing = steps == MISSING_STEP
        steps = np.where(missing, 0, steps)
        if pa.types.is_floating(self.kind):
            values = _scaled(steps.astype(np.float64), -self.decimals)
            return pa.array(values, mask=missing).cast(self.kind)
        self._refuse_beyond(steps, "grid")
        if pa.types.is_decimal(self.kind):
            return _decimals(steps, missing, self._places()).cast(self.kind)
        plain = pa.array(steps * self.divisor, mask=missing)
        if pa.types.is_integer(self.kind):
            return plain.cast(self.kind)
        return plain.cast(_storage(self.kind)).view(self.kind)

    def step_of(self, value: Any, who: str) -> int:
        """Return the step that one number, date, time or ISO text stands on."""
        try:
            cell = self._cell(value)
        except _UNREADABLE:
            raise SchemaError(f"{who}: the given value does not fit a column of type {self.kind}.") from None
        if cell.null_count or (pa.types.is_floating(self.kind) and math.isnan(cell[0].as_py())):
            raise SchemaError(f"{who}: the given value is missing; a number or a time is needed.")
        if pa.types.is_floating(self.kind):
            return int(_float_steps(cell, self.decimals, _LARGEST, who)[0])
        return int(self.to_steps(cell, who)[0])

    def value_of(self, step: int) -> int | float | str:
        """Return the number, or the ISO text of the time, at a step, as a schema file writes it."""
        value = self.from_steps(np.array([step], dtype=np.int64))[0]
        if pa.types.is_floating(self.kind) or pa.types.is_integer(self.kind):
            number: int | float = value.as_py()
            return number
        if pa.types.is_decimal(self.kind):
            return _written(value.as_py())
        if pa.types.is_duration(self.kind):
            return f"{int(value.value)} {self.kind.unit}"
        # In UTC: the offsets of old local times have seconds, which ISO text does not hold.
        zoned = pa.types.is_timestamp(self.kind) and self.kind.tz is not None
        plain = pa.timestamp(self.kind.unit, "UTC") if zoned else self.kind
        return str(pa.array([value.value], _storage(plain)).view(plain).cast(pa.string())[0])

    def _cell(self, value: Any) -> pa.Array:
        if isinstance(value, bool | np.bool_):
            raise TypeError("a truth value is neither a number nor a time")
        if pa.types.is_decimal(self.kind):
            exact = Decimal(str(value).strip()).quantize(Decimal(1).scaleb(-self.kind.scale), context=_EXACT)
            return pa.array([exact], self.kind)
        if isinstance(value, str):
            return read_cell(value.strip(), self.kind)
        if pa.types.is_integer(self.kind):
            if int(value) != value:
                raise ValueError("between two whole numbers")
            return pa.array([int(value)], self.kind)
        return pa.array([value], self.kind)

    def _whole_steps(self, cells: pa.Array, who: str) -> Steps:
        if pa.types.is_decimal(self.kind):
            steps = _wide(cells, self._places(), who)
        else:
            steps, rest = np.divmod(_narrow(cells, who), self.divisor)
            if pa.types.is_integer(self.kind) or pa.types.is_duration(self.kind):
                steps = steps + (rest >= self.divisor - self.divisor // 2)
        if steps.size and max(-int(steps.min()), int(steps.max())) >= _LARGEST:
            raise _too_large(who)
        if self.divisor > 1:
            self._refuse_beyond(steps, who)
        return np.asarray(steps, dtype=np.int64)

    def _places(self) -> int:
        """Return the digits after the point of a step of a decimal column."""
        return int(self.kind.scale) - (len(str(self.divisor)) - 1)

    def _refuse_beyond(self, steps: Steps, who: str) -> None:
        """Refuse steps whose cells the type cannot hold: a coarse step may round past its end."""
        low, high = _range(self.kind)
        if steps.size and (int(steps.min()) * self.divisor < low or int(steps.max()) * self.divisor > high):
            raise SchemaError(f"{who}: a step falls outside the type {self.kind}; use a finer resolution.")


def grid_of(column: Column) -> Grid | None:
    """Return the grid of a numerical or time column; None when its values are not on a grid."""
    assert column.type is not None, "a completed schema names every type"
    kind = value_type(from_text(column.type))
    who = f"column {column.name!r}"
    unfit = SchemaError(f"{who}: a resolution of {column.resolution} does not fit the type {kind}.")
    if column.kind in TIME_KINDS:
        unit = time_units(kind)
        if unit == 0:
            raise SchemaError(
                f"{who}: a column of type {kind} cannot be {column.kind}; change its kind{_advice(kind)}."
            )
        coarse = _NANOSECONDS[str(column.resolution)] if column.resolution else unit
        if coarse < unit:
            raise unfit
        return Grid(kind, divisor=coarse // unit)
    places = 0 if column.resolution is None else -round(math.log10(float(column.resolution)))
    if pa.types.is_floating(kind):
        if abs(places) > 22:  # powers of ten beyond 10**22 are no exact floats
            raise unfit
        return None if column.resolution is None else Grid(kind, decimals=places)
    if pa.types.is_decimal(kind):
        places = places if column.resolution is not None else kind.scale
        return Grid(kind, divisor=10 ** max(kind.scale - places, 0))
    if pa.types.is_integer(kind):
        if 10**-places >= _LARGEST:
            raise unfit
        return Grid(kind, divisor=10 ** max(-places, 0))
    raise SchemaError(f"{who}: a column of type {kind} cannot be {column.kind}; change its kind.")


def _advice(kind: pa.DataType) -> str:
    if str(kind) not in {"string", "large_string"}:
        return ""
    return (
        ", convert it, or mend the cells: text is read as times if all of it has one spelling, such as "
        '2024-05-31 or 10:30. Within a budget say which: "form": {"time": "YYYY-MM-DD HH:MM:SS"}'
    )


def time_units(kind: pa.DataType) -> int:
    """Return the nanoseconds in one raw unit of a time type; 0 for any other type."""
    if pa.types.is_date32(kind):
        return _NANOSECONDS["day"]
    if pa.types.is_date64(kind):
        return _NANOSECONDS["millisecond"]
    return _UNIT[kind.unit] if pa.types.is_temporal(kind) and hasattr(kind, "unit") else 0


def time_kind(kind: pa.DataType) -> Kind:
    """Return the kind of column that a time type means.

    >>> time_kind(pa.date32())
    'date'
    """
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_time(kind):
        return "time"
    return "duration" if pa.types.is_duration(kind) else "datetime"


def largest_float_step(decimals: int) -> int:
    """Return the number of steps below which a float is told from both its neighbours on the grid.

    Whole floats are exact up to 2**53. In any other step the cell and its product with a power of ten
    are both rounded, and the two errors together must stay below half a step.
    """
    return 2**53 if decimals == 0 else 2**51


def _scaled(values: npt.NDArray[np.float64], decimals: int) -> npt.NDArray[np.float64]:
    # Dividing by a power of ten rounds correctly; multiplying by 0.01 would not give 0.29 for 29.
    with np.errstate(over="ignore"):  # what overflows is refused as too large
        return values * 10.0**decimals if decimals >= 0 else values / 10.0**-decimals


def _float_steps(cells: pa.Array, decimals: int, largest: int, who: str) -> Steps:
    values = np.array(pc.fill_null(cells.cast(pa.float64()), 0.0), dtype=np.float64)
    scaled = np.rint(_scaled(np.where(np.isnan(values), 0.0, values), decimals))
    if not (np.abs(scaled) < largest).all():
        raise SchemaError(
            f"{who}: infinite or too large for its resolution; clean it or drop the resolution."
        )
    return np.asarray(scaled.astype(np.int64))


def _narrow(cells: pa.Array, who: str) -> Steps:
    try:
        plain = cells if pa.types.is_integer(cells.type) else cells.view(_storage(cells.type))
        filled = pc.fill_null(plain.cast(pa.int64()), 0)
    except pa.ArrowInvalid:
        raise _too_large(who) from None
    return np.array(filled, dtype=np.int64)


def _wide(cells: pa.Array, places: int, who: str) -> Steps:
    # A decimal is a little-endian whole number of up to 256 bits; it fits when all words above the
    # first only repeat its sign.
    wide = cells.cast(pa.decimal256(76, cells.type.scale))
    if places < cells.type.scale:
        wide = pc.round(wide, ndigits=places, round_mode="half_up").cast(pa.decimal256(76, places))
    wide = wide if wide.offset == 0 else pa.concat_arrays([wide])
    if len(wide) == 0:
        return np.empty(0, dtype=np.int64)
    words = np.frombuffer(wide.buffers()[1], dtype="<i8")[: 4 * len(wide)].reshape(-1, 4)
    valid = np.asarray(pc.is_valid(wide))
    low, high = words[:, 0], words[:, 1:]
    fits = (high == (low >> 63)[:, None]).all(axis=1) & (low > -_LARGEST) & (low < _LARGEST)
    if not fits[valid].all():
        raise _too_large(who)
    return np.where(valid, low, 0)


def reach(grid: Grid) -> tuple[int, int]:
    """Return the least and the largest step that a cell can stand on: a day has no 25th hour.

    >>> reach(Grid(pa.time32("s")))
    (0, 86399)
    """
    if pa.types.is_floating(grid.kind):
        # Beyond it a float no longer is the step it was made from, and may round to one that is refused.
        most = largest_float_step(grid.decimals) - 1
        most = most if pa.types.is_float64(grid.kind) else min(most, _narrow_reach(grid))
        return -most, most
    low, high = _range(grid.kind)
    high = (
        high if pa.types.is_decimal(grid.kind) else min(high, 2**63 - 1)
    )  # steps become cells by way of int64
    unit = time_units(grid.kind)
    if pa.types.is_time(grid.kind):
        low, high = 0, _NANOSECONDS["day"] // unit - 1
    elif unit and not pa.types.is_duration(grid.kind):
        # The years 1 to 9999, which every calendar library can write.
        first, last = (days * _NANOSECONDS["day"] // unit for days in (-719_162, 2_932_896))
        low, high = max(low, first), min(high, last)
    return max(-(-low // grid.divisor), -_LARGEST + 1), min(high // grid.divisor, _LARGEST - 1)


def largest_float(kind: pa.DataType) -> float:
    """Return the largest finite number of a type of floats.

    >>> largest_float(pa.float16())
    65504.0
    """
    return float(np.finfo(kind.to_pandas_dtype()).max)


def _narrow_reach(grid: Grid) -> int:
    """Return a step whose nearest float of a narrow type is finite, and no step beyond the largest one."""
    narrow = grid.kind.to_pandas_dtype()
    farthest = _scaled(np.array([float(largest_float_step(grid.decimals) - 1)]), -grid.decimals)
    cell = np.minimum(farthest, largest_float(grid.kind)).astype(narrow)
    return math.floor(Decimal(float(np.nextafter(cell, narrow(0))[0])).scaleb(grid.decimals))


def _too_large(who: str) -> SchemaError:
    return SchemaError(f"{who}: numbers beyond 2**62 steps; make it an id, categorical or ignore.")


def _decimals(steps: Steps, missing: npt.NDArray[np.bool_], places: int) -> pa.Array:
    sign = steps >> 63
    words = np.stack([steps, sign, sign, sign], axis=1).astype("<i8")
    bits = pa.array(~missing).buffers()[1]
    kind = pa.decimal256(76, places)
    return pa.Array.from_buffers(kind, len(steps), [bits, pa.py_buffer(words.tobytes())])


def _storage(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _range(kind: pa.DataType) -> tuple[int, int]:
    """Return the least and the greatest raw whole number of a type."""
    if pa.types.is_decimal(kind):
        return -(10**kind.precision) + 1, 10**kind.precision - 1
    info = np.iinfo(kind.to_pandas_dtype() if pa.types.is_integer(kind) else f"i{kind.bit_width // 8}")
    return int(info.min), int(info.max)


def _written(exact: Decimal) -> int | float | str:
    """Return the decimal as a JSON number where that is exact, else as text."""
    if exact == exact.to_integral_value():
        return int(exact)
    return float(exact) if Decimal(repr(float(exact))) == exact else str(exact)


def read_cell(text: str, kind: pa.DataType) -> pa.Array:
    """Read text as a cell: ISO for dates and times, `90 s` for a length of time."""
    if pa.types.is_duration(kind):
        count, unit = text.split()
        return pa.array([int(count)], pa.int64()).cast(pa.duration(unit)).cast(kind)
    if pa.types.is_time(kind):
        # Arrow reads no bare times of day, but the same time on the first of all days.
        moment = pa.array([f"1970-01-01 {text}"]).cast(pa.timestamp(kind.unit))
        return moment.cast(pa.int64()).cast(_storage(kind)).view(kind)
    if not pa.types.is_timestamp(kind) or kind.tz is None:
        return pa.array([text]).cast(kind)
    try:
        return pa.array([text]).cast(pa.timestamp(kind.unit, "UTC")).cast(kind)
    except pa.ArrowInvalid:
        # Without an offset the text means UTC, whatever the zone: a wall clock repeats an hour each autumn.
        return pa.array([text]).cast(pa.timestamp(kind.unit)).cast(pa.int64()).view(kind)
