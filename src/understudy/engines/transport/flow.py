"""Transport on a grid as the cheapest flow along its edges, solved to a proven gap.

The flow form (Beckmann 1952): the least of sum(length x |flow|) over flows whose divergence is the excess of
the first distribution over the second. Its dual: the most of sum(potential x excess) over potentials that
rise no faster than distance.

Solved by alternating directions (Boyd et al. 2011, section 5): project on the flows of the right divergence,
which is a Poisson equation that the eigenvectors of the two axes turn into four matrix products; shrink every
flow; add up what was shrunk. The number of turns hardly grows with the grid. Every projected flow is an
upper bound of the distance, and every multiplier, lowered to a potential, a lower one; the turns end
when the two are close.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.transport.axis import Axis, Edges, Floats

__all__ = ["Plan", "cheapest_flow", "one_thread"]

Grid = npt.NDArray[np.float32]  # (places of the first axis, places of the second), or its edges

_FIRST, _EVERY = 16, 8  # turns until the first look at the gap, and between two looks
_RELAX = 1.7  # over-relaxation; 1.5 to 1.8 is customary
_STIFF = 1.5  # found by trial on the pairs of Adult, normal pairs and independent ones
_STIFF_MISSING = 0.5  # the same where missing cells have an apex: much mass may go there at one price


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """A distance, how far off it can be, and the potential that proves its lower bound, on the grid."""

    value: float
    gap: float
    potential: Floats


def cheapest_flow(
    excess: Floats, first: Axis, second: Axis, *, tolerance: float = 3e-4, turns: int = 2_000
) -> Plan:
    """Return what it costs to level an excess (sum 0) on the product of two axes.

    The bounds end at most `tolerance` apart; up to 3.3 times as far for distances above 0.03, and as many
    times more as a distance is above 1. Their middle, the value, is much nearer to the truth. After `turns`
    turns whatever gap is left is the one reported.

    >>> from understudy.engines.transport.axis import line, star
    >>> plan = cheapest_flow(np.array([[0.5, -0.5], [-0.5, 0.5]]), star(2), line(np.array([0.0, 1.0])))
    >>> abs(plan.value - 1.0) <= plan.gap + 1e-6
    True
    """
    unit = max(first.length, second.length)
    if unit == 0 or not np.any(excess):
        return Plan(0.0, 0.0, np.zeros(excess.shape))
    with one_thread():
        search = _Search(_Product(excess, first, second, unit))
        for turn in range(1, turns + 1):
            search.turn()
            if turn == turns or (turn >= _FIRST and turn % _EVERY == 0):
                search.bound()
                times = max(1.0, min(33 * search.high, 3.3), 3.3 * search.high)
                if search.high - search.low <= times * tolerance:
                    break
    return Plan((search.high + search.low) / 2, (search.high - search.low) / 2, search.potential)


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which matrices are multiplied by one thread.

    Products as small as ours gain nothing from a second one, and on a busy machine wait long for it. Turning
    threads off and on again takes time too: who solves many flows holds the context around all of them.
    """
    limited: AbstractContextManager[Any] = _threads().limit(limits=1, user_api="blas")
    return limited


@cache
def _threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@final
class _Family:
    """One family of edges in the product: those of one axis, at every place of the other.

    `flow` is the flow before shrinking, `force` what shrinking takes from it: the multiplier by the penalty.
    """

    def __init__(self, edges: Edges, axis: Axis, along: int, graph: tuple[int, int], unit: float) -> None:
        count, self.along, self.to_apex = len(edges.lengths), along, edges.to_apex
        shape, whole = ((-1, 1), (count, graph[1])) if along == 0 else ((1, -1), (graph[0], count))
        self.lengths: Grid = (edges.lengths / unit).astype(np.float32).reshape(shape)
        self.resistance: Grid = (edges.resistance / unit).astype(np.float32).reshape(shape)
        before: tuple[slice, ...] = () if along == 0 else (slice(None),)
        self.tail = (*before, slice(0, count))
        self.head = (*before, slice(axis.outer, axis.outer + 1) if edges.to_apex else slice(1, count + 1))
        self.flow, self.force, self.room = (np.zeros(whole, dtype=np.float32) for _ in range(3))

    def push(self, potential: Grid) -> Grid:
        """Return what a potential drives through each edge, in the family's own room."""
        np.subtract(potential[self.tail], potential[self.head], out=self.room)
        self.room /= self.resistance
        return self.room

    def drain(self, flow: Grid, out: Grid) -> None:
        """Take away from each place what flows out of it."""
        out[self.tail] -= flow
        out[self.head] += flow.sum(axis=self.along, keepdims=True) if self.to_apex else flow

    def pulled(self) -> Grid:
        """Return what is projected next: flow - 2 force, in the family's own room."""
        np.multiply(self.force, np.float32(-2), out=self.room)
        self.room += self.flow
        return self.room

    def shrink(self, potential: Grid, reach: Grid) -> None:
        """Take an over-relaxed step along the potential, and shrink."""
        step = self.push(potential)
        step -= self.force
        step *= np.float32(_RELAX)
        self.flow += step
        np.clip(self.flow, -reach, reach, out=self.force)


