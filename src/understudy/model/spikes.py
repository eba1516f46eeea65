"""Values that many rows share, told from noisy counts: nought, 40 hours, a price list's 9.99.

A count says how many rows lie in a part, and not where in it. Spread evenly over the part, not one row would
have the value that half of them have. But a part that holds many rows, and hundreds of times as many for its
width as those around it, holds one value: counts were cut finer where rows are, and all of them stayed
together. The value is taken to be the roundest number of the part, which is off by less than its width.
Towards nought laws without any such value crowd too, so that more is asked for there. Only what was counted
with noise comes in: all of this is post-processing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["apart", "roundest", "spikes"]

Floats = npt.NDArray[np.float64]

HEAVY = 0.01  # of the rows that are there
DENSE, DENSE_AT_NOUGHT = 100.0, 500.0  # times as many rows for its width as the parts around have
NARROW = 1e-3  # of the whole range
AROUND = 16  # parts on either side
_DIGITS = range(-300, 310)


def apart(edges: npt.NDArray[Any], shares: Floats) -> tuple[npt.NDArray[Any], Floats]:
    """Return edges and shares, that of missing rows last, with a bin for each such value alone.

    >>> edges, shares = apart(np.array([0.0, 39.995, 40.002, 100.0]), np.array([0.2, 0.5, 0.2, 0.1]))
    >>> edges.round(3).tolist(), shares.tolist()
    ([0.0, 39.995, 40.0, 40.0, 40.002, 100.0], [0.2, 0.0, 0.5, 0.0, 0.2, 0.1])
    """
    found = spikes(edges, shares[:-1] / max(float(shares[:-1].sum()), np.finfo(np.float64).tiny))
    places = np.flatnonzero(~np.isnan(found))
    if not len(places):
        return edges, shares
    cuts = np.unique(np.concatenate([edges, found[places], np.nextafter(found[places], np.inf)]))
    home = np.searchsorted(edges, cuts[:-1], side="right") - 1
    holds = np.isnan(found[home]) | (cuts[:-1] == found[home])
    return cuts, np.append(np.where(holds, shares[home], 0.0), shares[-1])


def spikes(edges: Floats, held: Floats) -> Floats:
    """Return the one value of each part that has one, and NaN for all others.

    >>> edges = np.array([0.0, 10.0, 39.995, 40.002, 60.0, 100.0])
    >>> spikes(edges, np.array([0.1, 0.2, 0.5, 0.1, 0.1])).tolist()
    [nan, nan, 40.0, nan, nan]
    """
    found = np.full(len(held), np.nan)
    if edges.dtype.kind != "f":
        return found
    widths = np.maximum(np.diff(edges / 2) * 2, np.finfo(np.float64).tiny)  # a whole difference may overflow
    narrow = widths <= NARROW * (edges[-1] / 2 - edges[0] / 2) * 2
    for place in np.flatnonzero((held >= HEAVY) & narrow):
        low, high = float(edges[place]), float(edges[place + 1])
        times = DENSE_AT_NOUGHT if low <= 0 <= high else DENSE
        if held[place] / widths[place] >= times * _density_around(held, widths, int(place)):
            found[place] = roundest(low, high)
    return found


def _density_around(held: Floats, widths: Floats, place: int) -> float:
    """Return the larger density of the parts on either side."""
    sides = (slice(max(place - AROUND, 0), place), slice(place + 1, place + 1 + AROUND))
    return max(float(held[side].sum() / max(widths[side].sum(), np.finfo(np.float64).tiny)) for side in sides)


def roundest(low: float, high: float) -> float:
    """Return the number of [low, high) with the fewest digits; nought has none.

    >>> roundest(39.995, 40.002), roundest(9.983, 9.996), roundest(-0.5, 0.1), roundest(-3.2, -2.9)
    (40.0, 9.99, 0.0, -3.0)
    """
    if low <= 0 < high:
        return 0.0
    for digits in _DIGITS:
        text = f"{_first_at(low, digits)}e{-digits}" if _is_finite_at(low, digits) else ""
        if text and low <= (value := float(text)) < high:
            return value
    return low


def _is_finite_at(low: float, digits: int) -> bool:
    with np.errstate(over="ignore", under="ignore"):
        return bool(np.isfinite(low * 10.0**digits)) and abs(low * 10.0**digits) < 1e17


def _first_at(low: float, digits: int) -> int:
    return int(np.ceil(low * 10.0**digits))
