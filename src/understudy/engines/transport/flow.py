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

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.transport.axis import Axis, Edges, Floats

__all__ = ["Plan", "cheapest_flow", "one_thread"]

Grid = npt.NDArray[np.float32]  # (places of the first axis, places of the second), or its edges

_FIRST, _WAIT = 10, 2  # turns until the first look at the gap, and at least between two; one costs two turns
_RELAX = 1.7  # over-relaxation; 1.5 to 1.8 is customary
_STIFF = 1.5  # found by trial on the pairs of Adult, normal pairs and independent ones
_STIFF_MISSING = 0.5  # the same where missing cells have an apex: much mass may go there at one price

_STIFF_AGAIN = 1.5  # times as stiff from a start: what is left to do is small
_held: ContextVar[bool] = ContextVar("one_thread", default=False)


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """A distance, how far off it can be, and the potential that proves its lower bound, on the grid.

    `flows` are those that it comes from, one array for each family of edges of the first axis, then of the
    second; none where no flow was sought.
    """

    value: float
    gap: float
    potential: Floats
    flows: tuple[Grid, ...] = ()


def cheapest_flow(
    excess: Floats,
    first: Axis,
    second: Axis,
    *,
    tolerance: float = 3e-4,
    turns: int = 2_000,
    start: Plan | None = None,
) -> Plan:
    """Return what it costs to level an excess (sum 0) on the product of two axes.

    The bounds end at most `tolerance` apart; up to 3.3 times as far for distances above 0.03, and as many
    times more as a distance is above 1. Their middle, the value, is much nearer to the truth. After `turns`
    turns whatever gap is left is the one reported. A `start` is a plan of nearly the same excess on the same
    axes: the nearer, the fewer turns.

    >>> from understudy.engines.transport.axis import line, star
    >>> plan = cheapest_flow(np.array([[0.5, -0.5], [-0.5, 0.5]]), star(2), line(np.array([0.0, 1.0])))
    >>> abs(plan.value - 1.0) <= plan.gap + 1e-6
    True
    """
    unit = max(first.length, second.length)
    if unit == 0 or not np.any(excess):
        return Plan(0.0, 0.0, np.zeros(excess.shape))
    with one_thread():
        search = _Search(_Product(excess, first, second, unit), start)
        look = min(_FIRST, turns)
        for turn in range(1, turns + 1):
            search.turn(look=turn == look)
            if turn == look:
                over = (search.high - search.low) / (tolerance * _times(search.high))
                if over <= 1:
                    break
                # The gap falls about as one over the turns.
                look = min(turns, turn + max(_WAIT, int(turn * min(1.0, over - 1))))
    return search.plan()


def _times(distance: float) -> float:
    """Return how many times the tolerance is allowed at a distance."""
    return max(1.0, min(33 * distance, 3.3), 3.3 * distance)


@contextmanager
def one_thread() -> Iterator[None]:
    """Return a context in which matrices are multiplied by one thread.

    Products as small as ours gain nothing from a second one, and on a busy machine wait long for it. Turning
    threads off and on again takes time too: who solves many flows holds the context around all of them.
    """
    if _held.get():
        yield
        return
    held = _held.set(True)
    try:
        with _threads().limit(limits=1, user_api="blas"):
            yield
    finally:
        _held.reset(held)


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
        resistance: Grid = (edges.resistance / unit).astype(np.float32).reshape(shape)
        # Written out in full: numpy is twice as quick at it as at repeating a row or column.
        self.pull: Grid = np.ascontiguousarray(np.broadcast_to(1 / resistance, whole))
        before: tuple[slice, ...] = () if along == 0 else (slice(None),)
        self.tail = (*before, slice(0, count))
        self.head = (*before, slice(axis.outer, axis.outer + 1) if edges.to_apex else slice(1, count + 1))
        self.flow, self.force, self.room = (np.zeros(whole, dtype=np.float32) for _ in range(3))

    def push(self, potential: Grid) -> Grid:
        """Return what a potential drives through each edge, in the family's own room."""
        np.subtract(potential[self.tail], potential[self.head], out=self.room)
        self.room *= self.pull
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

    def shrink(self, potential: Grid) -> None:
        """Take an over-relaxed step along the potential, and shrink."""
        step = self.push(potential)
        step -= self.force
        step *= np.float32(_RELAX)
        self.flow += step
        self.limit()

    def soften(self, stiff: np.float32) -> None:
        """Set how much of a flow is shrunk, by the penalty on flows."""
        self.reach = self.lengths * self.pull / stiff
        self._back = -self.reach

    def limit(self) -> None:
        """Set the force to what shrinking takes from the flow."""
        np.maximum(self.flow, self._back, out=self.force)  # np.clip takes four times as long
        np.minimum(self.force, self.reach, out=self.force)

    def length(self, potential: Grid) -> float:
        """Return the lengths that the projected flows go, times their mass."""
        moved = self.push(potential)
        moved += self.flow
        moved -= self.force
        moved -= self.force
        np.abs(moved, out=moved)
        return float((moved.sum(axis=1 - self.along) * self.lengths.ravel()).sum(dtype=np.float64))


