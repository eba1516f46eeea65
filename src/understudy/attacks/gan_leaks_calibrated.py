"""GAN-Leaks, calibrated: closer to synthetic rows than to other real ones (Chen et al. 2020, sec. 5.3).

A record in a dense place has synthetic rows close by whoever was learned from; its distance to the nearest
reference row says how close. The published score is the sigmoid of d_ref^2 - d_syn^2, which saturates; here
it is that difference, which ranks alike. Reference rows stand in for the reference generator of the paper.
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

__all__ = ["GANLeaksCalibrated"]


@final
@dataclass(frozen=True)
class GANLeaksCalibrated(Membership):
    """Whether a record lies closer to a synthetic row than to a reference row (GAN-Leaks, calibrated).

    squared   squares of distances are compared, as in the paper; or the distances themselves
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")
    level: ClassVar[Level] = "quick"

    squared: bool = check.flag(True)

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return how much farther the nearest reference row is than the nearest synthetic one."""
        del rng
        view = look(evidence, self.sees)
        copied, real = (view.nearest(targets, role).distances[:, 0] for role in self.sees)
        return real**2 - copied**2 if self.squared else real - copied
