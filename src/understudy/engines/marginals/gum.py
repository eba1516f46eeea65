"""GUM: rows changed little by little until their tables are the wanted ones (Zhang et al. 2021, section 5).

Tables are visited one after the other, the worst first. Rows leave cells that hold too many and go to cells
that hold too few: most of them as a copy of a row that lies there, which keeps what such rows have in all
other columns; some by changing the table's own attributes alone, which keeps what the row has elsewhere.
A cell that nobody lies in can only be reached in the second way. Steps become shorter from round to round,
so that tables that pull against each other come to rest between their wishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, Sizes, cells
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.generate import systematic

__all__ = ["Pace", "gum", "independent_rows"]

Rows = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]


@final
@dataclass(frozen=True)
class Pace:
    """How many rounds, what share of a gap the first closes, and how far later ones fall behind it."""

    rounds: int = 20
    step: float = 1.0
    decay: float = 0.93
    copied: float = 0.8

    def at(self, number: int) -> float:
        """Return the share of a gap that a round closes.

        >>> Pace(step=1.0, decay=0.5).at(2)
        0.25
        """
        return self.step * self.decay**number


def independent_rows(one_way: Sequence[Floats], rows: int, rng: np.random.Generator) -> Rows:
    """Return rows, an attribute to each line, that follow every attribute's own table and no relation."""
    group = np.zeros(rows, dtype=np.int64)
    drawn = [systematic(table[None, :], group, rng) for table in one_way]
    return np.array(drawn, dtype=np.int32).reshape(len(one_way), rows)


def gum(
    rows: Rows, wanted: Sequence[Measured], sizes: Sizes, rng: np.random.Generator, pace: Pace | None = None
) -> Rows:
    """Return rows like the given ones whose tables are close to the wanted ones, none of them negative.

    Rows have an attribute to each line. Tables may add up to anything above nought: shares count.

    >>> rng = np.random.default_rng(0)
    >>> rows = independent_rows([np.ones(2), np.ones(2)], 100, rng)
    >>> same = gum(rows, [Measured((0, 1), np.eye(2), 1.0)], (2, 2), rng)
    >>> bool((same[0] == same[1]).all())
    True
    """
    pace = pace or Pace()
    work = _Work(rows.copy(), sizes, rng, pace.copied)
    targets = [(each.of, _scaled(each.table, rows.shape[1])) for each in wanted if each.table.sum() > 0]
    if rows.shape[1] == 0:
        return work.rows
    errors = np.array([work.gap(of, target) for of, target in targets])
    for number in range(pace.rounds):
        work.shuffle()
        for place in np.argsort(-errors, kind="stable"):
            of, target = targets[place]
            errors[place] = work.update(of, target, pace.at(number))
        if errors.sum() < 1.0:
            break
    return work.rows


def _scaled(table: Floats, rows: int) -> Floats:
    flat = table.ravel()
    return np.asarray(flat * (rows / flat.sum()))


@final
class _Work:
    """Rows that are being changed."""

    def __init__(self, rows: Rows, sizes: Sizes, rng: np.random.Generator, copied: float) -> None:
        self.rows = rows
        self._sizes, self._rng, self._copied = sizes, rng, copied

    def shuffle(self) -> None:
        """Put the rows into a new order, so that which of a cell's rows move is left to chance."""
        self.rows = self.rows[:, self._rng.permutation(self.rows.shape[1])]

    def gap(self, of: Clique, target: Floats) -> float:
        """Return how far the rows' table is from the wanted one, in rows."""
        held = np.bincount(self._cell(of), minlength=len(target))
        return float(np.abs(held - target).sum())

    def update(self, of: Clique, target: Floats, step: float) -> float:
        """Close a share of one table's gap; return the gap as it was."""
        cell = self._cell(of)
        held = np.bincount(cell, minlength=len(target))
        change = target - held
        error = float(np.abs(change).sum())
        leave, come = self._moves(np.maximum(-change, 0.0) * step, np.maximum(change, 0.0) * step)
        if leave.any():
            by_cell = np.argsort(cell, kind="stable")
            starts = np.cumsum(held) - held
            freed = by_cell[self._picked(leave, held, starts)]
            self._fill(freed, np.repeat(np.arange(len(target)), come), of, (by_cell, held, starts))
        return error

    def _fill(self, freed: Places, goal: Places, of: Clique, index: tuple[Places, Places, Places]) -> None:
        """Make the freed rows into rows of the cells in `goal`."""
        by_cell, held, starts = index
        copied = (held[goal] > 0) & (self._rng.random(len(goal)) < self._copied)
        at = goal[copied]
        chosen = starts[at] + (self._rng.random(len(at)) * held[at]).astype(np.int64)
        # Givers lie in cells that want more rows, freed rows in cells that want fewer: they never meet.
        self.rows[:, freed[copied]] = self.rows[:, by_cell[chosen]]
        rest, moved = goal[~copied], freed[~copied]
        for attribute in reversed(of):
            rest, code = np.divmod(rest, self._sizes[attribute])
            self.rows[attribute, moved] = code

    def _picked(self, counts: Places, held: Places, starts: Places) -> Places:
        """Return so many places of each cell's rows: a run that begins anywhere among them and goes round."""
        where = np.repeat(np.arange(len(counts)), counts)
        ends = np.cumsum(counts)
        rank = np.arange(len(where)) - (ends - counts)[where]
        begin = (self._rng.random(len(counts)) * held).astype(np.int64)
        return np.asarray(starts[where] + (rank + begin[where]) % held[where])

    def _moves(self, leave: Floats, come: Floats) -> tuple[Places, Places]:
        """Return whole numbers of rows that leave and that come, as many of both."""
        total = min(leave.sum(), come.sum())
        # Rounded down, so that no cell gives more rows than it has; a part of one row is left to chance.
        total = float(np.floor(total if total >= 1 else total + self._rng.random()))
        return self._whole(leave, total), self._whole(come, total)

    def _whole(self, amounts: Floats, total: float) -> Places:
        """Return whole numbers that add up to the total, each within one of its amount."""
        if total <= 0:
            return np.zeros(len(amounts), dtype=np.int64)
        order = self._rng.permutation(len(amounts))
        ends = np.cumsum(amounts[order])
        ends *= total / ends[-1]
        steps = np.floor(ends + self._rng.random())
        steps[-1] = total
        found = np.zeros(len(amounts), dtype=np.int64)
        found[order] = np.diff(np.minimum(steps, total), prepend=0.0)
        return found

    def _cell(self, of: Clique) -> npt.NDArray[Any]:
        """Return the cell of every row, in so few bits that sorting is a matter of counting."""
        place = np.zeros(self.rows.shape[1], dtype=np.int32)
        for attribute in of:
            place *= self._sizes[attribute]
            place += self.rows[attribute]
        return place.astype(np.uint16) if cells(of, self._sizes) <= 2**16 else place
