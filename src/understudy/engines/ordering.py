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
    counts = np.concatenate(
        [_crossed(codes, levels, other) for other in others], axis=1
    )  # (levels, categories)
    counts = counts[:, counts.sum(axis=0) > 0].astype(np.float64)
    weight = counts.sum(axis=1)
    share, column_share = weight / weight.sum(), counts.sum(axis=0) / counts.sum()
    # Beyond the thousand largest levels each is too rare to be placed; they stay in the middle.
    present = (share > 0) & (weight >= np.sort(weight)[-min(levels, MOST_LEVELS)])
    expected = share[present, None] * column_share
    residual = (counts[present] / counts.sum() - expected) / np.sqrt(expected)
    vector = _first_axis(residual)
    rows = weight[present] / len(others)
    place = np.zeros(levels)
    # A level of a handful of rows has an extreme place by chance; shrinking keeps it near the middle.
    place[present] = vector / np.sqrt(share[present]) * rows / (rows + SHRINK)
    return np.argsort(place, kind="stable")


def _first_axis(residual: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the first left singular vector by power iteration, from a fixed start."""
    right = residual[int(np.argmax((residual**2).sum(axis=1)))].copy()
    for _ in range(ROUNDS):
        left = residual @ right
        right = residual.T @ left
        right /= np.linalg.norm(right) or 1.0
    return np.asarray(residual @ right)


def _crossed(codes: Codes, levels: int, other: Codes) -> Codes:
    width = int(other.max()) + 1
    return np.asarray(np.bincount(codes * width + other, minlength=levels * width).reshape(levels, width))
