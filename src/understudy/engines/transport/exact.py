"""Exact transport between two small samples: cancel what both have, then solve what is left.

Common mass never needs to move, for every ground distance here obeys the triangle inequality. What is left
of two samples of equal size is an assignment (Jonker and Volgenant's method, in scipy); of unequal sizes, a
linear programme. Both are exact up to float rounding; the first is meant for thousands of rows, the second
for hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from understudy.engines.transport.axis import Floats
from understudy.engines.transport.place import missing_reach

__all__ = ["exact_distance", "ground", "least_cost"]

Sample = Sequence[npt.NDArray[Any]]  # one array a column: int codes of levels, or float places


def exact_distance(first: Sample, second: Sample) -> float:
    """Return the Wasserstein-1 distance of two samples under the sum of their columns' distances.

    Paper 004, Eq. 1-4, with d = 0 for equal levels and 1 for others (its Eq. 5 as printed has no zero).

    >>> codes, places = np.array([0, 1]), np.array([0.0, 1.0])
    >>> exact_distance([codes, places], [codes, places[::-1]])
    1.0
    """
    rows, mine, yours = _counted(first, second)
    sizes = len(first[0]), len(second[0])
    if sizes[0] == sizes[1]:
        common = np.minimum(mine, yours)
        left, right = np.repeat(rows, mine - common), np.repeat(rows, yours - common)
        if len(left) == 0:
            return 0.0
        cost = ground(_take(first, second, left), _take(first, second, right))
        return float(cost[optimize.linear_sum_assignment(cost)].sum() / sizes[0])
    excess = mine / sizes[0] - yours / sizes[1]
    # A count over its size is only nearly equal to another: what differs by rounding alone stays.
    above, below = excess > 1e-15, excess < -1e-15
    cost = ground(_take(first, second, rows[above]), _take(first, second, rows[below]))
    return least_cost(cost, excess[above], -excess[below])[0]


def ground(first: Sample, second: Sample) -> Floats:
    """Return the distance of every row of one sample to every row of the other: (first, second)."""
    apart = [_apart(one, other) for one, other in zip(first, second, strict=True)]
    return np.asarray(np.sum(apart, axis=0))


def least_cost(cost: Floats, supply: Floats, demand: Floats) -> tuple[float, Floats]:
    """Return the cost of the cheapest plan from supply (rows) to demand (columns), and the demand's prices.

    The prices are the dual values: what one more unit at each column would save.

    >>> least_cost(np.array([[1.0, 3.0]]), np.array([1.0]), np.array([0.5, 0.5]))[0]
    2.0
    """
    rows, columns = cost.shape
    if rows == 0 or columns == 0:
        return 0.0, np.zeros(columns)
    leaving = sparse.kron(sparse.eye_array(rows), np.ones((1, columns)), format="csc")
    coming = sparse.kron(np.ones((1, rows)), sparse.eye_array(columns), format="csc")
    found = optimize.linprog(
        cost.ravel(),
        A_eq=sparse.vstack([leaving, coming], format="csc"),
        b_eq=np.concatenate([supply, demand * (supply.sum() / demand.sum())]),
        method="highs-ds",
        options={"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10},
    )
    assert found.status == 0, "a balanced transport always has a plan"
    return float(found.fun), np.asarray(found.eqlin.marginals[rows:])


def _apart(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> Floats:
    if first.dtype.kind != "f":
        return np.asarray(first[:, None] != second[None, :], dtype=np.float64)
    apart: Floats = np.abs(first[:, None] - second[None, :])
    gone, gone_too = np.isnan(first), np.isnan(second)
    apart[gone] = missing_reach(second)[None, :]
    apart[:, gone_too] = missing_reach(first)[:, None]
    apart[np.ix_(gone, gone_too)] = 0.0
    return apart


def _counted(first: Sample, second: Sample) -> tuple[npt.NDArray[np.int64], ...]:
    """Return a row number for each distinct row of both samples, and how often each sample has it."""
    pooled = [
        np.concatenate([one, other]).astype(np.float64) for one, other in zip(first, second, strict=True)
    ]
    codes = np.zeros(len(pooled[0]), dtype=np.int64)
    for column in pooled:
        _, inverse = np.unique(column, return_inverse=True)  # NaN is one value among the others
        codes = np.unique(codes * (inverse.max() + 1) + inverse, return_inverse=True)[1]
    _, rows = np.unique(codes, return_index=True)
    size = len(first[0])
    mine = np.bincount(codes[:size], minlength=len(rows))
    return rows, mine, np.bincount(codes[size:], minlength=len(rows))


def _take(first: Sample, second: Sample, rows: npt.NDArray[np.int64]) -> Sample:
    return [np.concatenate([one, other])[rows] for one, other in zip(first, second, strict=True)]
