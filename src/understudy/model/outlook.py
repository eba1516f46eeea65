"""The outlook of a fit by marginals: what it will take, and how fine cells may be so that it ends.

Before any table of two columns is counted, their sizes are known. If all of them together had more cells
than there is room for, columns of many cells keep fewer: the plan is shrunk, and nothing hangs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

__all__ = ["ROOM", "Outlook", "most_cells"]

ROOM = 20_000_000  # cells of all pairs' tables together: 160 MB, and seconds to go through
BYTES = 8 * 3  # of a cell: what is expected, what is counted, and the error
# Seconds on one core: of a row of a pair, of a cell of a pair, of a step in a cell of the tree.
PER_ROW, PER_CELL, PER_STEP = 6e-9, 2e-8, 4e-8  # from benchmarks/marginal_speed.py


def most_cells(sizes: Sequence[int], room: float = ROOM) -> int:
    """Return how many cells a column may have so that the tables of all pairs fit into the room; at least 2.

    >>> most_cells([10, 10, 10], room=300), most_cells([1_000, 1_000, 2], room=10_000)
    (10, 98)
    """
    low, high = 2, max(max(sizes, default=2), 2)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _pair_cells(sizes, middle) <= room else (low, middle - 1)
    return low


def _pair_cells(sizes: Sequence[int], most: int) -> float:
    kept = np.minimum(np.asarray(sizes, dtype=np.float64), most)
    return float((kept.sum() ** 2 - (kept**2).sum()) / 2)


@final
@dataclass(frozen=True)
class Outlook:
    """About how long a tree of pairs takes, and how much memory.

    >>> str(Outlook(rows=1_000_000, sizes=(30,) * 20, steps=500))
    'about 2 s and 4 MB'
    """

    rows: float
    sizes: tuple[int, ...]
    steps: int

    @property
    def bytes(self) -> float:
        """Memory beside the table itself."""
        return BYTES * _pair_cells(self.sizes, max(self.sizes, default=1))

    @property
    def seconds(self) -> float:
        """Seconds on one core: all pairs counted once, and a tree of as many pairs as columns estimated."""
        pairs = len(self.sizes) * (len(self.sizes) - 1) / 2
        cells = self.bytes / BYTES
        tree = cells / max(pairs, 1) * len(self.sizes)
        return pairs * self.rows * PER_ROW + cells * PER_CELL + self.steps * tree * PER_STEP

    def __str__(self) -> str:
        return f"about {max(round(self.seconds), 1):,} s and {max(round(self.bytes / 1e6), 1):,} MB"
