"""Mending: cells of rows that break a rule are changed, as few and as little as it takes, until they keep it.

A sum moves the column that the rule defines, then the others. Two cells in the wrong order are exchanged, or
one is moved onto the other. A level or a missing cell is taken from rows that are in the same case and keep
the rules. Nothing moves out of its bounds, its levels, or what `where` asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.missing import is_missing, missing_like
from understudy.model.legal import Legal
from understudy.model.lines import line_of
from understudy.model.ruled import Ruled
from understudy.table.rule import Condition, Implies, IsMissing, Match, Operator, Rule
from understudy.table.schema import TIME_KINDS

__all__ = ["Mender", "denied"]

Columns = dict[str, npt.NDArray[Any]]

_DENIED: dict[Operator, Operator] = {
    "<=": ">", ">": "<=", ">=": "<", "<": ">=", "==": "!=", "!=": "==",
}  # fmt: skip


def denied(condition: Condition) -> Condition:
    """Return the condition that holds where this one is known not to.

    >>> from understudy.table.rules_text import parse_rule
    >>> str(denied(parse_rule("age >= 18")))
    'age < 18'
    """
    if isinstance(condition, IsMissing):
        return replace(condition, missing=not condition.missing)
    return replace(condition, operator=_DENIED[condition.operator])


@final
@dataclass(frozen=True, eq=False)
class Mender:
    """What is legal in each column, and good rows whose cells may be taken."""

    ruled: Ruled
    donors: Columns
    rng: np.random.Generator

    def mended(self, rule: Rule, cells: Columns, turn: int) -> Columns:
        """Return rows, all of which break the rule, changed so that they may keep it.

        Later turns try other ways: other columns first, and a condition made false instead of its
        consequence made true.
        """
        if not isinstance(rule, Implies):
            return self._made(rule, cells, self.donors, turn)
        if turn % 3 == 2:
            return self._made(denied(rule.condition), cells, self.donors, turn)
        return self._made(rule.consequence, cells, self._in_case(rule.condition), turn)

    def _in_case(self, condition: Condition) -> Columns:
        """Return the donors that meet a condition; all of them if none does."""
        if not len(next(iter(self.donors.values()), ())):
            return self.donors
        met = self.ruled.broken(denied(condition), self.donors)
        return {name: values[met] for name, values in self.donors.items()} if met.any() else self.donors

    def _made(self, condition: Condition, cells: Columns, donors: Columns, turn: int) -> Columns:
        """Return rows in which the condition is known to be false, with it made true."""
        legal = self.ruled.legal
        if not all(name in legal for name in condition.columns):
            return cells  # a column without any cell stays as it is
        if isinstance(condition, IsMissing):
            return cells | {condition.column: self._there_or_not(condition, cells, donors)}
        if isinstance(condition, Match) and legal[condition.column].column.kind not in TIME_KINDS:
            return cells | {condition.column: self._level(condition, cells, donors)}
        line = line_of(condition, legal)
        if line is None:
            return cells
        operator = line.operator
        if operator == "!=":
            operator = "<" if turn % 2 else ">"
        lean = 0 if turn == 0 else int(self.rng.integers(-1, 2))
        return line.moved(cells, legal, line.order(turn, self.rng), wanted=operator, lean=lean)

    def _there_or_not(self, condition: IsMissing, cells: Columns, donors: Columns) -> npt.NDArray[Any]:
        name = condition.column
        legal, values = self.ruled.legal[name], cells[name]
        if condition.missing:
            return np.full_like(values, missing_like(values)) if legal.holes else values
        fits = legal.accepts(donors[name]) & ~is_missing(donors[name])
        return self._taken(donors[name][fits], legal, values)

    def _level(self, condition: Match, cells: Columns, donors: Columns) -> npt.NDArray[Any]:
        name = condition.column
        legal, values = self.ruled.legal[name], cells[name]
        assert legal.codes is not None, "a word is matched with levels"
        every = np.arange(len(legal.codes), dtype=values.dtype)
        met = legal.codes & self.ruled.broken(denied(condition), {name: every})
        fits = met[donors[name]] & ~is_missing(donors[name])
        return self._taken(donors[name][fits], replace(legal, codes=met), values)

    def _taken(self, offered: npt.NDArray[Any], legal: Legal, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return cells from those offered, at random; any legal ones where none is."""
        if len(offered):
            return np.asarray(self.rng.choice(offered, len(values)))
        return legal.anything(len(values), self.rng, values)
