"""How often predicates match exactly one row of a table, had the table another number of rows.

A control table that is smaller than the training table is singled out less or more often for that reason
alone. Of its own smaller parts one knows exactly how often: of c matching rows among m, a part of s rows
holds one with the chance c C(m - c, s - 1) / C(m, s). To these the form of Giomi et al. (2023) is fitted,

    N(s) ~ integral over 0..w of s u (1 - u)^(s - 1) du = (1 - (1 - w)^s (1 + s w)) / (s + 1),

for predicates whose chance to match a row is spread evenly over 0..w; it tells what a larger table would
show. Successes are counted, never queries.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy.errors import ParameterError

__all__ = ["Growth", "alone_in", "growth", "lone_share"]

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
_SIZES = 20
_GROUPS = 10
_WIDTHS = 400


@final
class Growth(NamedTuple):
    """How many times as often a table of another size is singled out, and how far off that may be."""

    factor: float
    deviation: float


def lone_share(rows: npt.ArrayLike, width: npt.ArrayLike) -> Floats:
    """Return the integral of n u (1 - u)^(n - 1) from 0 to the width.

    >>> round(float(lone_share(9, 1.0)), 12)
    0.1
    """
    n, w = np.asarray(rows, dtype=np.float64), np.asarray(width, dtype=np.float64)
    with np.errstate(divide="ignore"):
        none = n * np.log1p(-w)  # of the chance that no row matches
    return np.asarray(-np.expm1(none + np.log1p(n * w)) / (n + 1))


def alone_in(matches: Whole, rows: int, size: int) -> float:
    """Return how many of the queries match exactly one row of a part of so many rows, on average.

    >>> round(alone_in(np.array([1, 0]), 10, 5), 9)
    0.5
    """
    if not 1 <= size <= rows:
        raise ParameterError(f"lone: a part has from 1 to {rows} rows; got {size}.")
    return float(_chances(matches, rows, size).sum())


def growth(matches: Whole, rows: int, size: int) -> Growth:
    """Return how many times as many queries match one row of a table of `size` as of this one of `rows`.

    The deviation is that of leaving out every tenth of the queries in turn (the jackknife).

    >>> growth(np.array([1] * 20 + [0] * 80), 100, 100)
    Growth(factor=1.0, deviation=0.0)
    """
    if size == rows or not (matches == 1).any():
        return Growth(1.0, 0.0)
    sizes = np.unique(np.linspace(max(1, rows // 10), rows, _SIZES).astype(int))
    chances = np.array([_chances(matches, rows, int(part)) for part in sizes])  # (sizes, queries)
    groups = min(_GROUPS, len(matches))
    left = np.array([chances[:, place::groups].sum(axis=1) for place in range(groups)])
    whole = left.sum(axis=0)
    factors = np.array([_factor(whole - part, sizes, size) for part in left])
    spread = (groups - 1) / groups * ((factors - factors.mean()) ** 2).sum()
    return Growth(_factor(whole, sizes, size), float(np.sqrt(spread)))


def _factor(seen: Floats, sizes: npt.NDArray[Any], size: int) -> float:
    """Fit the form to what parts of these sizes show, and follow it to the size asked for."""
    rows = int(sizes[-1])
    widths = np.geomspace(0.01 / rows, 1.0, _WIDTHS)
    shapes = lone_share(sizes[None], widths[:, None])  # (widths, sizes)
    factors = (shapes @ seen) / (shapes**2).sum(axis=1)
    errors = ((factors[:, None] * shapes - seen) ** 2).sum(axis=1)
    best = widths[int(errors.argmin())]
    return float(lone_share(size, best) / lone_share(rows, best))


def _chances(matches: Whole, rows: int, size: int) -> Floats:
    """Return for each query the chance that a part of so many rows holds exactly one that matches."""
    possible = (matches >= 1) & (rows - matches >= size - 1)
    many = np.where(possible, matches, 1).astype(np.float64)
    logs = np.log(many) + _log_choose(rows - many, size - 1) - _log_choose(rows, size)
    return np.where(possible, np.exp(logs), 0.0)


def _log_choose(rows: npt.ArrayLike, part: int) -> Floats:
    n = np.asarray(rows, dtype=np.float64)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(part + 1) - special.gammaln(n - part + 1))
