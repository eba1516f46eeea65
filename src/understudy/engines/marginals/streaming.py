"""Counting out of core: tables of any cliques from batches of codes, each seen once and let go.

Memory holds the tables and one slice of a batch, however many rows there are. Pairs are not counted one by
one: a pass over a slice counts a block of attributes together, as long as its table stays in the processor's
cache, and the tables of all cliques inside the block are sums over it at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, Sizes, cells, clique, shape_of, summed
from understudy.engines.marginals.counting import Codes

__all__ = ["blocks_of", "count_batches", "every_pair"]

SLICE = 65_536  # rows: a few columns of them fit into the cache
LARGEST_BLOCK = 65_536  # cells of a table that is counted in one pass

Tables = dict[Clique, Floats]


def every_pair(attributes: int) -> list[Clique]:
    """Return all pairs of so many attributes.

    >>> every_pair(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(attributes), 2))


def count_batches(batches: Iterable[Codes], cliques: Sequence[Clique], sizes: Sizes) -> Tables:
    """Return how many rows of all batches lie in each cell of each clique.

    A batch is one array of codes per attribute, all of one length. Codes run from 0 to their size - 1.

    >>> halves = [[np.array([0, 1]), np.array([1, 1])], [np.array([1]), np.array([0])]]
    >>> count_batches(halves, [(0, 1)], (2, 2))[(0, 1)].tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    blocks = blocks_of(cliques, sizes)
    counts = {block: np.zeros(cells(block, sizes), dtype=np.int64) for block in blocks}
    for batch in batches:
        rows = len(batch[0]) if len(batch) else 0
        for start in range(0, rows, SLICE):
            _add([codes[start : start + SLICE] for codes in batch], counts, sizes)
    return {of: _table(of, blocks, counts, sizes) for of in cliques}


def blocks_of(cliques: Sequence[Clique], sizes: Sizes) -> list[Clique]:
    """Return few sets of attributes that hold all cliques, small enough unless a clique itself is not.

    Each begins with the first clique that is not held yet, and takes in the attribute that adds most others
    of these while there is room.
    """
    left = dict.fromkeys(sorted(cliques, key=lambda of: (-len(of), of)))
    blocks: list[Clique] = []
    while left:
        block = next(iter(left))
        while (wider := _widened(block, left, sizes)) is not None:
            block = wider
        blocks.append(block)
        inside = set(block)
        left = {of: None for of in left if not inside.issuperset(of)}
    return blocks


def _widened(block: Clique, left: Iterable[Clique], sizes: Sizes) -> Clique | None:
    """Return the block with one attribute more, or None where none fits or helps."""
    inside, gains = set(block), dict[int, int]()
    for of in left:
        outside = set(of) - inside
        if len(outside) == 1 and len(of) > 1:
            (attribute,) = outside
            gains[attribute] = gains.get(attribute, 0) + 1
    room = LARGEST_BLOCK // max(cells(block, sizes), 1)
    fits = {attribute: gain for attribute, gain in gains.items() if sizes[attribute] <= room}
    if not fits:
        return None
    return clique((*block, max(fits, key=lambda attribute: (fits[attribute], -sizes[attribute], -attribute))))


def _add(codes: Codes, counts: dict[Clique, npt.NDArray[np.int64]], sizes: Sizes) -> None:
    wide = {attribute: codes[attribute].astype(np.int64) for attribute in {a for of in counts for a in of}}
    for block, table in counts.items():
        place = np.zeros(len(codes[0]), dtype=np.int64)
        for attribute in block:
            place *= sizes[attribute]
            place += wide[attribute]
        np.add(table, np.bincount(place, minlength=len(table)), out=table)


def _table(
    of: Clique, blocks: Sequence[Clique], counts: dict[Clique, npt.NDArray[np.int64]], sizes: Sizes
) -> Floats:
    home = next(block for block in blocks if set(block).issuperset(of))
    table = counts[home].astype(np.float64).reshape(shape_of(home, sizes))
    return summed(table, home, of)
