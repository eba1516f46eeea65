"""LOGAN: what a classifier takes for synthetic was learned from (Hayes et al. 2019), calibrated.

The discriminator of the paper tells generated rows from real ones; here a random forest learns to tell
synthetic rows (1) from reference rows (0), as many of both. Where the generator copied its training rows, the
forest marks their places and no others. The score is its probability of "synthetic". Public code draws its
batches from the synthetic half alone, and so learns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["LOGAN"]


@final
@dataclass(frozen=True)
class LOGAN(Membership):
    """Probability that a record is synthetic, of a forest that tells synthetic from reference rows.

    trees   of the forest
    rows    of each table that it learns from, if there are more
    leaf    rows that a leaf holds at least; 1 lets the forest remember single rows
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")

    trees: int = check.integer(100, low=1, high=10_000)
    rows: int = check.integer(10_000, low=2, high=1_000_000)
    leaf: int = check.integer(1, low=1, high=10_000)

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the probability of "synthetic"."""
        from sklearn.ensemble import RandomForestClassifier

        view = look(evidence, self.sees)
        size = min(self.rows, *(len(view.table(role)) for role in self.sees))
        copied, real = (view.matrix(view.table(role).draw(size, rng)) for role in self.sees)
        forest = RandomForestClassifier(
            self.trees, min_samples_leaf=self.leaf, n_jobs=1, random_state=int(rng.integers(2**31))
        )
        forest.fit(np.concatenate([real, copied]), np.repeat([0, 1], size))
        return np.asarray(forest.predict_proba(view.matrix(view.of(targets)))[:, 1])
