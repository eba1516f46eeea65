"""What the adversary knows, what they want, how they go about it, and the paper it comes from.

(Copy this file to src/understudy/attacks/<name>.py. An attack never imports another one.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["MyAttack"]


@final
@dataclass(frozen=True)
class MyAttack(Membership):
    """Mean distance to the nearest synthetic rows, of which there are a few.

    A `Membership` gives every record a score; targets, AUROC, interval and parts come for free. An attack
    without a score per record is a `Measure`, and says all that itself in `find`.
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic",)  # and "reference", if the adversary has real rows
    level: ClassVar[Level] = "quick"  # well under 5 seconds on 10,000 targets; else "standard" or "full"

    k: int = check.integer(3, low=1, high=10_000)

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return a score for each target, larger for "it was learned from"; every draw comes from `rng`."""
        view = look(evidence, self.sees)
        return -view.nearest(targets, "synthetic", k=self.k).distances.mean(axis=1)
