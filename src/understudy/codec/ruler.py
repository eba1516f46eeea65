"""Where a value stands between two others, and the value that stands there.

Steps are subtracted as whole numbers before anything becomes a float, so 64-bit integers lose
nothing that their distance does not lose. Floats near the ends of their range are scaled by a
power of two first: neither 1e308 - -1e308 nor half of 5e-324 is a float.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["between", "shares"]

Floats = npt.NDArray[np.float64]

_TAME = 900  # powers of two between -900 and 900 leave room for sums, differences and quotients


def shares(values: Any, low: Any, high: Any) -> Floats:
    """Return where values in [low, high] stand, as numbers in [0, 1]; 0 where low equals high.

    All three are steps (int64) or all are floats; `low` and `high` may be arrays.

    >>> shares(np.array([2**62 - 1, 2**62 - 3]), 2**62 - 5, 2**62 - 1).tolist()
    [1.0, 0.5]
    """
    values, low, high = _alike(values, low, high)
    if values.dtype.kind == "f":
        power = _power(low, high)
        values, low, high = (_scaled(part, -power) for part in (values, low, high))
    width = np.asarray(high - low, dtype=np.float64)
    return np.asarray(np.clip((values - low) / np.where(width > 0, width, 1.0), 0.0, 1.0), dtype=np.float64)


def between(low: Any, high: Any, share: Floats) -> npt.NDArray[Any]:
    """Return the value at each share of the way from low to high; steps are rounded, ends are exact.

    >>> between(2**62 - 9, 2**62 - 1, np.array([0.0, 0.5, 1.0])).tolist() == [2**62 - 9, 2**62 - 5, 2**62 - 1]
    True
    """
    low, high, _ = _alike(low, high, low)
    share = np.clip(share, 0.0, 1.0)
    inside = _floats_between if low.dtype.kind == "f" else _steps_between
    # Only the ends are exact by selection: low + 1.0 * (high - low) may miss high by a rounding.
    return np.where(share >= 1.0, high, inside(low, high, share))


def _floats_between(low: Floats, high: Floats, share: Floats) -> Floats:
    power = _power(low, high)
    start, end = _scaled(low, -power), _scaled(high, -power)
    # The first cut keeps the scaling back from overflowing, the second undoes what it rounds.
    inside = np.minimum(start + (end - start) * share, end)
    return np.clip(_scaled(inside, power), low, high)


def _steps_between(
    low: npt.NDArray[np.int64], high: npt.NDArray[np.int64], share: Floats
) -> npt.NDArray[np.int64]:
    gap = high - low
    offset = np.rint(gap * np.minimum(share, np.nextafter(1.0, 0.0)))
    return np.asarray(np.minimum(low + np.minimum(offset.astype(np.int64), gap), high))


def _alike(*parts: Any) -> tuple[npt.NDArray[Any], ...]:
    arrays = [np.asarray(part) for part in parts]
    kind = np.float64 if any(array.dtype.kind == "f" for array in arrays) else np.int64
    return tuple(array.astype(kind, copy=False) for array in arrays)


def _scaled(values: Floats, power: int) -> Floats:
    return values if power == 0 else np.ldexp(values, power)


def _power(low: Floats, high: Floats) -> int:
    """Return the power of two to divide by: 0 for all but extreme magnitudes."""
    largest = max(float(np.abs(low).max(initial=0.0)), float(np.abs(high).max(initial=0.0)))
    power = int(np.frexp(largest)[1])
    return 0 if largest == 0 or abs(power) < _TAME else power
