"""Entropy and what follows from it: Theil's U, mutual information, the Jensen-Shannon divergence.

All pairs of columns at once from three entropies each: H(x), H(y) and H(x, y), the last by one count a pair.
Natural logarithms, but for the Jensen-Shannon divergence, which base 2 brings to [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from understudy.engines.counting import Cells, Counts, count_cells, join_cells

__all__ = ["JointEntropies", "coupled_u", "entropy", "jensen_shannon", "joint_entropies"]

Floats = npt.NDArray[np.float64]

_ZERO = 1e-12  # what rounding leaves of an entropy that is 0


def entropy(counts: Counts) -> float:
    """Return the entropy of the frequencies, in nats.

    >>> round(entropy(np.array([1, 1])), 6)
    0.693147
    """
    total = counts.sum()
    return float(max(0.0, np.log(total) - xlogy(counts, counts).sum() / total)) if total else 0.0


def jensen_shannon(first: Counts, second: Counts) -> float:
    """Return the Jensen-Shannon divergence of two vectors of counts, base 2: its root is the distance.

    Nothing is added to empty cells: columns without a common value are at 1, whatever the number of cells.

    >>> round(jensen_shannon(np.array([2, 2]), np.array([1, 3])) ** 0.5, 6)
    0.220896
    """
    p, q = first / first.sum(), second / second.sum()
    middle = (p + q) / 2
    nats = (xlogy(p, p) + xlogy(q, q)).sum() / 2 - xlogy(middle, middle).sum()
    return float(np.clip(nats / np.log(2), 0.0, 1.0))


def coupled_u(first: Counts, second: Counts) -> float:
    """Return Theil's U of two columns whose rows are paired so that as many as possible agree.

    Only the frequencies are known of two columns that are not paired. The pairing that lets a share of
    min(p, q) agree on each level, and spreads the rest in proportion, gives U(first | second): 1 for equal
    frequencies, 0 for a constant second column, NaN for a constant first one, which has nothing to explain.

    >>> coupled_u(np.array([5, 5]), np.array([2, 2])), round(coupled_u(np.array([7, 3]), np.array([3, 7])), 4)
    (1.0, 0.2174)
    """
    p, q = first / first.sum(), second / second.sum()
    own = -xlogy(p, p).sum()
    if own <= _ZERO:
        return float("nan")
    lost, gained = np.maximum(p - q, 0.0), np.maximum(q - p, 0.0)
    moved = lost.sum()
    agreed = xlogy(np.minimum(p, q), np.minimum(p, q)).sum()
    # Off the diagonal the cells are lost x gained / moved: their sum of x log x factors.
    spread = xlogy(lost, lost).sum() + xlogy(gained, gained).sum() - xlogy(moved, moved)
    joint, other = -(agreed + spread), -xlogy(q, q).sum()
    return float(np.clip((own + other - joint) / own, 0.0, 1.0))


@final
@dataclass(frozen=True, eq=False)
class JointEntropies:
    """Entropies of every two columns, (columns, columns); the diagonal has those of single columns.

    `occupied` counts the cells that occur: what the correction for the number of rows needs.
    """

    values: Floats
    occupied: Counts
    rows: int

    def theil_u(self) -> Floats:
        """Return U[i, j] = U(i | j) = (H(i) - H(i | j)) / H(i), the share of column i that column j explains.

        Asymmetric, in [0, 1]; NaN where column i is constant (dython says 1 there: a perfect pair).

        >>> x, y = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
        >>> round(float(joint_entropies([x, y], [2, 2]).theil_u()[0, 1]), 6)
        0.311278
        """
        own = np.diag(self.values)[:, None]
        return _share(own + own.T - self.values, np.broadcast_to(own, self.values.shape))

    def normalised_information(self, *, corrected: bool = True) -> Floats:
        """Return I(i, j) / sqrt(H(i) H(j)), in [0, 1]; NaN where a column is constant.

        Corrected, every entropy has (occupied cells - 1) / (2 rows) added (Miller 1955, Madow 1948): without
        it a small table seems to have associations that a large one of the same law has not.
        """
        values = self.values + (self.occupied - 1) / (2 * self.rows) if corrected else self.values
        own = np.where(np.diag(self.values) > _ZERO, np.diag(values), 0.0)
        scale = np.sqrt(np.outer(own, own))
        return _share(own[:, None] + own[None, :] - values, scale)


def joint_entropies(columns: Sequence[Cells], widths: Sequence[int]) -> JointEntropies:
    """Return the entropies of all pairs of columns of cells, each column with so many cells."""
    size = len(columns)
    values, occupied = np.zeros((size, size)), np.zeros((size, size), dtype=np.int64)
    for i in range(size):
        for j in range(i, size):
            counts = count_cells(columns[i], widths[i]) if i == j else _joint(columns, widths, i, j)
            values[i, j] = values[j, i] = entropy(counts)
            occupied[i, j] = occupied[j, i] = np.count_nonzero(counts)
    return JointEntropies(values, occupied, len(columns[0]) if size else 0)


def _joint(columns: Sequence[Cells], widths: Sequence[int], i: int, j: int) -> Counts:
    return count_cells(join_cells(columns[i], columns[j], widths[j]), widths[i] * widths[j])


def _share(part: Floats, whole: Floats) -> Floats:
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole > _ZERO)
    return np.asarray(np.clip(share, 0.0, 1.0))
