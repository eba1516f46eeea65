"""Transport of binned samples on two scales: on every second place of the axes, then on all of them.

Bins lose what is moved within them. How much is told by losing more: the excess of every other place goes to
its two neighbours, by nearness. A potential of the wide grid, drawn straight between its places, rises no
faster than distance on the fine one and gains the same there, so the wide distance is never above the fine
one; what the fine one has more is, but for a factor, what its own bins lose.

The wide plan is also where the fine one starts, which saves half of its turns: the potential drawn straight
between places, the flows spread over the edges that they went along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.engines.transport.axis import Axis, Floats
from understudy.engines.transport.cells import Cells
from understudy.engines.transport.flow import Grid, Plan
from understudy.engines.transport.marginal import excess, transport

__all__ = ["Wider", "binned_way", "widened"]

_AGAIN = 0.47  # of the gain of all places over every second: least squares on 192 pairs of 3,000 rows
_ROUGH = 2.0  # times the tolerance on the wide grid: it counts for less
_LARGE = 4_096  # cells of values that are kept: from here on a start is worth what it takes


@final
@dataclass(frozen=True, eq=False)
class Wider:
    """An axis of fewer places, and what the places and steps of the one before are on it.

    `share` (places, wider places) is how much of each place goes to each wider one; `step` (steps) is the
    wider step that each step is a part of.
    """

    axis: Axis
    share: Floats
    step: npt.NDArray[np.int64]

    def spread(self) -> Grid:
        """Return how much of what is at a wider place each place gets: (places, wider places)."""
        return np.asarray(self.share / self.share.sum(axis=0), dtype=np.float32)


def widened(axis: Axis, *, binned: bool = True) -> Wider:
    """Return an axis with every second place and the last one; as it is if it is a star or not binned.

    >>> from understudy.engines.transport.axis import line
    >>> widened(line(np.array([0.0, 1.0, 4.0]))).share.tolist()
    [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]]
    """
    if axis.steps is None or axis.outer < 3 or not binned:
        return Wider(axis, np.eye(axis.places), np.arange(axis.outer - 1))
    at, every = np.concatenate([[0.0], np.cumsum(axis.steps)]), np.arange(axis.outer)
    kept = np.append(every[:-1:2], axis.outer - 1)
    left = np.minimum(every // 2, len(kept) - 2)
    start, end = at[kept[left]], at[kept[left + 1]]
    # Beside a place far outside steps may be lost to rounding: then both neighbours are in the same place.
    nearness = (at - start) / np.maximum(end - start, np.finfo(np.float64).tiny)
    wider = Axis(len(kept), np.diff(at[kept]), None if axis.spokes is None else axis.spokes[kept])
    share = np.zeros((axis.places, wider.places))
    share[every, left], share[every, left + 1] = 1 - nearness, nearness
    share[axis.outer :, wider.outer :] = 1.0  # missing cells stay missing
    return Wider(wider, share, left[:-1])


def binned_way(first: Cells, second: Cells, binned: tuple[bool, bool], tolerance: float = 3e-4) -> Plan:
    """Return the distance of two samples in two quantities, with what is lost within bins made up for.

    `binned` says of each quantity whether its cells are bins; cells that are its very values lose nothing.
    """
    axes, rest = (first.axis, second.axis), excess(first, second)
    nothing_lost = not any(binned)
    if nothing_lost and rest.size < _LARGE:
        return transport(rest, *axes, tolerance)
    wider = [widened(axis, binned=lost or nothing_lost) for axis, lost in zip(axes, binned, strict=True)]
    gathered = wider[0].share.T @ rest @ wider[1].share
    wide = transport(gathered, wider[0].axis, wider[1].axis, _ROUGH * tolerance)
    drawn = wider[0].share @ wide.potential @ wider[1].share.T
    start = Plan(wide.value, wide.gap, drawn, _spread(wide.flows, wider)) if wide.flows else None
    fine = transport(rest, *axes, tolerance, start=start)
    if nothing_lost:
        return fine
    value = fine.value + _AGAIN * (fine.value - wide.value)
    gap = fine.gap + _AGAIN * (fine.gap + wide.gap)
    return Plan(value, gap, fine.potential + _AGAIN * (fine.potential - drawn))


def _spread(flows: tuple[Grid, ...], wider: list[Wider]) -> tuple[Grid, ...]:
    """Return the flows of the wide grid on the edges of the fine one."""
    kinds = [(along, edges.to_apex) for along in (0, 1) for edges in wider[along].axis.edges]
    spread = [each.spread() for each in wider]
    found = []
    for flow, (along, to_apex) in zip(flows, kinds, strict=True):
        turned = flow if along == 0 else flow.T  # the edges' own axis first
        turned = spread[along][:-1, :-1] @ turned if to_apex else turned[wider[along].step]
        turned = turned @ spread[1 - along].T
        found.append(turned if along == 0 else turned.T)
    return tuple(found)
