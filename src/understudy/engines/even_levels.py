"""Of more rows than were asked for, those are kept whose levels are together as common as they should be.

How common each level is was counted, or bought, when a method was fitted; what a network draws is off by what
it got wrong and by chance. Rows are weighed by raking (Deming & Stephan 1940): column after column, the rows
of each level are given the weight that the level lacks, until all columns agree. Of all weights that make
them agree these are the closest to even ones. Pairs of columns may be weighed like columns. Not all can agree
when no row may weigh much: so pairs leave every row some weight, and single columns have the last word, which
may need the rows of a rare level that most pairs speak against. Then rows are kept with chances in
proportion, by systematic sampling. No row is changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["even_levels", "more"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

_MORE = 1.15  # times the rows asked for are drawn: so much a row can weigh, and no more
_LEAST = 0.25  # so much is left of every row's weight by pairs
_ROUNDS = 12  # with pairs, and behind them without
_NEAR = 1e-3  # no weight changes by more in the last round
_TINY = 1e-9  # the smallest share: a level that should not be there weighs next to nothing
_SURE = 1 - 1e-6  # the largest chance: a hair below 1, so that no rounding can keep a row twice


def more(rows: int) -> int:
    """Return how many rows to draw so that this many can be kept.

    >>> more(1000)
    1150
    """
    return math.ceil(rows * _MORE - 1e-6)


def even_levels(
    codes: Codes,
    shares: Sequence[Floats],
    rows: int,
    rng: np.random.Generator,
    *,
    pairs: int = 0,
    barred: npt.NDArray[np.bool_] | None = None,
) -> Codes:
    """Return the places, rising, of so many rows whose levels are about as common as the shares say.

    `codes` are (drawn, columns), and more are drawn than `rows`; the first `pairs` of them stand for pairs.
    Rows that are `barred` are kept only where there are no others, of a level or at all.

    >>> codes = np.repeat([0, 1], [620, 530])[:, None]
    >>> kept = even_levels(codes, [np.array([0.5, 0.5])], 1_000, np.random.default_rng(0))
    >>> bool(abs(np.bincount(codes[kept, 0])[0] - 500) < 20), len(set(kept.tolist()))
    (True, 1000)
    """
    columns = np.ascontiguousarray(codes.T)  # each is looked at many times, and would be copied each time
    tables = list(zip(columns, shares, strict=True))
    weights, most = np.ones(len(codes)), len(codes) / rows
    if pairs:
        weights = _raked(weights, tables, _LEAST, most)
    if barred is not None:
        weights = np.where(barred, _TINY, weights)
    weights = _raked(weights, tables[pairs:], 0.0, most)
    chances = _chances(weights, rows, np.zeros(len(codes), bool) if barred is None else barred)
    order = rng.permutation(len(codes))
    ends = np.cumsum(chances[order])
    points = (np.arange(rows) + _SURE * rng.random()) * (ends[-1] / rows)
    return np.sort(order[np.searchsorted(ends, points, side="right")])


def _raked(weights: Floats, tables: Sequence[tuple[Codes, Floats]], least: float, most: float) -> Floats:
    """Return what rows weigh, about 1 and within bounds, for levels to be as common as they should."""
    for _ in range(_ROUNDS):
        before = weights.copy()
        for column, share in tables:
            have = np.bincount(column, weights, minlength=len(share)) / len(weights)
            weights = np.take(np.maximum(share, _TINY) / np.maximum(have, _TINY), column) * weights
        weights = np.clip(weights / weights.mean(), least, most)
        if np.abs(weights - before).max() < _NEAR:
            break
    return weights


def _chances(weights: Floats, rows: int, last: npt.NDArray[np.bool_]) -> Floats:
    """Return chances below 1 in proportion to weights, which add up to `rows`; the capped leave to others.

    What they leave goes to the `last` only if the others are all kept.
    """
    chances = np.minimum(weights * (rows / weights.sum()), _SURE)
    for these in (~last, last):
        room = np.where(these, _SURE - chances, 0.0)
        if room.any():
            chances = chances + room * min((rows - chances.sum()) / room.sum(), 1.0)
    return np.asarray(chances)
