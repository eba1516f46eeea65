"""GAN-Leaks: a record that the generator comes close to was learned from (Chen et al. 2020).

The published score is exp(-d^2) of the nearest synthetic row, which is 0 for every record at some distance.
Its logarithm, -d^2, ranks alike and has no such ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["GANLeaks"]


@final
@dataclass(frozen=True)
class GANLeaks(Membership):
    """Whether a synthetic row lies close to a record, with quantities in deviations (GAN-Leaks)."""

    level: ClassVar[Level] = "quick"

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return minus the squared distance to the nearest synthetic row."""
        del rng
        return -np.square(look(evidence, self.sees).nearest(targets, "synthetic").distances[:, 0])
