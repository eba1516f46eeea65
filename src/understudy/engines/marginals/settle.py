"""Settling: rows changed one attribute at a time, wherever that brings all tables together closer.

GUM looks at one table at a time, and what it repairs there it damages a little in others: it comes to rest at
some distance. Here a change counts by what it does to every table that holds the attribute, in squared
counts: moving a row from one value to another pays if the gaps at the new cells exceed those at the old by
more than one row per table. Few rows are looked at together, so that not all run to the same gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, Sizes
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured

__all__ = ["settle"]

Rows = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]

GROUPS = 40  # of rows in a sweep
WILLING = 0.5  # of a group's rows may change at once, at most
HERD = 100  # rows that may change at once in the first sweep, in tables of any size: more would overshoot
CALM = 0.75  # of them in each sweep after it


def settle(
    rows: Rows, wanted: Sequence[Measured], sizes: Sizes, rng: np.random.Generator, sweeps: int = 5
) -> Rows:
    """Return rows like the given ones whose tables are closer to the wanted ones, or as close.

    Rows have an attribute to each line. Tables may add up to anything above nought: shares count.

    >>> rows = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int32)
    >>> found = settle(rows, [Measured((0, 1), np.eye(2), 1.0)], (2, 2), np.random.default_rng(0))
    >>> bool((found[0] == found[1]).all())
    True
    """
    told = [each for each in wanted if each.table.sum() > 0]
    best = _Gaps(rows, told, sizes)
    herd = float(HERD)
    for _ in range(sweeps if rows.shape[1] else 0):
        tried = _Gaps(best.rows, told, sizes)
        moved = _sweep(tried, herd, rng)
        if tried.squared() < best.squared():
            best, herd = tried, CALM * herd
        elif not moved:
            break
        else:  # they overshot: fewer at once
            herd = max(herd / 8, 1.0)
    return best.rows


def _sweep(work: _Gaps, herd: float, rng: np.random.Generator) -> int:
    """Let every row look at each of its attributes, about `herd` at a time; return how many changed."""
    moved = 0
    for group in np.array_split(rng.permutation(work.rows.shape[1]), GROUPS):
        share = min(WILLING, herd / max(len(group), 1))
        for attribute in rng.permutation(len(work.rows)):
            moved += work.improve(int(attribute), group[rng.random(len(group)) < share])
    return moved


@final
class _Gaps:
    """Rows, and by how much each cell of each table has too few of them."""

    def __init__(self, rows: Rows, wanted: Sequence[Measured], sizes: Sizes) -> None:
        self.rows, self._sizes = rows.copy(), sizes
        self._tables: list[tuple[Clique, Floats]] = []
        for each in wanted:
            target = each.table * (rows.shape[1] / each.table.sum())
            self._tables.append((each.of, target - count(list(rows), each.of, sizes)))
        # By attribute: the other attributes of each table, and its gaps with the attribute's axis last.
        self._views = [
            [
                (tuple(a for a in of if a != attribute), np.moveaxis(gaps, of.index(attribute), -1))
                for of, gaps in self._tables
                if attribute in of
            ]
            for attribute in range(len(sizes))
        ]

    def squared(self) -> float:
        """Return the sum of all gaps, squared."""
        return float(sum((gaps**2).sum() for _, gaps in self._tables))

    def improve(self, attribute: int, group: Places) -> int:
        """Change an attribute of some rows of a group where that pays; return how many were changed."""
        views = self._views[attribute]
        if not views or not len(group):
            return 0
        places = [tuple(self.rows[other, group] for other in others) for others, _ in views]
        pull = np.zeros((len(group), self._sizes[attribute]))  # rows x values
        for (_, gaps), at in zip(views, places, strict=True):
            pull += gaps[at]
        old, each = self.rows[attribute, group], np.arange(len(group))
        new = np.argmax(pull, axis=1)
        gain = pull[each, new] - pull[each, old] - len(views)
        moved = np.flatnonzero(gain > 0)
        for (_, gaps), at in zip(views, places, strict=True):
            mine = tuple(codes[moved] for codes in at)
            np.add.at(gaps, (*mine, old[moved]), 1.0)
            np.add.at(gaps, (*mine, new[moved]), -1.0)
        self.rows[attribute, group[moved]] = new[moved]
        return len(moved)
