"""Where the cells of a quantity lie: in units of a range, and how far from them a missing cell is."""

from __future__ import annotations

import numpy as np

from understudy.engines.transport.axis import Floats

__all__ = ["joint_range", "missing_reach", "placed"]

_FARTHEST = 1e6  # ranges: a cell beyond lies there, so that sums of distances stay finite


def placed(values: Floats, low: float, high: float) -> Floats:
    """Return (x - low) / (high - low); NaN stays.

    Values outside the range keep their distance, up to a million ranges. A range without width tells no
    unit: its one value lies at 0, what is above at 1, what is below at -1. A range of NaN (no value at all)
    is taken as one value below all others.

    >>> placed(np.array([0.0, 5.0, 30.0]), 0.0, 10.0).tolist()
    [0.0, 0.5, 3.0]
    """
    if not low < high:
        return np.where(np.isnan(values), np.nan, np.sign(values - low) if np.isfinite(low) else 1.0)
    # Halves first: the ends of a range can be further apart than the largest float.
    width = high / 2 - low / 2
    with np.errstate(over="ignore"):
        return np.clip((values / 2 - low / 2) / width, -_FARTHEST, _FARTHEST)


def missing_reach(places: Floats) -> Floats:
    """Return how far a missing cell is from places: 1 from all of [0, 1], and as much more as one is outside.

    So the distance obeys the triangle inequality, and a cell gone missing costs what the whole range costs.

    >>> missing_reach(np.array([0.0, 0.7, 1.5])).tolist()
    [1.0, 1.0, 1.5]
    """
    return np.asarray(1.0 + np.maximum(0.0, np.maximum(-places, places - 1.0)))


def joint_range(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the range of two samples together (paper 004's code); NaN where both are empty."""
    both = np.concatenate([first, second])
    present = both[~np.isnan(both)]
    return (float(present.min()), float(present.max())) if len(present) else (np.nan, np.nan)
