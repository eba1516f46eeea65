"""Exact counting: integers, decimals, dates and times as whole numbers of resolution steps."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.arrow_types import from_text, value_type
from understudy.table.schema import TIME_KINDS, Column

__all__ = ["Grid", "grid_of", "time_units"]

_LARGEST = 2**62  # steps beyond this leave no room for differences of two of them

_NANOSECONDS = {
    "day": 86_400_000_000_000, "hour": 3_600_000_000_000, "minute": 60_000_000_000,
    "second": 1_000_000_000, "millisecond": 1_000_000, "microsecond": 1_000, "nanosecond": 1,
}  # fmt: skip
_UNIT = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}

Steps = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """How the cells of one column become whole numbers, and back, without loss.

    An integer-like cell is `raw // divisor` steps, a float cell `round(value / resolution)`.
    """

    kind: pa.DataType
    divisor: int = 1
    decimals: int = 0

    def to_steps(self, cells: pa.Array, who: str) -> Steps:
        """Return the steps of an Arrow array; a missing cell is MISSING_STEP."""
        missing = np.asarray(pc.is_null(cells, nan_is_null=True))
        steps = (
            self._float_steps(cells, who)
            if pa.types.is_floating(self.kind)
            else self._whole_steps(cells, who)
        )
        steps[missing] = MISSING_STEP
        return steps

    def from_steps(self, steps: Steps) -> pa.Array:
        """Return the Arrow array of these steps."""
        missing = steps == MISSING_STEP
        steps = np.where(missing, 0, steps)
        if pa.types.is_floating(self.kind):
            values = _scaled(steps.astype(np.float64), -self.decimals)
            return pa.array(values, mask=missing).cast(self.kind)
        raw = steps * self.divisor
        if pa.types.is_decimal(self.kind):
            return _decimals(raw, missing, self.kind)
        plain = pa.array(raw, mask=missing)
        narrow = pa.int32() if self.kind.bit_width == 32 else pa.int64()
        return plain.cast(self.kind) if pa.types.is_integer(self.kind) else plain.cast(narrow).view(self.kind)

    def step_of(self, value: Any, who: str) -> int:
        """Return the step that one number, date, time or ISO text stands on."""
        try:
            cell = self._cell(value)
        except (ValueError, TypeError, OverflowError, InvalidOperation, pa.ArrowInvalid, NotImplementedError):
            raise SchemaError(f"{who}: the given value does not fit a column of type {self.kind}.") from None
        return int(self.to_steps(cell, who)[0])

    def value_of(self, step: int) -> int | float | str:
        """Return the number, or the ISO text of the time, at a step, as a schema file writes it."""
        value = self.from_steps(np.array([step], dtype=np.int64))[0]
        if pa.types.is_floating(self.kind) or pa.types.is_integer(self.kind):
            number: int | float = value.as_py()
            return number
        if pa.types.is_decimal(self.kind):
            exact = value.as_py()
            return int(exact) if exact == exact.to_integral_value() else float(exact)
        if pa.types.is_duration(self.kind):
            return f"{int(value.value)} {self.kind.unit}"
        return str(pc.cast(pa.array([value]), pa.string())[0].as_py())

    def _cell(self, value: Any) -> pa.Array:
        if pa.types.is_duration(self.kind) and isinstance(value, str):
            count, unit = value.split()
            return pa.array([int(count)], pa.int64()).cast(pa.duration(unit)).cast(self.kind)
        if isinstance(value, str) and pa.types.is_timestamp(self.kind) and self.kind.tz is not None:
            return pa.array([dt.datetime.fromisoformat(value)]).cast(self.kind)
        if isinstance(value, str):
            return pa.array([value.strip()]).cast(self.kind)
        if pa.types.is_decimal(self.kind):
            return pa.array([Decimal(str(value)).quantize(Decimal(1).scaleb(-self.kind.scale))], self.kind)
        if pa.types.is_integer(self.kind):
            return pa.array([int(value)], self.kind)
        return pa.array([value], self.kind)

    def _float_steps(self, cells: pa.Array, who: str) -> Steps:
        values = np.nan_to_num(_as_float(cells), nan=0.0, posinf=np.inf, neginf=-np.inf)
        scaled = np.rint(_scaled(values, self.decimals))
        if not (np.abs(scaled) < _LARGEST).all():
            raise SchemaError(
                f"{who}: infinite or too large for its resolution; clean it or drop the resolution."
            )
        return scaled.astype(np.int64)

    def _whole_steps(self, cells: pa.Array, who: str) -> Steps:
        raw = _wide(cells, who) if pa.types.is_decimal(self.kind) else _narrow(cells, who)
        if self.divisor == 1:
            return raw
        return np.asarray(np.floor_divide(raw + self.divisor // 2, self.divisor), dtype=np.int64)


def grid_of(column: Column) -> Grid | None:
    """Return the grid of a numerical or time column; None when its values are not on a grid."""
    assert column.type is not None, "a completed schema names every type"
    kind = value_type(from_text(column.type))
    who = f"column {column.name!r}"
    if column.kind in TIME_KINDS:
        unit = time_units(kind)
        coarse = _NANOSECONDS[str(column.resolution)] if column.resolution else unit
        if unit == 0 or coarse < unit:
            raise SchemaError(f"{who}: a resolution of {column.resolution} does not fit the type {kind}.")
        return Grid(kind, divisor=coarse // unit)
    if pa.types.is_floating(kind):
        return None if column.resolution is None else Grid(kind, decimals=_decimals_of(column.resolution))
    places = _decimals_of(column.resolution if column.resolution is not None else 1.0)
    if pa.types.is_decimal(kind):
        places = places if column.resolution is not None else kind.scale
        return Grid(kind, divisor=10 ** max(kind.scale - places, 0))
    if pa.types.is_integer(kind):
        return Grid(kind, divisor=10 ** max(-places, 0))
    raise SchemaError(f"{who}: a column of type {kind} cannot be {column.kind}; change its kind.")


def time_units(kind: pa.DataType) -> int:
    """Return the nanoseconds in one raw unit of a time type; 0 for any other type."""
    if pa.types.is_date32(kind):
        return _NANOSECONDS["day"]
    if pa.types.is_date64(kind):
        return _NANOSECONDS["millisecond"]
    return _UNIT[kind.unit] if pa.types.is_temporal(kind) and hasattr(kind, "unit") else 0


def _decimals_of(resolution: float | str) -> int:
    return -round(np.log10(float(resolution)))


def _scaled(values: npt.NDArray[np.float64], decimals: int) -> npt.NDArray[np.float64]:
    # Dividing by a power of ten rounds correctly; multiplying by 0.01 would not give 0.29 for 29.
    return values * 10.0**decimals if decimals >= 0 else values / 10.0**-decimals


def _as_float(cells: pa.Array) -> npt.NDArray[np.float64]:
    return np.array(pc.fill_null(cells.cast(pa.float64()), 0.0), dtype=np.float64)


def _narrow(cells: pa.Array, who: str) -> Steps:
    try:
        plain = cells if pa.types.is_integer(cells.type) else cells.view(_storage(cells.type))
        filled = pc.fill_null(plain.cast(pa.int64()), 0)
    except pa.ArrowInvalid:
        raise SchemaError(f"{who}: numbers above 2**63; make it an id, categorical or ignore.") from None
    steps = np.array(filled, dtype=np.int64)
    if steps.size and max(-int(steps.min()), int(steps.max())) >= _LARGEST:
        raise SchemaError(f"{who}: numbers beyond 2**62; make it an id, categorical or ignore.")
    return steps


def _storage(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _wide(cells: pa.Array, who: str) -> Steps:
    # A decimal is a little-endian whole number of 128 or 256 bits; it fits when all words above the
    # first only repeat its sign.
    cells = cells.cast(pa.decimal256(76, cells.type.scale))
    cells = cells if cells.offset == 0 else pa.concat_arrays([cells])
    words = np.frombuffer(cells.buffers()[1], dtype="<i8")[: 4 * len(cells)].reshape(-1, 4)
    valid = ~np.asarray(pc.is_null(cells))
    low, high = words[:, 0], words[:, 1:]
    fits = (high == (low >> 63)[:, None]).all(axis=1) & (np.abs(low.astype(np.float64)) < _LARGEST)
    if not fits[valid].all():
        raise SchemaError(f"{who}: numbers beyond 2**62; make it an id, categorical or ignore.")
    return np.where(valid, low, 0)


def _decimals(raw: Steps, missing: npt.NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    words = np.stack([raw, raw >> 63], axis=1).astype("<i8")
    bits = pa.array(~missing).buffers()[1]
    wide = pa.Array.from_buffers(
        pa.decimal128(38, kind.scale), len(raw), [bits, pa.py_buffer(words.tobytes())]
    )
    return wide.cast(kind)
