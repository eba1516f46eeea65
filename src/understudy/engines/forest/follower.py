"""Columns that another one decides, as a city decides its country: they need no law of their own.

In a leaf with two levels of each, columns drawn one by one would give pairs that no row has. So a column that
has one value beside each level of another, in all rows, is looked up there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Condition
from understudy.missing import is_missing

__all__ = ["Follower", "find_followers"]

ROWS_PER_LEVEL = 20  # on average: fewer agree by chance
_GLANCE = 256  # rows that show of most pairs that neither decides the other


@final
@dataclass(frozen=True, eq=False)
class Follower:
    """The leader's name, and the value beside each of its levels and, last, beside missing."""

    leader: str
    values: npt.NDArray[Any]

    def beside(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
        """Return the values beside these codes of the leader; -1 looks up the last."""
        return np.asarray(self.values[codes])

    def asked(self, condition: Condition) -> Among:
        """Return the condition on the leader under which this column satisfies its own.

        >>> follower = Follower("city", np.array([0, 1, -1], dtype=np.int32))
        >>> follower.asked(Among(np.array([False, True, True]))).allowed.tolist()
        [False, True, True]
        """
        return Among(condition.accepts(self.values))

    def agrees(self, codes: npt.NDArray[np.int32], column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Say in which rows the column is what it is beside the leader."""
        return _same(self.beside(codes), column)


def find_followers(columns: Mapping[str, npt.NDArray[Any]], levels: Mapping[str, int]) -> dict[str, Follower]:
    """Return the columns that a column of levels decides; no leader follows anybody."""
    found: dict[str, Follower] = {}
    leaders: set[str] = set()
    for leader, count in levels.items():
        codes = columns[leader]
        if leader in found or len(codes) < ROWS_PER_LEVEL * len(np.unique(codes)):
            continue
        for name, column in columns.items():
            if name == leader or name in found or name in leaders:
                continue
            if _decides(codes[:_GLANCE], column[:_GLANCE], count) and _decides(codes, column, count):
                found[name] = Follower(leader, _beside(codes, column, count))
                leaders.add(leader)
    return found


def _beside(codes: npt.NDArray[np.int32], column: npt.NDArray[Any], levels: int) -> npt.NDArray[Any]:
    values = np.full(levels + 1, column[0], dtype=column.dtype)  # a level that no row has is never drawn
    values[codes] = column
    return values


def _decides(codes: npt.NDArray[np.int32], column: npt.NDArray[Any], levels: int) -> bool:
    return bool(_same(_beside(codes, column, levels)[codes], column).all())


def _same(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.asarray((left == right) | (is_missing(left) & is_missing(right)))
