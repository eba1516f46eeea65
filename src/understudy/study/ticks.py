"""Round numbers that part a quantity: 1, 2 or 5 times a power of ten, or round spans of time."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.table.arrow_types import from_text, value_type

__all__ = ["Ticks", "ticks_of"]

CELLS = 12
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_DAYS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 90.0, 180.0)
_YEAR = 365.2425
Floats = npt.NDArray[np.float64]


@final
class Ticks(NamedTuple):
    """Ends of cells, in the unit of the quantity, and how each is written."""

    edges: Floats
    names: tuple[str, ...]


def ticks_of(values: Floats, arrow_type: str) -> Ticks:
    """Return ends of about a dozen cells over the middle 98 % of the values.

    >>> ticks_of(np.arange(18.0, 91.0), "int64").names
    ('20', '30', '40', '50', '60', '70', '80')
    >>> ticks_of(np.arange(3_650.0), "date32[day]").names[:3]
    ('1971', '1972', '1973')
    """
    present = values[np.isfinite(values)]
    if len(present) == 0:
        return Ticks(np.empty(0), ())
    low, high = (float(end) for end in np.quantile(present, [0.01, 0.99]))
    kind = value_type(from_text(arrow_type))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _of_days(low, high, _per_day(kind))
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        return _of_hours(low, high, _per_day(kind) / 24)
    edges = _round_edges(low, high)
    return Ticks(edges, tuple(f"{edge:,.10g}" for edge in edges))


def _per_day(kind: pa.DataType) -> float:
    if pa.types.is_date32(kind):
        return 1.0
    return float(_PER_DAY["ms" if pa.types.is_date64(kind) else kind.unit])


def _of_days(low: float, high: float, per_day: float) -> Ticks:
    """Return years where they part the values, days of a round number where years do not."""
    span = (high - low) / per_day
    if span > 4 * _YEAR:
        years = _round_edges(1970 + low / per_day / _YEAR, 1970 + high / per_day / _YEAR, least=1.0)
        starts = [int(np.datetime64(f"{int(year):04d}-01-01", "D").astype(np.int64)) for year in years]
        return Ticks(np.array(starts, np.float64) * per_day, tuple(f"{year:.0f}" for year in years))
    if span > 2:
        step = next((days for days in _DAYS if span / days <= CELLS), _DAYS[-1])
        days = np.arange(math.ceil(low / per_day / step), math.floor(high / per_day / step) + 1) * step
        return Ticks(
            np.asarray(days * per_day, np.float64), tuple(str(np.datetime64(int(day), "D")) for day in days)
        )
    seconds = per_day / 86_400
    marks = np.round(_round_edges(low / seconds, high / seconds, least=1.0))
    return Ticks(marks * seconds, tuple(str(np.datetime64(int(mark), "s")) for mark in marks))


def _of_hours(low: float, high: float, per_hour: float) -> Ticks:
    hours = _round_edges(low / per_hour, high / per_hour)
    return Ticks(hours * per_hour, tuple(f"{hour:,.6g} h" for hour in hours))


def _round_edges(low: float, high: float, least: float = 0.0) -> Floats:
    """Return multiples of a round step between two ends; a single round number where they are the same."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        size = 10.0 ** math.floor(math.log10(abs(low))) if low else 1.0
        return np.array([math.floor(low / size) * size])
    rough = span / CELLS
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(least, next(power * by for by in (1, 2, 5, 10) if power * by >= rough))
    edges = np.arange(math.ceil(low / step), math.floor(high / step) + 1) * step
    return np.asarray(edges if len(edges) else np.array([round(low / step) * step]), np.float64)
