"""The density of one column: kernels for quantities, shares for levels, and a share for missing cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.engines.density import KernelDensity, Rule
from understudy.measuring.encoder import Matrix

__all__ = ["log_density", "log_shares"]

Array = npt.NDArray[Any]


def log_shares(asked: Array, known: Array, levels: int) -> Matrix:
    """Return the logarithm of the share of each asked code (from -1, missing) among the known ones.

    Half a row is added to every level, so that one that is not there is rare and not impossible.

    >>> shares = log_shares(np.array([0, 1]), np.array([0, 0, 0]), levels=2)
    >>> np.exp(shares).round(3).tolist()
    [0.778, 0.111]
    """
    counts = np.bincount(known + 1, minlength=levels + 1) + 0.5
    return np.asarray(np.log(counts / counts.sum())[asked + 1])


def log_density(asked: Matrix, known: Matrix, rule: Rule, times: float = 1.0) -> Matrix:
    """Return the logarithm of the density of a quantity, in its unit; NaN is missing, and has a share."""
    holes = log_shares(np.where(np.isnan(asked), -1, 0), np.where(np.isnan(known), -1, 0), levels=1)
    present, there = ~np.isnan(asked), known[~np.isnan(known)]
    if len(there) and present.any():
        density = KernelDensity.ruled(there[:, None], rule, times=times)
        holes[present] += density.log_density(asked[present][:, None])
    else:
        holes[present] -= math.log(2 * math.pi) / 2  # nothing is known: as if there were a single kernel
    return holes
