"""Consistency: noisy tables made to agree where they overlap, without negative counts.

What two tables say of attributes that they share is averaged, the less noisy one counting for more, and
both are moved to the average (Hay et al. 2010; Qardaji, Yang, Li 2014; Zhang et al. 2021), which is closer to
the truth than either. Smaller sets of attributes come first: later moves leave them alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, clique, lined_up, summed
from understudy.engines.marginals.estimate import Measured

__all__ = ["Overlap", "agree", "consistent", "norm_sub", "overlaps"]

Overlap = tuple[Clique, list[int]]

_CLOSE = 1e-9  # of all rows moved by a round: it has come to rest


def norm_sub(table: Floats, total: float) -> Floats:
    """Return the closest table without negative counts that adds up to the total.

    The same number is taken from all cells; those that fall below nought are set to it (Wang et al. 2020).

    >>> norm_sub(np.array([6.0, 3.0, -2.0]), 7.0).tolist()
    [5.0, 2.0, 0.0]
    """
    if total <= 0:
        return np.zeros_like(table)
    falling = np.sort(table, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    less = excess[np.flatnonzero(falling > excess)[-1]]
    return np.asarray(np.maximum(table - less, 0.0))


def consistent(measured: Sequence[Measured], total: float, rounds: int = 20) -> list[Measured]:
    """Return tables that hold `total` rows, none of them negative, and agree on what they share.

    Agreeing makes counts negative again and the other way round, so the two take turns; what is left of
    disagreement after the last round is small.

    >>> pair = Measured((0, 1), np.array([[2.0, 4.0], [4.0, 0.0]]), 1.0)
    >>> agreed = consistent([Measured((0,), np.array([4.0, 6.0]), 1.0), pair], 10.0)
    >>> bool(np.allclose(agreed[0].table, agreed[1].table.sum(axis=1), atol=1e-6))
    True
    """
    found, shared = list(measured), overlaps([each.of for each in measured])
    for _ in range(rounds):
        before = found
        found = [replace(each, table=norm_sub(each.table, total)) for each in agree(found, shared, total)]
        moved = (np.abs(a.table - b.table).sum() for a, b in zip(before, found, strict=True))
        if max(moved, default=0.0) <= _CLOSE * total:
            break
    return found


def agree(measured: Sequence[Measured], shared: Sequence[Overlap], total: float) -> list[Measured]:
    """Return tables that add up to the total and agree on what they share; counts may be negative."""
    tables = [each.table + (total - each.table.sum()) / each.table.size for each in measured]
    for of, places in shared:
        _average(tables, measured, of, places)
    return [replace(each, table=table) for each, table in zip(measured, tables, strict=True)]


def _average(
    tables: list[Floats], measured: Sequence[Measured], shared: Clique, places: Sequence[int]
) -> None:
    """Move the tables that hold the shared attributes to their weighted average on them."""
    told = [summed(tables[place], measured[place].of, shared) for place in places]
    # Each cell of a projection adds up the noise of so many cells.
    folded = [tables[place].size / told[0].size for place in places]
    weights = np.array(
        [1 / (measured[at].sigma ** 2 * many) for at, many in zip(places, folded, strict=True)]
    )
    mean = np.tensordot(weights / weights.sum(), np.array(told), axes=1)
    for place, projected, many in zip(places, told, folded, strict=True):
        change = lined_up((mean - projected) / many, shared, measured[place].of)
        tables[place] = tables[place] + change


def overlaps(cliques: Sequence[Clique]) -> list[Overlap]:
    """Return every set of attributes that two tables share, small ones first, and the tables that hold it.

    >>> overlaps([(0, 1), (1, 2), (2, 3)])
    [((1,), [0, 1]), ((2,), [1, 2])]
    """
    times = Counter(frozenset(each) for each in cliques)
    shared = {first & second for first, second in combinations(times, 2)}
    shared |= {each for each, many in times.items() if many > 1}
    ordered = sorted((clique(each) for each in shared if each), key=lambda of: (len(of), of))
    return [(of, [at for at, each in enumerate(cliques) if set(of) <= set(each)]) for of in ordered]
