"""What a missing entry looks like in each of the three arrays that a column can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["MISSING_STEP", "is_missing", "missing_like"]

MISSING_STEP = int(np.iinfo(np.int64).min)


def is_missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Say which entries are missing: codes below 0, the least step, NaN.

    >>> is_missing(np.array([0, -1], dtype=np.int32)).tolist()
    [False, True]
    """
    if values.dtype == np.int32:
        return np.asarray(values < 0)
    if values.dtype == np.int64:
        return np.asarray(values == MISSING_STEP)
    return np.asarray(np.isnan(values))


def missing_like(values: npt.NDArray[Any]) -> float:
    """Return the missing entry of this type of array."""
    if values.dtype == np.int32:
        return -1
    return MISSING_STEP if values.dtype == np.int64 else np.nan