@final
class _Modes:
    """The Poisson equation along the first axis, once for each mode of the second: by its own modes."""

    def __init__(self, axis: Axis, modes: Floats, unit: float) -> None:
        values, vectors = axis.modes
        stiffness = (values[:, None] + modes[None, :]) * unit
        stiffness[0, 0] = np.inf  # a constant potential moves nothing
        self.softness: Grid = (1 / stiffness).astype(np.float32)
        self.vectors: Grid = vectors.astype(np.float32)

    def solve(self, divergence: Grid) -> Grid:
        """Return the potential of a divergence (places, modes)."""
        inside = self.vectors.T @ divergence
        inside *= self.softness
        return np.asarray(self.vectors @ inside, dtype=np.float32)


@final
class _Hub:
    """The same along a star, in closed form: a category may have thousands of levels.

    Each leaf hangs on the hub alone, leaf = (divergence + pull x hub) / (mode + pull); put into the hub's own
    equation, that leaves hub x mode x (1 + leaves x pull / (mode + pull)) = what arrives there.
    """

    def __init__(self, axis: Axis, modes: Floats, unit: float) -> None:
        pull = unit / float(axis.edges[0].resistance[0])
        share = 1 / (modes * unit + pull)
        weight = modes * unit * (1 + axis.outer * pull * share)
        weight[0] = np.inf  # a constant potential moves nothing
        self.pull = np.float32(pull)
        self.share, self.weight = share.astype(np.float32), weight.astype(np.float32)

    def solve(self, divergence: Grid) -> Grid:
        """Return the potential of a divergence (places, modes)."""
        out = divergence * self.share
        hub = (divergence[-1] + self.pull * out[:-1].sum(axis=0)) / self.weight
        out += self.pull * self.share * hub
        out[-1] = hub
        return out


@final
class _Product:
    """The product graph of two axes, with what lies in excess at each of its places."""

    def __init__(self, excess: Floats, first: Axis, second: Axis, unit: float) -> None:
        self.excess: Grid = excess.astype(np.float32)
        self.axes, self.unit = (first, second), unit
        self.families = [
            _Family(edges, axis, along, (first.places, second.places), unit)
            for along, axis in enumerate(self.axes)
            for edges in axis.edges
        ]
        values, right = second.modes
        self.right: Grid = right.astype(np.float32)
        self.across = _Hub(first, values, unit) if first.is_star else _Modes(first, values, unit)

    def poisson(self, divergence: Grid) -> Grid:
        """Return the potential that drives flows of this divergence."""
        return np.asarray(self.across.solve(divergence @ self.right) @ self.right.T, dtype=np.float32)

    def undone(self) -> Grid:
        """Return the potential that corrects what the pulled flows leave of the excess."""
        rest = self.excess.copy()
        for family in self.families:
            family.drain(family.pulled(), rest)
        return self.poisson(rest)


@final
class _Search:
    """The turns, and the best bounds so far."""

    def __init__(self, graph: _Product) -> None:
        self.graph = graph
        potential = graph.poisson(graph.excess)
        for family in graph.families:
            family.flow[:] = family.push(potential)
        of_missing = any(axis.steps is not None and axis.spokes is not None for axis in graph.axes)
        self.stiff = np.float32((_STIFF_MISSING if of_missing else _STIFF) * _typical(graph))
        self.reach = [family.lengths / family.resistance / self.stiff for family in graph.families]
        self.high, self.low, self.potential = np.inf, -np.inf, np.zeros(graph.excess.shape)

    def turn(self) -> None:
        """Project, shrink, add up what was shrunk."""
        potential = self.graph.undone()
        for family, reach in zip(self.graph.families, self.reach, strict=True):
            family.shrink(potential, reach)

    def bound(self) -> None:
        """Tighten the bounds by the next projected flow and by the potential of the forces."""
        self.high = min(self.high, self._cost())
        potential = self._lowered()
        low = float((potential * self.graph.excess).sum(dtype=np.float64))
        if low > self.low:
            self.low, self.potential = low, potential

    def _cost(self) -> float:
        """The lengths that the projected flows go, times their mass."""
        potential, cost = self.graph.undone(), 0.0
        for family in self.graph.families:
            moved = family.flow - 2 * family.force + family.push(potential)
            cost += float((family.lengths * np.abs(moved)).sum(dtype=np.float64))
        return cost * self.graph.unit

    def _lowered(self) -> Floats:
        """Return the potential nearest to the forces, made to rise no faster than distance."""
        filled = np.zeros_like(self.graph.excess)
        for family in self.graph.families:
            family.drain(family.force, filled)
        potential: Grid = self.graph.poisson(filled) * np.float32(-self.stiff * self.graph.unit)
        first, second = self.graph.axes
        return second.lowered(first.lowered(potential).T).T


def _typical(graph: _Product) -> float:
    """Return one over the typical flow: the penalty at which a typical flow is shrunk by all of itself."""
    length = sum(float((family.lengths * np.abs(family.flow)).sum()) for family in graph.families)
    square = sum(float((family.resistance * family.flow**2).sum()) for family in graph.families)
    return length / square
