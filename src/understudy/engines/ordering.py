"""Putting the levels of an unordered column into the order that explains the other columns best.

A copula sees each column through one number. For `occupation` that number means nothing until
its levels have an order; the first axis of a correspondence analysis of the column against all
others is the order that keeps most of their association (Greenacre 1984, section 4.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing

__all__ = ["coarse", "correspondence_order"]

Codes = npt.NDArray[np.int64]

BINS = 8
TOP_LEVELS = 15
MOST_LEVELS = 1_000
ROUNDS = 50  # of power iteration; two axes of almost equal strength order the levels about equally well
STILL = 1e-6  # a round that moves no level by more ends the iteration
SHRINK = 10.0  # rows that a level needs before its place counts for half


def coarse(column: npt.NDArray[Any]) -> Codes:
    """Return at most 16 codes for a column of any kind: top levels or quantile bins; missing is its own."""
    if column.dtype == np.int32:
        counts = np.bincount(column.astype(np.int64) + 1)
        top = np.argsort(-counts, kind="stable")[:TOP_LEVELS]
        table = np.zeros(len(counts), dtype=np.int64)
        table[top] = np.arange(1, len(top) + 1)
        return np.asarray(table[column.astype(np.int64) + 1])
    missing = is_missing(column)
    if missing.all():
        return np.zeros(len(column), dtype=np.int64)
    edges = np.unique(np.quantile(column[~missing].astype(np.float64), np.linspace(0, 1, BINS + 1)[1:-1]))
    return np.where(missing, 0, 1 + np.searchsorted(edges, column.astype(np.float64), side="right"))


def correspondence_order(codes: Codes, levels: int, others: list[Codes]) -> npt.NDArray[np.int64]:
    """Return the levels, first to last along the first axis; `codes` run from 0 to levels - 1.

    >>> left, right = np.array([0, 1, 2] * 30), np.array([0, 1, 0] * 30)
    >>> int(correspondence_order(left, 3, [right])[1]) in (0, 2)
    True
    """
    if levels < 3 or not others:
        return np.arange(levels)
    rows = np.bincount(codes, minlength=levels)
    # Beyond the thousand largest levels each is too rare to be placed; they stay in the middle.
    kept = np.argsort(-rows, kind="stable")[: min(MOST_LEVELS, int(np.count_nonzero(rows)))]
    counts = _counts(codes, levels, kept, others)  # (kept, categories)
    share, column_share = rows[kept] / len(codes), counts.sum(axis=0) / max(counts.sum(), 1)
    column_share, counts = column_share[column_share > 0], counts[:, column_share > 0]
    expected = (share[:, None] * column_share).astype(np.float32)
    residual = (counts / np.float32(len(codes) * len(others)) - expected) / np.sqrt(expected)
    place = np.zeros(levels)
    # A level of a handful of rows has an extreme place by chance; shrinking keeps it near the middle.
    place[kept] = _first_axis(residual) / np.sqrt(share) * rows[kept] / (rows[kept] + SHRINK)
    return np.argsort(place, kind="stable")


def _first_axis(residual: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return the first left singular vector by power iteration, from a fixed start."""
    square = residual @ residual.T  # (levels, levels): squared once, it is read once a round
    left = square[int(np.argmax(np.diag(square)))]
    left = left / (np.linalg.norm(left) or 1.0)
    for _ in range(ROUNDS):
        before, left = left, square @ left
        left /= np.linalg.norm(left) or 1.0
        if np.abs(left - before).max() < STILL:
            break
    return np.asarray(left, dtype=np.float64)


def _counts(codes: Codes, levels: int, kept: Codes, others: list[Codes]) -> npt.NDArray[np.float32]:
    """Return how often each kept level meets each category of the others: (kept, categories)."""
    place_of = np.full(levels, len(kept))  # all other levels share one row, which is left out
    place_of[kept] = np.arange(len(kept))
    categories = np.stack(others)  # (others, rows)
    widths = categories.max(axis=1) + 1
    ends = np.cumsum(widths)
    categories += (ends - widths)[:, None]
    total = int(ends[-1])
    categories += place_of[codes] * total
    found = np.bincount(categories.ravel(), minlength=(len(kept) + 1) * total)
    return found.reshape(len(kept) + 1, total)[:-1].astype(np.float32)
