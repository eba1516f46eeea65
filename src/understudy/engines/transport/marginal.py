"""The distance of two samples in one or two of their columns, and the potential that proves it."""

from __future__ import annotations

import numpy as np

from understudy.engines.transport.axis import Axis, Floats, star
from understudy.engines.transport.cells import Cells
from understudy.engines.transport.exact import least_cost
from understudy.engines.transport.flow import Plan, cheapest_flow

__all__ = ["excess", "one_way", "transport", "two_way", "variation"]

_NEAR = 1_000  # places of an axis whose distances are written down in full
_FEW = 1_024  # plans of at most so many routes are solved exactly: a linear programme is quicker than turns


def excess(first: Cells, second: Cells) -> Floats:
    """Return how much more of the first sample than of the second lies in each cell of two axes."""
    shape = first.axis.places, second.axis.places
    mine, yours = (
        np.bincount(one * shape[1] + other, minlength=shape[0] * shape[1]) / max(1, len(one))
        for one, other in ((first.first, second.first), (first.second, second.second))
    )
    return (mine - yours).reshape(shape)


def variation(excess: Floats) -> Plan:
    """Return the total variation: transport where every two cells are one unit apart.

    >>> variation(np.array([[0.25, -0.25]])).value
    0.25
    """
    return Plan(float(np.abs(excess).sum()) / 2, 0.0, np.sign(excess) / 2)


def one_way(cells: Cells, tolerance: float = 3e-4) -> Plan:
    """Return the distance of two samples in one column; the potential has a second axis of one place.

    On a line without missing cells it is the area between the two distribution functions, which is exact.
    """
    alone = Cells(np.zeros_like(cells.first), np.zeros_like(cells.second), star(1))
    rest = excess(cells, alone)
    axis = cells.axis
    if axis.is_star:
        return variation(rest)
    if axis.spokes is not None:
        return transport(rest, axis, alone.axis, tolerance)
    ahead = np.cumsum(rest[:, 0])[:-1]
    slope = np.concatenate([[0.0], -np.cumsum(np.sign(ahead) * axis.steps)])
    return Plan(float(np.abs(ahead) @ axis.steps), 0.0, slope[:, None])


def two_way(first: Cells, second: Cells, tolerance: float = 3e-4) -> Plan:
    """Return the distance of two samples in two columns under the sum of their distances."""
    return transport(excess(first, second), first.axis, second.axis, tolerance)


def transport(
    excess: Floats, first: Axis, second: Axis, tolerance: float, *, start: Plan | None = None
) -> Plan:
    """Return the cheapest way to level an excess: exactly if few cells have any, else to a proven gap."""
    # Shares of different sizes are only nearly equal: what differs by rounding alone stays.
    more, less = excess > 1e-15, excess < -1e-15
    if np.count_nonzero(more) * np.count_nonzero(less) > _FEW or max(first.places, second.places) > _NEAR:
        return cheapest_flow(excess, first, second, tolerance=tolerance, start=start)
    above, below = np.argwhere(more), np.argwhere(less)
    if len(above) == 0 or len(below) == 0:
        return Plan(0.0, 0.0, np.zeros(excess.shape))
    to_below = first.distances[:, None, below[:, 0]] + second.distances[None, :, below[:, 1]]
    supply, demand = excess[tuple(above.T)], -excess[tuple(below.T)]
    value, prices = least_cost(to_below[tuple(above.T)], supply, demand)
    return Plan(value, 0.0, (to_below - prices).min(axis=2))
