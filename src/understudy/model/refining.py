"""Cutting a quantity finer where rows are: count, cut the full parts, count again.

Every count is used in the end. What a part holds, by all counts before, and what its new parts hold together
are averaged by their noise; then it is shared out among the new parts by their counts, the less so the more
those are noise: evenly, if they are nothing else. Only noisy counts come in, so all of this is
post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.model.ladder import Parts
from understudy.table.magnitude import LARGEST, SMALLEST

__all__ = ["Cut", "cut_finer", "first_parts", "is_few", "without_noise"]

Floats = npt.NDArray[np.float64]

FEW = 20  # whole numbers: so few are counted one by one, and may hold rows very unevenly
ENOUGH = 2.0  # deviations of noise that a part should hold
MOST = (12, 64)  # new parts of a part, in the first round and in later ones
_CUTTABLE, _UNKNOWN = (
    0.9,
    1e6,
)  # variances over squared rows; from 1 on a part is not known well enough to cut


@final
@dataclass(frozen=True, eq=False)
class Cut:
    """Parts cut finer, before they are counted; `home` is the place of the part that each comes from."""

    edges: npt.NDArray[Any]
    home: npt.NDArray[np.int64]
    before: Parts

    def counted(self, table: npt.NDArray[Any], sigma: float) -> Parts:
        """Return what the parts hold, by all counts so far and by these of deviation `sigma`."""
        counts = np.asarray(table, dtype=np.float64)
        pieces = np.bincount(self.home)
        together = np.bincount(self.home, weights=counts)
        old, new = 1 / self.before.variances, 1 / (pieces * sigma**2)
        whole = (old * self.before.counts + new * together) / (old + new)
        share = self._share()
        even = np.maximum(whole, 0.0)[self.home] * share
        # A part's rows are spread unevenly by about as much as there are; the count's noise is sigma. Of few
        # whole numbers one may hold them all.
        uneven = even * np.sqrt(1 / share - 1) if is_few(self.edges) else even
        trust = np.where(pieces[self.home] > 1, uneven**2 / (uneven**2 + sigma**2), 0.0)
        found = whole[self.home] * share + trust * (counts - together[self.home] * share)
        unsure = (trust * sigma) ** 2 + ((1 - trust) * uneven) ** 2
        alone = share**2 / (old + new)[self.home]
        variances = alone + np.where(pieces[self.home] > 1, unsure, 0.0)
        return Parts(self.edges, found, np.maximum(variances, 1e-9))

    def _share(self) -> Floats:
        return _widths(self.edges) / _widths(self.before.edges)[self.home]


def is_few(edges: npt.NDArray[Any]) -> bool:
    """Say whether there are only few whole numbers between the edges.

    >>> is_few(np.array([3, 10])), is_few(np.array([3, 1000])), is_few(np.array([0.0, 1.0]))
    (True, False, False)
    """
    return edges.dtype.kind == "i" and int(edges[-1]) - int(edges[0]) <= FEW


def first_parts(low: Any, past: Any, rows: float) -> Parts:
    """Return the powers of two between declared bounds as parts of which nothing is known yet."""
    powers = 2.0 ** np.arange(SMALLEST, LARGEST + 1)
    ladder = np.concatenate([-powers[::-1], [0.0], powers])
    inside = ladder[(ladder > float(low)) & (ladder < float(past))]
    whole = isinstance(low, int)
    if whole:
        inside = np.unique(np.round(inside)).astype(np.int64)
        inside = inside[(inside > low) & (inside < past)]
    edges = np.concatenate([np.array([low]), inside, np.array([past])])
    parts = len(edges) - 1
    # One part holds everything, and may be cut; of several nothing is known. Counts at once outweigh either.
    return Parts(
        edges,
        np.full(parts, rows / parts),
        np.full(parts, (_CUTTABLE if parts == 1 else _UNKNOWN) * (rows + 1) ** 2),
    )


def cut_finer(parts: Parts, rows: float, sigma: float, number: int) -> Cut:
    """Return the parts, each cut into as many equal ones as can hold more than the noise of a count."""
    counts = without_noise(parts.counts, rows) * rows
    most = MOST[min(number, len(MOST) - 1)]
    known = parts.variances < (rows + 1) ** 2
    pieces = np.where(known, np.clip(counts / (ENOUGH * sigma), 1, most), 1).astype(np.int64)
    if is_few(parts.edges):
        pieces = np.diff(parts.edges)
    found = [
        _pieces(low, high, int(many))
        for low, high, many in zip(parts.edges[:-1], parts.edges[1:], pieces, strict=True)
    ]
    home = np.repeat(np.arange(len(found)), [len(each) for each in found])
    edges = np.append(np.concatenate(found), parts.edges[-1:])
    return Cut(edges.astype(parts.edges.dtype), home, Parts(parts.edges, counts, parts.variances))


def without_noise(counts: Floats, total: float) -> Floats:
    """Return shares: counts less whatever brings those above nought to the total, as far as noise can add.

    Cutting negative counts off alone would leave the noise of empty cells in, all of it upwards.
    """
    above = np.sort(np.maximum(counts, 0.0))[::-1]
    if above[0] <= 0:
        return np.full(len(counts), 1 / len(counts))
    kept = np.arange(1, len(above) + 1)
    excess = np.maximum((np.cumsum(above) - max(total, 1e-6 * above.sum())) / kept, 0.0)
    less = excess[np.flatnonzero(above > excess)[-1]]
    shares = np.maximum(counts - less, 0.0)
    return np.asarray(shares / shares.sum())


def _pieces(low: Any, high: Any, many: int) -> npt.NDArray[Any]:
    """Return where equal pieces of a part begin; those of whole numbers hold one at least."""
    if not isinstance(low, np.integer):
        cuts = low + (high - low) * (np.arange(many) / many)
        return np.asarray(np.unique(cuts[(cuts >= low) & (cuts < high)]))
    many = int(min(many, int(high) - int(low)))
    return np.array([int(low) + (int(high) - int(low)) * piece // many for piece in range(many)])


def _widths(edges: npt.NDArray[Any]) -> Floats:
    return np.asarray(np.diff(edges).astype(np.float64))
