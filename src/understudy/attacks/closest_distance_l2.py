"""Closest distance, L2: a record with a synthetic row close by was learned from (TAPAS; paper 000).

The score is minus the straight distance to the nearest synthetic row. Levels are one-hot and quantities are
divided by their range in the synthetic table: unscaled, as in public code, the widest column decides alone.
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

__all__ = ["ClosestDistanceL2"]


@final
@dataclass(frozen=True)
class ClosestDistanceL2(Membership):
    """Whether a synthetic row lies close to a record: one-hot levels, quantities over their range."""

    level: ClassVar[Level] = "quick"

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return minus the distance to the nearest synthetic row."""
        del rng
        return -look(evidence, self.sees).nearest(targets, "synthetic", "range").distances[:, 0]
