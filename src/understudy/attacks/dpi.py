"""DPI: is a record among synthetic rows rather than among reference rows (Ward et al., paper 001)?

Of the K rows nearest to the target, in synthetic and reference rows put together, the share that is
synthetic: the Data Plagiarism Index. It ranks records as #synthetic / #reference does, and is finite. Both
tables are cut to one size, or the larger one would be nearer to everybody. Rows at the very distance of the
K-th share the places that are left, each its part: which of them a search finds first says nothing.

It sees what is repeated: a record of which K copies are drawn has 1. One copy is one of K rows, and of one
neighbour half of all others have a synthetic one too; so a table that holds every training row once is told
with an AUROC of 3/4 at most by K = 1, and nearly not at all by K = 20 (0.53 on ten quantities).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.neighbours.points import Points
from understudy.engines.neighbours.search import nearest, within
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.distance import as_points
from understudy.measuring.encoder import Encoder
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["DPI"]


@final
@dataclass(frozen=True)
class DPI(Membership):
    """Share of synthetic rows among the nearest of synthetic and reference rows (data plagiarism index).

    k         neighbours that are looked at
    distance  "l2" of one-hot levels and standardised quantities, or "mixed": |difference| over range, 0/1
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")
    level: ClassVar[Level] = "quick"

    k: int = check.integer(20, low=1, high=100_000)
    distance: Literal["l2", "mixed"] = check.choice("l2", "l2", "mixed")

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return each target's index, 0 to 1."""
        synthetic, reference = evidence.coded("synthetic"), evidence.coded("reference")
        size = min(len(synthetic), len(reference))
        synthetic, reference = synthetic.draw(size, rng), reference.draw(size, rng)
        as_rows = self._distance(evidence.coded("reference"))
        asked, pool = as_rows(targets), as_rows(synthetic.joined(reference))
        k = min(self.k, 2 * size)
        radii = nearest(asked, pool, k).distances[:, -1]
        copied, real = (within(asked, as_rows(part), radii) for part in (synthetic, reference))
        left = k - copied.closer - real.closer
        return np.asarray((copied.closer + left * copied.level / (copied.level + real.level)) / k)

    def _distance(self, known: CodedTable) -> Callable[[CodedTable], Points]:
        """Return the map from rows to points, in the terms of rows that the adversary has."""
        if self.distance == "mixed":
            return as_points
        encoder = Encoder.fit(known, "standard")
        return lambda table: Vectors(encoder.matrix(table))
