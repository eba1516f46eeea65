"""Numbers of a few rows, spread over the range that is asked for.

Of a narrow range a generator may draw a handful of rows, or one. Taken again and again they would stand for
all of it. So each is moved by a kernel, as a smoothed bootstrap does (Silverman & Young 1987), in ranks:
there a column is even, and a kernel that is turned back at the ends of the range leaves an even law even. A
value that many rows share keeps its share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.ruler import between, shares
from understudy.codec.slot import Slot
from understudy.engines.condition import Between, Condition
from understudy.model.mode_ranks import ModeRanks

__all__ = ["spread"]

Floats = npt.NDArray[np.float64]

_LEAST = 1e-300  # of a range without ranks
MANY = 50  # rows, of which a range has values enough
_WIDEST, _PACE = 0.5, -1 / 3  # of the range: one row says next to nothing; 50 do by Silverman's rule as well


def spread(
    slot: Slot, condition: Condition, values: npt.NDArray[Any], rows: int, rng: np.random.Generator
) -> npt.NDArray[Any]:
    """Return values of the range that lie around these, which are of so many rows; of many, these."""
    if not isinstance(condition, Between) or not 0 < rows < MANY:
        return values
    ends = np.array([condition.low, condition.high]).astype(values.dtype)
    if not ends[0] < ends[1]:
        return values
    if isinstance(slot.encoder, Quantile):
        return _by_quantiles(slot.encoder, ends, values, rows, rng)
    if isinstance(slot.encoder, Modes):
        return _by_modes(slot.encoder, ends, values, rows, rng)
    return values


def _by_quantiles(
    encoder: Quantile, ends: npt.NDArray[Any], values: npt.NDArray[Any], rows: int, rng: np.random.Generator
) -> npt.NDArray[Any]:
    low, high = _all_ranks(encoder, ends)
    place = (_ranks(encoder, values, rng) - low) / max(high - low, _LEAST)
    rank = low + (high - low) * _moved(place, rows, rng)
    number = ndtri(rank) if encoder.normal else 2 * rank - 1
    return np.asarray(np.clip(encoder.decode(number[:, None]), *ends), dtype=values.dtype)


def _by_modes(
    encoder: Modes, ends: npt.NDArray[Any], values: npt.NDArray[Any], rows: int, rng: np.random.Generator
) -> npt.NDArray[Any]:
    half = 0.5 / (float(ends[1]) - float(ends[0])) if values.dtype.kind == "i" else 0.0
    ranks = ModeRanks.within(encoder, ends, half)
    # A whole number stands for all that would be rounded to it.
    place = shares(values, ends[0], ends[1]) + rng.uniform(-half, half, len(values))
    moved = between(ends[0], ends[1], ranks.at(_moved(ranks.of(place), rows, rng)))
    return np.where(np.isin(values, encoder.ties), values, moved)  # a tie keeps its share


def _ranks(
    encoder: Quantile, values: npt.NDArray[Any], rng: np.random.Generator | None
) -> npt.NDArray[np.float64]:
    numbers = encoder.encode(values, rng)[:, 0]
    return np.asarray(ndtr(numbers) if encoder.normal else (numbers + 1) / 2, dtype=np.float64)


def _all_ranks(encoder: Quantile, ends: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the first and the last rank of a range, with all those of the values at its ends."""
    low, high = _ranks(encoder, ends, None)
    first, last = np.searchsorted(encoder.values, ends).clip(0, len(encoder.values) - 1)
    low = encoder.lower[first] if encoder.values[first] == ends[0] else low
    high = encoder.upper[last] if encoder.values[last] == ends[1] else high
    return float(low), float(high)


def _moved(places: Floats, rows: int, rng: np.random.Generator) -> Floats:
    """Return places in [0, 1], moved by the kernel of so many rows."""
    return _turned_back(places + rng.normal(scale=_WIDEST * rows**_PACE, size=len(places)))


def _turned_back(places: Floats) -> Floats:
    """Return places in [0, 1]: what leaves at an end comes back in from there.

    >>> _turned_back(np.array([0.25, -0.25, 1.25, 2.25])).tolist()
    [0.25, 0.25, 0.75, 0.25]
    """
    folded = np.mod(places, 2.0)
    return np.where(folded > 1.0, 2.0 - folded, folded)
