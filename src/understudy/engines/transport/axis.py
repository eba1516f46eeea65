"""One axis of a grid: places, what it costs to go from one to the next, and the algebra a solver needs.

Three axes cover every kind of column, each a graph whose shortest paths are the ground distance:

a line                the values of a quantity in rising order; the edges are the steps between them
a line with an apex   the same, and one more place for missing cells with an edge to every value
a star                the levels of a category: every level is half a unit from a hub where nothing lies

The sum of two columns' distances (paper 004, Eq. 4) is the shortest path in the product of two such graphs,
so that transport is a flow along edges: a handful of edges a cell instead of one for every two cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy import linalg

__all__ = ["Axis", "Edges", "Floats", "line", "star"]

Floats = npt.NDArray[np.float64]

_LEAST = 1e-3  # of the axis: no edge resists less, or the Laplacian would have no use for float32
_LEVEL = 2.0  # found by trial: edges between levels carry little, and a higher resistance saves turns


@final
@dataclass(frozen=True, eq=False)
class Edges:
    """A family of edges of one axis: from place i to place i + 1, or from place i to the apex.

    `resistance` is the penalty that the solver puts on flow along an edge; its length, within bounds.
    """

    lengths: Floats
    resistance: Floats
    to_apex: bool


@final
@dataclass(frozen=True, eq=False)
class Axis:
    """Places 0 to `outer` - 1 along a line or loose, and behind them the apex, if there is one.

    `steps` (outer - 1) are the lengths between neighbours, None where places are loose; `spokes` (outer) are
    the distances to the apex, None where there is none.
    """

    outer: int
    steps: Floats | None
    spokes: Floats | None

    @property
    def places(self) -> int:
        """How many places there are, the apex included."""
        return self.outer + (self.spokes is not None)

    @property
    def is_star(self) -> bool:
        """Whether places are loose, and all equally far from the apex."""
        return self.steps is None

    @cached_property
    def length(self) -> float:
        """At least as far as any two places are apart."""
        along = 0.0 if self.steps is None else float(self.steps.sum())
        return along + (0.0 if self.spokes is None else 2 * float(self.spokes.max()))

    @cached_property
    def edges(self) -> tuple[Edges, ...]:
        """The families of edges that there are."""
        least = _LEAST * self.length
        found = []
        if self.steps is not None and self.outer > 1:
            found.append(Edges(self.steps, np.maximum(self.steps, least), to_apex=False))
        if self.spokes is not None:
            share = _LEVEL if self.steps is None else 1.0
            found.append(Edges(self.spokes, share * np.maximum(self.spokes, least), to_apex=True))
        return tuple(found)

    @cached_property
    def distances(self) -> Floats:
        """The distance between every two places: (places, places)."""
        apart = np.zeros((self.places, self.places))
        inner = apart[: self.outer, : self.outer]
        if self.steps is not None:
            at = self._at
            inner[:] = np.abs(at[:, None] - at[None, :])
        if self.spokes is not None:
            around = self.spokes[:, None] + self.spokes[None, :]
            inner[:] = around if self.steps is None else np.minimum(inner, around)
            apart[: self.outer, self.outer] = apart[self.outer, : self.outer] = self.spokes
        np.fill_diagonal(apart, 0.0)
        return apart

    @cached_property
    def modes(self) -> tuple[Floats, Floats]:
        """Eigenvalues (places) and eigenvectors (places, places) of the Laplacian of 1 / resistance."""
        if self.spokes is None and self.outer > 1:
            pull = 1 / self.edges[0].resistance
            diagonal = np.append(pull, 0.0) + np.append(0.0, pull)
            values, vectors = linalg.eigh_tridiagonal(diagonal, -pull)
        else:
            values, vectors = np.linalg.eigh(self._laplacian())
        values[0] = 0.0
        return values, vectors

    def _laplacian(self) -> Floats:
        laplacian = np.zeros((self.places, self.places))
        for family in self.edges:
            tail = np.arange(len(family.lengths))
            head = np.full_like(tail, self.outer) if family.to_apex else tail + 1
            laplacian[tail, head] = laplacian[head, tail] = -1 / family.resistance
        np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
        return laplacian

    def lowered(self, potential: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the highest function below one on (places, others) that rises no faster than distance."""
        out = np.array(potential)
        inner = out[: self.outer]
        if self.steps is not None:
            at = self._at[:, None].astype(out.dtype)
            onward = np.minimum.accumulate(inner - at, axis=0) + at
            back = np.minimum.accumulate((inner + at)[::-1], axis=0)[::-1] - at
            inner[:] = np.minimum(onward, back)
        if self.spokes is not None:
            far = self.spokes[:, None].astype(out.dtype)
            # The spokes themselves rise no faster than the steps, so the second line undoes nothing.
            out[self.outer] = np.minimum(out[self.outer], (inner + far).min(axis=0))
            inner[:] = np.minimum(inner, out[self.outer] + far)
        return out

    @cached_property
    def _at(self) -> Floats:
        assert self.steps is not None, "asked of lines only"
        return np.concatenate([[0.0], np.cumsum(self.steps)])


def line(places: Floats, missing: Floats | None = None) -> Axis:
    """Return the axis of rising places; `missing` are their distances to the place of missing cells.

    >>> line(np.array([0.0, 0.5, 2.0])).distances[0].tolist()
    [0.0, 0.5, 2.0]
    """
    return Axis(len(places), np.diff(places), missing)


def star(levels: int) -> Axis:
    """Return the axis of levels of which every two are one unit apart; two levels need no hub.

    >>> star(3).distances[0].tolist(), star(2).distances[0].tolist()
    ([0.0, 1.0, 1.0, 0.5], [0.0, 1.0])
    """
    if levels <= 2:
        return Axis(levels, np.ones(max(0, levels - 1)), None)
    return Axis(levels, None, np.full(levels, 0.5))
