"""How near synthetic rows are to training rows, and to as many holdout rows, which they cannot have copied.

Distances to the training rows alone describe the table and nothing else: they are small in a dense table and
large in a sparse one. So every figure has a twin, against holdout rows of the same number.

Many synthetic rows may have one nearest real row, and then say the same thing: a mean is given the error
that sums of groups have, a group for each real row (Liang and Zeger 1986). What depends on two real rows
hangs together with whatever depends on either of them (Aronow, Samii and Assenova 2015).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy.engines.neighbours.search import Neighbours, nearest
from understudy.measuring.canonical import canonical
from understudy.measuring.distance import as_points
from understudy.measuring.encoder import Matrix
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import Interval, clopper_pearson
from understudy.rng import stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = [
    "DESCRIPTION",
    "Nearby",
    "freedom",
    "interval_of",
    "nearby",
    "square_error",
    "square_error_of_pairs",
    "tables_of",
    "undefined",
]

DESCRIPTION = (
    "a description, not a promise: tables that look well by it have been broken by membership attacks"
)
_Z = 1.959963984540054
Groups = npt.NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Nearby:
    """Of each synthetic row the two nearest rows (one, where there is one) of train and of holdout."""

    train: Neighbours
    holdout: Neighbours
    size: int


def tables_of(evidence: Evidence, rows: int, seed: int) -> tuple[CodedTable, CodedTable, CodedTable]:
    """Return as many training as holdout rows, and the synthetic rows, at most so many of each."""
    train, holdout, synthetic = canonical([evidence.coded(r) for r in ("train", "holdout", "synthetic")])
    size, draws = min(rows, len(train), len(holdout)), stream(seed, "nearby")
    return train.draw(size, draws), holdout.draw(size, draws), synthetic.draw(rows, draws)


def nearby(evidence: Evidence, rows: int, seed: int) -> Nearby:
    """Return the neighbours; they are looked for once for all who ask."""
    found = evidence.cached(("nearby", rows, seed), lambda: _search(evidence, rows, seed))
    return Nearby(Neighbours(*found[0]), Neighbours(*found[1]), found[2])


def undefined(why: str, null: float = math.nan) -> Finding:
    """Return the finding of what cannot be computed."""
    return Finding(Score(math.nan), math.nan, math.nan, null, 0, (f"undefined: {why}", DESCRIPTION))


def square_error(values: Matrix, groups: Groups) -> float:
    """Return the square of the standard error of a mean, of values that hang together in groups.

    A single group has no error that could be seen; it is given the whole variance of its values.

    >>> square_error(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]))
    0.25
    """
    _, places = np.unique(groups, return_inverse=True)
    sums = np.bincount(places.reshape(-1), values - values.mean())
    if len(sums) < 2:
        return float(values.var())
    return float((sums**2).sum() / len(values) ** 2 * len(sums) / (len(sums) - 1))


def square_error_of_pairs(values: Matrix, pairs: Groups) -> float:
    """Return the square of the standard error of a mean, of values that each depend on two rows: (values, 2).

    Values hang together that have a row in common, whichever of the two it is; those that have both in common
    would be counted twice. It is no smaller than the error of groups by the first row.

    >>> values = np.array([0.0, 1.0, 0.0, 1.0])
    >>> apart = square_error_of_pairs(values, np.arange(8).reshape(4, 2))
    >>> square_error_of_pairs(values, np.array([[0, 1], [2, 3], [4, 0], [5, 2]])) > apart
    True
    """
    off, (_, twins) = values - values.mean(), np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    rows, places = np.unique(pairs, return_inverse=True)
    sums = np.bincount(places.reshape(-1), np.repeat(off, 2))
    both = np.bincount(twins.reshape(-1), off)
    square = ((sums**2).sum() - (both**2).sum()) / len(values) ** 2 * len(rows) / (len(rows) - 1)
    return max(float(square), square_error(values, pairs[:, 0]))


def freedom(groups: Groups) -> float:
    """Return the degrees of freedom of an error by groups: fewer than there are if some are large.

    As many groups of one size would be as sure, less the mean's one: a group whose values say the same weighs
    its size squared in the error, and its fourth power in the error's own (Satterthwaite 1946; Carter,
    Schnepel and Steigerwald 2017).

    >>> freedom(np.array([0, 0, 1, 1])), round(freedom(np.array([0, 0, 0, 1])), 3)
    (1.0, 0.22)
    """
    _, counts = np.unique(groups, return_counts=True)
    sizes = counts.astype(np.float64)
    return float((sizes**2).sum() ** 2 / (sizes**4).sum()) - 1


def interval_of(share: float, square: float, groups: int, free: float = math.inf) -> Interval:
    """Return the interval of a share: t errors, and the exact one of the groups where there is no spread.

    Student's t of so many degrees of freedom: 1.96 if there is no telling that they are few. One group alone
    has no spread either, whatever its share.

    >>> interval_of(0.0, 0.0, 10)[0], round(interval_of(0.0, 0.0, 10)[1], 4)
    (0.0, 0.3085)
    >>> [round(end, 3) for end in interval_of(0.5, 0.0, 1)]
    [0.0, 1.0]
    """
    reach = (_Z if math.isinf(free) else float(special.stdtrit(max(1.0, free), 0.975))) * math.sqrt(square)
    low, high = max(0.0, share - reach), min(1.0, share + reach)
    if share in {0.0, 1.0} or square == 0:
        exact = clopper_pearson(share * groups, groups)
        return min(low, exact[0]), max(high, exact[1])
    return low, high


def _search(evidence: Evidence, rows: int, seed: int) -> tuple[tuple[Any, Any], tuple[Any, Any], int]:
    train, holdout, synthetic = tables_of(evidence, rows, seed)
    asked, k = as_points(synthetic), min(2, len(train))
    near, far = (nearest(asked, as_points(table), k) for table in (train, holdout))
    return (near.distances, near.rows), (far.distances, far.rows), len(train)