@final
class _Modes:
    """The Poisson equation along the first axis, once for each mode of the second: by its own modes."""

    def __init__(self, axis: Axis, modes: Floats, unit: float) -> None:
        values, vectors = axis.modes
        stiffness = (values[:, None] + modes[None, :]) * unit
        stiffness[0, 0] = np.inf  # a constant potential moves nothing
        self.softness: Grid = (1 / stiffness).astype(np.float32)
        self.vectors: Grid = vectors.astype(np.float32, order="C")  # both ways in rows: products are quicker
        self.turned: Grid = np.ascontiguousarray(self.vectors.T)

    def solve(self, divergence: Grid) -> Grid:
        """Return the potential of a divergence (places, modes)."""
        inside = self.turned @ divergence
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
        self.right: Grid = right.astype(np.float32, order="C")
        self.turned: Grid = np.ascontiguousarray(self.right.T)
        self.across = _Hub(first, values, unit) if first.is_star else _Modes(first, values, unit)

    def poisson(self, divergence: Grid) -> Grid:
        """Return the potential that drives flows of this divergence."""
        return np.asarray(self.across.solve(divergence @ self.right) @ self.turned, dtype=np.float32)

    def undone(self) -> Grid:
        """Return the potential that corrects what the pulled flows leave of the excess."""
        rest = self.excess.copy()
        for family in self.families:
            family.drain(family.pulled(), rest)
        return self.poisson(rest)


@final
class _Search:
    """The turns, and the best bounds so far."""

    def __init__(self, graph: _Product, start: Plan | None) -> None:
        self.graph = graph
        potential = graph.poisson(graph.excess)
        for family in graph.families:
            family.flow[:] = family.push(potential)
        of_missing = any(axis.steps is not None and axis.spokes is not None for axis in graph.axes)
        self.stiff = np.float32((_STIFF_MISSING if of_missing else _STIFF) * _typical(graph))
        if start is not None:
            self.stiff *= np.float32(_STIFF_AGAIN)
        for family in graph.families:
            family.soften(self.stiff)
        if start is not None:
            self._take(start)
        self.high, self.low, self.potential = np.inf, -np.inf, np.zeros(graph.excess.shape)

    def _take(self, start: Plan) -> None:
        """Begin with a plan's flows, and with the forces that its potential stands for."""
        potential = (start.potential / (float(self.stiff) * self.graph.unit)).astype(np.float32)
        for family, flow in zip(self.graph.families, start.flows, strict=True):
            family.flow[:] = family.push(potential)
            family.limit()
            np.add(family.force, flow, out=family.flow)

    def turn(self, *, look: bool) -> None:
        """Project, shrink, add up what was shrunk; tighten the bounds on the way if asked to look."""
        potential = self.graph.undone()
        if look:
            self._bound(potential)
        for family in self.graph.families:
            family.shrink(potential)

    def plan(self) -> Plan:
        """Return what was found."""
        flows = tuple(family.flow - family.force for family in self.graph.families)
        middle, gap = (self.high + self.low) / 2, (self.high - self.low) / 2
        return Plan(middle, gap, self.potential, flows)

    def _bound(self, projected: Grid) -> None:
        """Tighten the bounds by the projected flows and by the potential of the forces."""
        cost = self.graph.unit * sum(family.length(projected) for family in self.graph.families)
        self.high = min(self.high, cost)
        potential = self._lowered()
        low = float((potential * self.graph.excess).sum(dtype=np.float64))
        if low > self.low:
            self.low, self.potential = low, potential

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
    square = sum(float((family.flow**2 / family.pull).sum()) for family in graph.families)
    return length / square
