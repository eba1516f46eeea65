"""Rows that keep the rules of their schema, every one, whatever method drew them.

1. Sums that a rule fixes (`net + tax == gross`) are worked out: nobody draws them by chance.
2. Rows that break a rule are drawn again, at most MOST_DRAWN times as many as are asked for in all.
3. What is left is mended (`mending`), in at most SWEEPS passes over the rules.
4. A row that cannot be mended gives way to a copy of one that keeps the rules. Where there is none, the
   rules exclude each other, or what was learned, or the conditions; the error says which.

Rules are public, so all of this is post-processing of drawn rows: it costs nothing and reads nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
import numpy.typing as npt

from understudy.errors import NothingMatches, SchemaError
from understudy.model.mending import Mender
from understudy.model.ruled import Ruled
from understudy.table.rule import Comparison, Rule

__all__ = ["Obeyed", "obey"]

Columns = dict[str, npt.NDArray[Any]]
Mask = npt.NDArray[np.bool_]
Draw = Callable[[int], Columns]

MOST_DRAWN: Final = 20  # times the rows asked for
FEWEST_DRAWN: Final = 2_000  # also for a handful of rows
SWEEPS: Final = 40


@final
@dataclass(frozen=True, eq=False)
class Obeyed:
    """Rows that keep the rules: how many were drawn for them, and how many mended or copied."""

    columns: Columns
    drawn: int
    mended: int
    copied: int


def obey(draw: Draw, rows: int, ruled: Ruled, rng: np.random.Generator, *, again: bool = True) -> Obeyed:
    """Return so many rows that keep all rules and conditions.

    `again` says whether rows may be drawn again; where each is paid for they may not, and all that break a
    rule are mended.
    """
    source = _Source(draw, ruled, rng)
    columns = source.take(rows)
    bad = ~ruled.kept(columns)
    most = max(MOST_DRAWN * rows, FEWEST_DRAWN) if again else rows
    share = 1 - bad.mean()
    while bad.any() and source.drawn < most:
        # As many as will do: where one in ten is good, ten times as many.
        size = min(int(1.1 * bad.sum() / max(share, 0.01)) + 100, most - source.drawn)
        fresh = source.take(size)
        good = np.flatnonzero(ruled.kept(fresh))
        places = np.flatnonzero(bad)[: len(good)]
        columns = _put(columns, places, fresh, good[: len(places)])
        bad[places] = False
        share = len(good) / size
        if not len(good):
            break
    return _mend(columns, bad, source)


@final
class _Source:
    """Draws rows and works out the sums that rules fix; counts what was drawn."""

    def __init__(self, draw: Draw, ruled: Ruled, rng: np.random.Generator) -> None:
        self._draw, self.ruled, self.rng, self.drawn = draw, ruled, rng, 0
        self._fixed = [rule for rule in ruled.rules if isinstance(rule, Comparison) and rule.operator == "=="]

    def take(self, rows: int) -> Columns:
        """Return so many rows, some of which may break a rule."""
        self.drawn += rows
        columns = self.ruled.completed(self._draw(rows), rows, self.rng)
        # One sum may be part of another: as often as there are sums, the last is right.
        for _ in self._fixed:
            columns, _ = _sweep(self._fixed, columns, Mender(self.ruled, columns, self.rng), 0)
        return columns


def _sweep(rules: Sequence[Rule], columns: Columns, mender: Mender, turn: int) -> tuple[Columns, set[Rule]]:
    """Mend the rows that break each rule in turn; return the rules that were broken, too."""
    found: set[Rule] = set()
    for rule in rules:
        broken = mender.ruled.broken(rule, columns)
        if broken.any():
            found.add(rule)
            places = np.flatnonzero(broken)
            part = {name: columns[name][places] for name in mender.ruled.legal}
            mended = mender.mended(rule, part, turn)
            changed = {name: values for name, values in mended.items() if values is not part[name]}
            columns = _put(columns, places, changed, np.arange(len(places)))
    return columns, found


def _mend(columns: Columns, bad: Mask, source: _Source) -> Obeyed:
    ruled, left = source.ruled, np.flatnonzero(bad)
    donors = {name: values[~bad] for name, values in columns.items()}
    mender = Mender(ruled, donors if not bad.all() else columns, source.rng)
    stuck: set[Rule] = set()
    for turn in range(SWEEPS):
        if not len(left):
            break
        part, found = _sweep(
            ruled.rules, {name: values[left] for name, values in columns.items()}, mender, turn
        )
        columns = _put(columns, left, part, np.arange(len(left)))
        left = left[~ruled.kept(part)]
        stuck = stuck | found if turn > SWEEPS // 2 else set()
    mended = int(bad.sum()) - len(left)
    good = np.setdiff1d(np.arange(len(bad)), left)
    if len(left) and not len(good):
        _refuse(ruled, stuck)
    columns = _put(columns, left, columns, source.rng.choice(good, len(left))) if len(left) else columns
    return Obeyed(columns, source.drawn, mended, len(left))


def _put(columns: Columns, places: Any, others: Columns, rows: Any) -> Columns:
    """Return the columns with these rows of others in these places; columns without any stay shared."""
    result = dict(columns)
    for name, values in others.items():
        result[name] = columns[name].copy()
        result[name][places] = values[rows]
    return result


def _refuse(ruled: Ruled, stuck: set[Rule]) -> None:
    numbers = [str(place) for place, rule in enumerate(ruled.rules, start=1) if rule in stuck]
    named = f"rule {numbers[0]}" if len(numbers) == 1 else f"rules {', '.join(numbers)}"
    if ruled.conditions:
        raise NothingMatches(
            f"where: no row was found that satisfies the conditions and keeps {named} of the schema; "
            "loosen a condition."
        )
    raise SchemaError(
        f"sample: no row was found that keeps {named} of the schema within its bounds and levels; "
        "they exclude each other. Mend or drop one."
    )
