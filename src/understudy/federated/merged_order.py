"""One order of all values out of several lists that each know the order of some."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

__all__ = ["merged_order"]

Value = TypeVar("Value", bound=Hashable)


def merged_order(lists: Sequence[Sequence[Value]], own: Mapping[Value, int]) -> tuple[Value, ...] | None:
    """Return all values of `own` in an order that every list agrees with; nothing where two lists disagree.

    Of values that may stand next, that with the least number of its `own` does, so that neither the order of
    the lists nor who holds a value shows beyond what lists say (Kahn's algorithm).

    >>> merged_order([("low", "high"), ("mid", "high")], {"high": 0, "low": 1, "mid": 2})
    ('low', 'mid', 'high')
    >>> merged_order([("a", "b"), ("b", "a")], {"a": 0, "b": 1}) is None
    True
    """
    after: dict[Value, set[Value]] = {value: set() for value in own}
    for values in lists:
        for low, high in pairwise(values):
            after[low].add(high)
    waits = dict.fromkeys(own, 0)
    for next_ones in after.values():
        for value in next_ones:
            waits[value] += 1
    ready = [(own[value], value) for value, count in waits.items() if not count]
    heapq.heapify(ready)
    found: list[Value] = []
    while ready:
        value = heapq.heappop(ready)[1]
        found.append(value)
        for later in after[value]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready, (own[later], later))
    return tuple(found) if len(found) == len(own) else None
