"""The step on which all values of a column lie, read off its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.grid import largest_float_step, time_units

__all__ = ["decimal_resolution", "resolution_of"]

_MOST_DECIMALS = 6  # finer floats are measurements, not counts of something
_A_FEW = 1_000  # rows that tell most columns off a grid before all rows are looked at


def resolution_of(flat: pa.Array) -> float | str | None:
    """Return a power of ten, a unit of time, or None for floats that lie on no grid.

    >>> resolution_of(pa.array([0.25, 1.5, None]))
    0.01
    """
    if time_units(flat.type):
        return _time_resolution(flat)
    if pa.types.is_decimal(flat.type):
        return decimal_resolution(flat)
    if not pa.types.is_floating(flat.type):
        return 1.0
    values = np.asarray(pc.drop_null(flat).cast(pa.float64()))
    values = values[~np.isnan(values)]
    if not np.isfinite(values).all():
        return None
    for decimals in range(_MOST_DECIMALS + 1):
        if _on_grid(values[:_A_FEW], decimals, flat.type) and _on_grid(values, decimals, flat.type):
            return float(f"1e{-decimals}")
    return None


def decimal_resolution(cells: Any) -> float:
    """Return the coarsest power of ten of which all decimals are whole multiples; never coarser than 1."""
    scale = cells.type.scale
    wide = pc.drop_null(cells).cast(pa.decimal256(76, scale))
    for places in range(min(scale, 0), scale):
        if all(pc.all(pc.equal(pc.round(part, places), part)).as_py() for part in (wide[:_A_FEW], wide)):
            return float(f"1e{-places}")
    return float(f"1e{-scale}")


def _on_grid(values: npt.NDArray[np.float64], decimals: int, kind: pa.DataType) -> bool:
    with np.errstate(over="ignore"):  # what overflows is on no grid
        scaled = np.rint(values * 10.0**decimals)
    narrow = kind.to_pandas_dtype()
    # Equality after division: the cell is the float nearest to a number with so many decimals.
    return bool(
        (np.abs(scaled) < largest_float_step(decimals)).all()
        and ((scaled / 10.0**decimals).astype(narrow) == values.astype(narrow)).all()
    )


def _time_resolution(flat: pa.Array) -> str:
    unit = time_units(flat.type)
    plain = pc.drop_null(flat).view(pa.int32() if flat.type.bit_width == 32 else pa.int64()).cast(pa.int64())
    raw = np.asarray(plain, dtype=np.int64)
    names = ("day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
    sizes = (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)
    for name, size in zip(names, sizes, strict=True):
        if size >= unit and (size == unit or not (raw % (size // unit)).any()):
            return name
    return "nanosecond"
