"""How common pairs of cells are, for the pairs of columns that say most of each other.

A column has cells: its codes, or eight equal parts of the ranks of its numbers. Of all pairs with few cells
of which one has codes those are kept that share most information. Together with single columns, they are
what drawn rows are weighed by (`even_levels`): those pairs that are further off than chance explains, as
every pair that rows have to agree with takes room from the others.

A share of nought says never: of two codes that are common, no row had both. Other cells that no row had are
given the share of half a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

__all__ = ["PARTS", "Pair", "amiss", "cells_of", "joined", "never", "strongest"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

PARTS = 8  # of ranks
_CELLS = 64  # of a pair, at most: with more, each has few rows, and weights would follow chance
_ROWS = 20  # of the table for every cell
_PAIRS = 64
_LOOKED_AT = 5_000  # rows, to choose pairs by
_CHANCE = 1.5  # times the distance that chance alone makes
_MANY = 20.0  # rows that a cell should have, if its columns knew nothing of each other, for none to say never


@final
class Pair(NamedTuple):
    """Two columns of cells, and the share of each pair of them: the cells of the second run fastest."""

    first: int
    second: int
    shares: Floats


def cells_of(codes: Codes, numbers: npt.NDArray[np.float32]) -> Codes:
    """Return codes, and behind them the part that each number's rank falls into.

    Ranks, not values: what a column of numbers got wrong by itself is mended by moving ranks (`even_ranks`).

    >>> cells_of(np.array([[3]] * 4), np.array([[0.1], [9.0], [0.3], [0.2]], np.float32)).tolist()
    [[3, 0], [3, 6], [3, 4], [3, 2]]
    """
    ranks = numbers.argsort(axis=0, kind="stable").argsort(axis=0)
    return np.hstack([codes, PARTS * ranks // max(len(numbers), 1)])


def strongest(codes: Codes, sizes: Sequence[int], coded: int) -> tuple[Pair, ...]:
    """Return the pairs of columns that say most of each other, with the shares of their cells.

    The first `coded` columns are codes; the others are parts of ranks, and two of those are no pair here.

    >>> coin = np.array([0, 1] * 500)
    >>> pairs = strongest(np.column_stack([coin, coin, coin * 0]), (2, 2, 1), 3)
    >>> [(pair.first, pair.second, pair.shares.tolist()) for pair in pairs]
    [(0, 1, [0.5, 0.0, 0.0, 0.5])]
    """
    few = min(_CELLS, len(codes) // _ROWS)
    looked = codes[:: max(1, len(codes) // _LOOKED_AT)]
    told = {
        (a, b): _told(_shares(looked, (a, b), sizes).reshape(sizes[a], sizes[b]))
        for a, b in combinations(range(len(sizes)), 2)
        if a < coded and min(sizes[a], sizes[b]) > 1 and sizes[a] * sizes[b] <= few
    }
    chosen = sorted(sorted(told, key=lambda pair: -told[pair])[:_PAIRS])
    return tuple(
        Pair(a, b, _never_or_half(_shares(codes, (a, b), sizes), sizes[b], len(codes))) for a, b in chosen
    )


def amiss(codes: Codes, pairs: Sequence[Pair], sizes: Sequence[int]) -> tuple[Pair, ...]:
    """Return the pairs whose cells among drawn rows are further off than chance explains.

    >>> fair = Pair(0, 1, np.full(4, 1 / 4))
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
    >>> amiss(codes, [fair], (2, 2)), len(amiss(codes * 0, [fair], (2, 2)))
    ((), 1)
    """
    return tuple(pair for pair in pairs if _off(codes, pair, sizes) > _CHANCE * _by_chance(pair, len(codes)))


def never(codes: Codes, pairs: Sequence[Pair], sizes: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return the rows in a cell of some pair that is never: to be asked of pairs of codes.

    Parts of ranks have no sharp ends, so that a row at one of them proves nothing.

    >>> pair = Pair(0, 1, np.array([0.5, 0.0, 0.0, 0.5]))
    >>> never(np.array([[0, 0], [0, 1]]), [pair], (2, 2)).tolist()
    [False, True]
    """
    cells = joined(codes, pairs, sizes)
    found = [pair.shares[column] == 0.0 for column, pair in zip(cells.T, pairs, strict=True)]
    return np.any(found, axis=0) if found else np.zeros(len(codes), bool)


def joined(codes: Codes, pairs: Sequence[Pair], sizes: Sequence[int]) -> Codes:
    """Return one code for each pair of columns, row by row.

    >>> pair = Pair(0, 1, np.full(6, 1 / 6))
    >>> joined(np.array([[0, 2], [1, 1]]), [pair], (2, 3)).tolist()
    [[2], [4]]
    """
    found = [codes[:, a] * sizes[b] + codes[:, b] for a, b, _ in pairs]
    return np.column_stack(found) if found else np.empty((len(codes), 0), np.int64)


def _shares(codes: Codes, pair: tuple[int, int], sizes: Sequence[int]) -> Floats:
    a, b = pair
    return np.bincount(codes[:, a] * sizes[b] + codes[:, b], minlength=sizes[a] * sizes[b]) / len(codes)


def _never_or_half(shares: Floats, wide: int, rows: int) -> Floats:
    table = shares.reshape(-1, wide)
    many = rows * table.sum(1, keepdims=True) * table.sum(0) >= _MANY
    told = np.where((table > 0) | many, table, 0.5 / rows).ravel()
    return np.asarray(told / told.sum())


def _off(codes: Codes, pair: Pair, sizes: Sequence[int]) -> float:
    """Return the total variation between the shares of drawn rows and those that should be."""
    return float(np.abs(_shares(codes, pair[:2], sizes) - pair.shares).sum() / 2)


def _by_chance(pair: Pair, rows: int) -> float:
    """Return what that is on average for rows of the right law: half the mean distances of the cells."""
    deviations = np.sqrt(pair.shares * (1 - pair.shares) / rows)
    return float(np.sqrt(2 / np.pi) * deviations.sum() / 2)


def _told(shares: Floats) -> float:
    """Return the mutual information of a table of shares."""
    apart = shares.sum(1, keepdims=True) * shares.sum(0)
    return float((xlogy(shares, shares) - xlogy(shares, apart)).sum())
