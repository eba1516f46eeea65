"""MC: how many synthetic rows fall into the neighbourhood of a record (Hilprecht et al. 2019).

The score is the share of synthetic rows within a radius of the record; the radius is the median, over all
targets, of the distance to the nearest synthetic row. Half of the targets score 0 by construction, and are
left as tied as the method leaves them. A row just on the radius is inside: if half of the targets have a
synthetic twin the radius is 0, and the twins still count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy.engines.neighbours.search import within
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["MC"]


@final
@dataclass(frozen=True)
class MC(Membership):
    """Share of synthetic rows within the median nearest distance of all targets (Monte Carlo attack)."""

    level: ClassVar[Level] = "quick"

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the share of synthetic rows within the radius."""
        del rng
        view = look(evidence, self.sees)
        squares = np.square(view.nearest(targets, "synthetic").distances[:, 0])
        # A hair more: the root of a square may miss the distance that it came from.
        radius = float(np.sqrt(np.median(squares))) * (1 + 1e-9)
        asked, known = (Vectors(view.matrix(table)) for table in (view.of(targets), view.table("synthetic")))
        found = within(asked, known, np.full(len(asked), radius))
        return (found.closer + found.level) / len(known)
