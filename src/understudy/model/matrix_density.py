"""The density of rows in the units of their columns, from that of a codec's matrix.

A number of the matrix is a rank, read as a normal. A value that owns an interval of ranks, such as a step or
a value that many rows share, counts by the probability of that interval; any other, and a step as fine as a
nanosecond of a year, by the density there times the slope of the ranks. Other columns see the middle of the
interval. So the figures of all values of a column add up, with the integral of those between, to 1.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.codec import Codec
from understudy.codec.listed import Listed
from understudy.codec.quantile import Quantile
from understudy.codec.slot import CodeSlot, NumberSlot, Slot
from understudy.engines.generator import DenseGenerator
from understudy.missing import is_missing
from understudy.model.sampler import Columns

__all__ = ["log_density"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_FAR = 38.0  # deviations: nothing that doubles can tell lies beyond
_FINE = 2.0**-30  # of the ranks: of so narrow a step both ends are all but one number


def log_density(codec: Codec, generator: DenseGenerator | None, columns: Columns) -> Floats:
    """Return one number per row; -inf where a cell is nothing that the codec could have written."""
    if generator is None:
        return np.zeros(0)  # nothing is modelled, so there are no columns to count rows by
    possible = np.logical_and.reduce([_possible(slot, columns[slot.name]) for slot in codec.slots])
    found = np.full(len(possible), -np.inf)
    held = {slot.name: columns[slot.name][possible] for slot in codec.slots}
    numbers = [slot for slot in codec.slots if isinstance(slot, NumberSlot)]
    ends = [_ends(slot, held[slot.name]) for slot in numbers]
    low, high, slopes = (
        np.stack(parts, axis=1) if ends else np.zeros((int(possible.sum()), 0))
        for parts in (zip(*ends, strict=True) if ends else [()] * 3)
    )
    if possible.any():
        found[possible] = generator.log_density(codec.encode(held), low, high) + slopes.sum(axis=1)
    return found


class _Ends(NamedTuple):
    """The normal scores that a value's interval ends at, or NaN, and what its own units add to a density."""

    low: Floats
    high: Floats
    slope: Floats


def _possible(slot: Slot, values: npt.NDArray[Any]) -> Bools:
    gone = is_missing(values)
    if isinstance(slot, CodeSlot):
        # Levels that no schema knows were refused before.
        fits = np.isin(values, slot.encoder.values) if isinstance(slot.encoder, Listed) else ~gone
        return np.asarray(np.where(gone, slot.gaps, fits), dtype=bool)
    assert isinstance(slot.encoder, Quantile), "a density is that of ranks"
    inside = (values >= slot.encoder.values[0]) & (values <= slot.encoder.values[-1])
    return np.asarray(np.where(gone, slot.gaps, inside), dtype=bool)


def _ends(slot: NumberSlot, values: npt.NDArray[Any]) -> _Ends:
    assert isinstance(slot.encoder, Quantile), "a density is that of ranks"
    gone = is_missing(values)
    settled = np.where(gone, slot.encoder.values[0], values)
    whole = values.dtype.kind == "i"
    low, high = _steps(slot.encoder, settled) if whole else _ties(slot.encoder, settled)
    # Nobody looks at a number that is missing; its flag says all. A fine step counts by the density at its
    # middle, times 1.
    owns, slope = (high - low > (_FINE if whole else 0.0)) | gone, np.zeros(len(values))
    slope[~owns] = _log_slopes(slot.encoder, settled[~owns])
    scores = [np.where(owns, np.clip(ndtri(rank), -_FAR, _FAR), np.nan) for rank in (low, high)]
    return _Ends(scores[0], scores[1], slope)


def _steps(encoder: Quantile, values: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the ranks that decode to each step: half a step below it to half a step above."""
    knots = encoder.values
    right = np.searchsorted(knots, values, side="left")
    left, after = np.maximum(right - 1, 0), np.searchsorted(knots, values, side="right")
    low = _between(encoder, left, right, values, -0.5)
    high = _between(encoder, np.maximum(after - 1, 0), np.minimum(after, len(knots) - 1), values, 0.5)
    return np.where(values == knots[0], 0.0, low), np.where(values == knots[-1], 1.0, high)


def _between(
    encoder: Quantile,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    values: npt.NDArray[Any],
    beyond: float,
) -> Floats:
    """Return the rank of value + beyond on the line between two knots."""
    knots = encoder.values
    gap = np.maximum((knots[right] - knots[left]).astype(np.float64), 1.0)
    share = ((values - knots[left]).astype(np.float64) + beyond) / gap
    start, end = encoder.upper[left], encoder.lower[right]
    return np.asarray(start + (end - start) * np.clip(share, 0.0, 1.0))


def _ties(encoder: Quantile, values: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the ranks of a value that owns some: one that rows share, or an end."""
    place = np.minimum(np.searchsorted(encoder.values, values, side="left"), len(encoder.values) - 1)
    own = encoder.values[place] == values
    # Ranks beyond an end are decoded to it.
    low = np.where(place == 0, 0.0, encoder.lower[place])
    high = np.where(place == len(encoder.values) - 1, 1.0, encoder.upper[place])
    return np.where(own, low, 0.0), np.where(own, high, 0.0)


def _log_slopes(encoder: Quantile, values: npt.NDArray[Any]) -> Floats:
    """Return the logarithm of the slope of a value's normal score; at a knot the mean of both sides'."""
    below, above = (_log_rates(encoder, values, side) for side in ("left", "right"))
    score = encoder.encode(values, None)[:, 0]
    return np.asarray(np.logaddexp(below, above) - np.log(2) + 0.5 * score**2 + 0.5 * np.log(2 * np.pi))


def _log_rates(encoder: Quantile, values: npt.NDArray[Any], side: Literal["left", "right"]) -> Floats:
    """Return the logarithm of the ranks to a unit on one side of each value."""
    right = np.searchsorted(encoder.values, values, side=side).clip(1, len(encoder.values) - 1)
    rise = np.maximum(encoder.lower[right] - encoder.upper[right - 1], 0.0)
    with np.errstate(divide="ignore"):  # where no rank lies between two values, nothing is ever drawn there
        return np.asarray(np.log(rise) - _log_gaps(encoder.values[right - 1], encoder.values[right]))


def _log_gaps(low: npt.NDArray[Any], high: npt.NDArray[Any]) -> Floats:
    """Return the logarithm of high - low, which may be no float itself: the ends may be 1e308 or 1e-310."""
    if low.dtype.kind != "f":
        gap = (high - low).view(np.uint64)  # a gap of 2^63 overflows into the same bits
        return np.asarray(np.log(gap.astype(np.float64)))
    power = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    gap = np.ldexp(high, -power) - np.ldexp(low, -power)
    return np.asarray(np.log(gap) + power * np.log(2))
