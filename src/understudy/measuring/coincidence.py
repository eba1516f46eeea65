"""How many synthetic rows equal a real one, and how many of these chance explains.

Holdout rows cannot have been copied, so what equals them does so by chance; but among more rows chance finds
more. So both sides are compared by as many rows: of a synthetic row that k of n training rows equal, it is
known how often a draw of m of them holds one (hypergeometric), and no draw has to be made. What that is above
chance, times n / m, is what chance does not explain among all n.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy.measuring.interval import Interval
from understudy.measuring.nearby import interval_of, square_error

__all__ = ["Coincidence", "coincidence"]

Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
_UNSEEN = 3.69  # rows that 97.5 % of the time would have shown one, where none was seen
_Z = 1.96


@final
class Coincidence(NamedTuple):
    """Shares of synthetic rows that equal any training row, one of as many as the holdout has, or one of it.

    `null` is how many chance explains among all training rows; `interval` that of the first share, as wide as
    its difference from the null.
    """

    among_all: float
    among_as_many: float
    among_holdout: float
    null: float
    interval: Interval


def coincidence(train: Keys, holdout: Keys, synthetic: Keys) -> Coincidence:
    """Compare synthetic rows with training and holdout rows, each told by a key.

    >>> train, holdout = np.arange(9, dtype=np.uint64), np.arange(20, 23, dtype=np.uint64)
    >>> found = coincidence(train, holdout, np.array([0, 1, 50, 51], dtype=np.uint64))
    >>> found.among_all, round(found.among_as_many, 4), found.among_holdout, abs(round(found.null, 4))
    (0.5, 0.1667, 0.0, 0.0)
    """
    size = min(len(train), len(holdout))
    scale = len(train) / size
    hits, others = _times(synthetic, train), _times(synthetic, holdout)
    as_many, chance = _held(hits, len(train), size), _held(others, len(holdout), size)
    beyond = scale * (as_many - chance)  # of each synthetic row, what chance does not explain
    value = float((hits > 0).mean())
    null = min(1.0, max(0.0, value - float(beyond.mean())))
    unsure = scale * _of_holdout(synthetic, hits, others)
    square, groups = square_error(beyond, synthetic), len(np.unique(synthetic))
    low = interval_of(value, square + unsure**2, groups)[0]
    # Chance explains no less than nothing: the difference is at most what the null leaves above the value.
    high = interval_of(value, square + min(unsure, null / _Z) ** 2, groups)[1]
    return Coincidence(value, float(as_many.mean()), float(chance.mean()), null, (low, high))


def _times(asked: Keys, known: Keys) -> npt.NDArray[np.int64]:
    """Return how many of the known rows equal each of those asked for."""
    keys, counts = np.unique(known, return_counts=True)
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[places] == asked, counts[places], 0).astype(np.int64)


def _held(times: npt.NDArray[np.int64], rows: int, size: int) -> Floats:
    """Return the chance that a draw of `size` of the rows holds one of those that equal it."""
    if size == rows:
        return (times > 0).astype(np.float64)
    left = rows - times - size
    log = special.gammaln(rows - times + 1) + special.gammaln(rows - size + 1)
    log -= special.gammaln(np.maximum(left, 0) + 1) + special.gammaln(rows + 1)
    return np.where(left < 0, 1.0, -np.expm1(np.minimum(log, 0.0)))


def _of_holdout(synthetic: Keys, hits: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> float:
    """Return the standard error that the share among holdout rows has by which rows these are.

    Only a row that stands alone in the holdout can be there or not (the jackknife). Where few were met, as
    many more could have been as one would not notice, each as often as a training row that none of them is.
    """
    alone = synthetic[(hits > 0) & (others == 0)]
    usual = len(alone) / len(synthetic) / max(1, len(np.unique(alone)))
    _, weights = np.unique(synthetic[others == 1], return_counts=True)
    seen = float(((weights / len(synthetic)) ** 2).sum())
    return math.sqrt(seen + (_UNSEEN / _Z * usual) ** 2)
