"""The k nearest of the candidates, and how many lie within a radius; exact, in bounded memory.

For each query a cheap bound is worked out for every candidate. The most promising ones are measured; the
k-th of these limits the rest, and whatever may lie within the limit by its bound is measured too.

Ties. Of candidates at the same distance the one that comes first in the order of their cells is nearer; rows
that are equal in every cell come in the order in which they stand. So which rows are found, as far as cells
can tell, does not depend on how the candidates stand. Who needs no rule at all counts with `within`: so many
are closer than the k-th, so many are as far, and each of these has the same share in the places left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.engines.neighbours.points import Facing, Floats, Places, Points
from understudy.engines.neighbours.vectors import Vectors
from understudy.errors import ParameterError

__all__ = [
    "Neighbours",
    "Ranked",
    "Within",
    "nearest",
    "nearest_others",
    "ranked",
    "shortest_from",
    "within",
]

_GROUP = 64
_PROMISING = 1024


class Neighbours(NamedTuple):
    """For each query its neighbours, the nearest first: both (queries, k)."""

    distances: Floats
    rows: Places


class Within(NamedTuple):
    """For each query how many candidates are closer than its radius, and how many just as far."""

    closer: Places
    level: Places


class Ranked(NamedTuple):
    """The candidates that are no farther than the k-th; a rank is 1 + how many are closer."""

    rows: Places
    ranks: Places


def nearest(queries: Points, candidates: Points, k: int = 1) -> Neighbours:
    """Return the k nearest candidates of each query.

    >>> from understudy.engines.neighbours.vectors import Vectors
    >>> line = Vectors(np.array([[0.0], [1.0], [5.0]]))
    >>> found = nearest(Vectors(np.array([[2.0]])), line, k=2)
    >>> found.distances.tolist(), found.rows.tolist()
    ([[1.0, 2.0]], [[1, 0]])
    """
    _refuse_count(k, candidates)
    order = candidates.order()
    facing = candidates.take(order).facing(queries)
    lengths, places = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
    for query, bounds in _rows(facing, len(queries), candidates):
        places[query], lengths[query] = _best(facing, query, bounds, k)
    return Neighbours(facing.distances(lengths), order[places])


def shortest_from(queries: Points) -> Callable[[Points], Floats]:
    """Return what measures the way of each query to its nearest candidate, of one set after another.

    Which candidate it is does not matter, so these need no order. Straight ways are measured on a device
    where there is one.

    >>> from understudy.engines.neighbours.vectors import Vectors
    >>> shortest_from(Vectors(np.array([[2.0]])))(Vectors(np.array([[0.0], [1.0], [5.0]]))).tolist()
    [1.0]
    """
    if isinstance(queries, Vectors) and _device_may_be_there():
        from understudy.engines.neighbours.on_device import ShortestOnDevice, has_device

        if has_device():
            search = ShortestOnDevice(queries.matrix)
            return lambda candidates: search(_matrix(candidates))
    return lambda candidates: _shortest(queries, candidates)


def nearest_others(points: Points, k: int = 1) -> Neighbours:
    """Return the k nearest rows of each row other than itself; a twin of it is another row.

    >>> from understudy.engines.neighbours.vectors import Vectors
    >>> nearest_others(Vectors(np.array([[0.0], [1.0], [1.0]]))).rows.ravel().tolist()
    [1, 2, 1]
    """
    found = nearest(points, points, k + 1)
    other = found.rows != np.arange(len(points))[:, None]
    # A row of more than k twins may not be among its own neighbours; then the last one is dropped.
    other[other.all(axis=1), -1] = False
    return Neighbours(found.distances[other].reshape(-1, k), found.rows[other].reshape(-1, k))


def within(queries: Points, candidates: Points, radii: Floats) -> Within:
    """Return how many candidates lie within the radius of each query, and how many just on it.

    >>> from understudy.engines.neighbours.vectors import Vectors
    >>> line = Vectors(np.array([[0.0], [1.0], [5.0]]))
    >>> [counts.tolist() for counts in within(Vectors(np.array([[0.0]])), line, np.array([1.0]))]
    [[1], [1]]
    """
    if radii.shape != (len(queries),) or not np.isfinite(radii).all():
        raise ParameterError("neighbours: expected one finite radius for each query.")
    facing = candidates.facing(queries)
    closer, level = np.zeros(len(queries), np.int64), np.zeros(len(queries), np.int64)
    for query, bounds in _rows(facing, len(queries), candidates):
        # A distance may be the root of a length: a hair more, so that none on the radius is missed.
        reach = facing.reach(facing.length(float(radii[query]) * (1 + 1e-12)))
        near = facing.distances(facing.lengths(query, np.flatnonzero(bounds <= reach)))
        closer[query] = np.count_nonzero(near < radii[query])
        level[query] = np.count_nonzero(near == radii[query])
    return Within(closer, level)


def ranked(queries: Points, candidates: Points, k: int = 1) -> Iterator[Ranked]:
    """Yield for each query every candidate that is no farther than its k-th nearest: ties are not broken.

    >>> from understudy.engines.neighbours.vectors import Vectors
    >>> line = Vectors(np.array([[0.0], [1.0], [3.0], [9.0]]))
    >>> [(found.rows.tolist(), found.ranks.tolist()) for found in ranked(Vectors(np.array([[2.0]])), line)]
    [([1, 2], [1, 1])]
    """
    _refuse_count(k, candidates)
    facing = candidates.facing(queries)
    for query, bounds in _rows(facing, len(queries), candidates):
        places, lengths = _near(facing, query, bounds, k)
        ordered = np.sort(lengths)
        kept = lengths <= ordered[k - 1]
        yield Ranked(places[kept], np.searchsorted(ordered, lengths[kept], side="left") + 1)


def _shortest(queries: Points, candidates: Points) -> Floats:
    _refuse_count(1, candidates)
    facing, lengths = candidates.facing(queries), np.empty(len(queries))
    for query, bounds in _rows(facing, len(queries), candidates):
        lengths[query] = _near(facing, query, bounds, 1)[1].min()
    return facing.distances(lengths)


def _device_may_be_there() -> bool:
    """Look for signs of a device before torch is loaded, which takes seconds."""
    signs = "torch" in sys.modules or which("nvidia-smi") is not None or Path("/dev/nvidia0").exists()
    return signs and find_spec("torch") is not None


def _matrix(candidates: Points) -> Floats:
    if not isinstance(candidates, Vectors):
        raise ParameterError("neighbours: queries and candidates have different columns.")
    return candidates.matrix


def _rows(facing: Facing, queries: int, candidates: Points) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield each query with its bounds, which are worked out a block at a time."""
    step = max(1, candidates.block // len(candidates)) if len(candidates) else 1
    for start in range(0, queries, step):
        bounds = facing.bounds(start, min(start + step, queries))
        for place, row in enumerate(bounds):
            yield start + place, row


def _best(facing: Facing, query: int, bounds: npt.NDArray[Any], k: int) -> tuple[Places, Floats]:
    """Return the places of the k nearest, and the lengths of their ways."""
    places, lengths = _near(facing, query, bounds, k)
    first = np.argsort(lengths, kind="stable")[:k]  # stable: ties stay in the order of the candidates
    return places[first], lengths[first]


def _near(facing: Facing, query: int, bounds: npt.NDArray[Any], k: int) -> tuple[Places, Floats]:
    """Return places among which the k nearest and all that are as near as the k-th are, and their lengths."""
    promising = np.flatnonzero(bounds <= _low(bounds, k))
    promising = promising[:: 1 + len(promising) // max(_PROMISING, 2 * k)]
    limit = float(np.partition(facing.lengths(query, promising), k - 1)[k - 1])
    places = np.flatnonzero(bounds <= facing.reach(limit))
    return places, facing.lengths(query, places)


def _refuse_count(k: int, candidates: Points) -> None:
    if not 1 <= k <= len(candidates):
        raise ParameterError(f"neighbours: k must be from 1 to the {len(candidates)} candidates; got {k}.")


def _low(bounds: npt.NDArray[Any], k: int) -> Any:
    """Return a number that at least k of the bounds do not exceed: the k-th of the least of groups."""
    groups = len(bounds) // _GROUP
    if groups >= 4 * k:
        bounds = bounds[: groups * _GROUP].reshape(_GROUP, groups).min(axis=0)
    return np.partition(bounds, k - 1)[k - 1]
