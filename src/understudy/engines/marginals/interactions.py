"""A table of two columns as what its columns say, and what only both together do.

The second part, the interaction, adds up to nought along either column. Where columns are known well, it is
all that a table of both has to tell, and can be told with less noise than the whole table. But a whole table
tells more of its columns too: it is worth its noise unless the interaction is the smaller half of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Floats

__all__ = ["completed", "interaction", "numbers_read", "pays"]

PAYS = (
    0.5  # of a table's numbers at most, where its interaction is read alone; tried from 0 to 1 on six tables
)


def interaction(table: Floats) -> Floats:
    """Return a table less what its columns say of it.

    >>> interaction(np.array([[3.0, 1.0], [1.0, 3.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def completed(both: Floats, margins: Sequence[Floats], total: float) -> Floats:
    """Return the table of two columns that has this interaction and these margins, scaled to the total.

    >>> both, margins = np.array([[1.0, -1.0], [-1.0, 1.0]]), [np.array([4.0, 4.0]), np.array([5.0, 3.0])]
    >>> completed(both, margins, 8.0).tolist()
    [[3.5, 0.5], [1.5, 2.5]]
    """
    first, second = (each * (total / each.sum()) for each in margins)
    lines, columns = both.shape
    return np.asarray(interaction(both) + first[:, None] / columns + second / lines - total / both.size)


def pays(first: int, second: int) -> bool:
    """Say whether the interaction of two columns of so many cells is read in the place of their table.

    >>> pays(2, 9), pays(3, 4), pays(4, 4)
    (True, True, False)
    """
    return bool(numbers_read(first, second) < first * second)


def numbers_read(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return how many numbers are read of tables of so many by so many cells.

    >>> numbers_read([2, 3, 4], [2, 4, 4]).tolist()
    [1.0, 6.0, 16.0]
    """
    lines, columns = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    told = (lines - 1) * (columns - 1)
    return np.where(told <= PAYS * lines * columns, told, lines * columns)
