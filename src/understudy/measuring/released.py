"""Which records did the model behind a released table learn from? By shadow models that learned from some.

The groundhogs of Stadler et al. (2022) as they are used against one table (paper 000): for each target a
classifier learns, from features of the sets of shadow models, which of these learned from the target, and
then looks at the features of the released table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from understudy.engines.neighbours.points import Floats
from understudy.engines.shadows.plan import Mask, Shadows
from understudy.measuring.shadow_cast import Shown
from understudy.table.coded import CodedTable

__all__ = ["Told", "suspicion", "with_released"]

Told = Literal["ridge", "forest"]
_TREES = 100


def with_released(shown: Shown, table: CodedTable) -> Shown:
    """Return the released table in the place of the sets of all models: what describes sets describes it."""
    inside = np.zeros((1, len(shown.records)), dtype=np.bool_)
    return replace(shown, shadows=Shadows(inside, 1, (table.arrays,)))


def suspicion(
    features: Floats, released: Floats, inside: Mask, told_by: Told, rng: np.random.Generator
) -> Floats:
    """Return for each target how much the released table looks like one that was learned from it.

    `features` are (sets, features), sets of one model one behind another, `released` is (features,), and
    `inside` says which model learned from whom: (models, targets).

    ridge    least squares of +-1 with a penalty: one system for all targets
    forest   100 trees for each target (TAPAS)
    """
    if features.shape[1] == 0:
        return np.zeros(inside.shape[1])
    labels = np.repeat(inside, len(features) // len(inside), axis=0)
    if told_by == "ridge":
        return _by_ridge(features, released, labels)
    return _by_forests(features, released, labels, rng)


def _by_ridge(features: Floats, released: Floats, labels: Mask) -> Floats:
    centre, spread = features.mean(axis=0), features.std(axis=0)
    # The deviation of equal floats may miss 0 by a bit; what never varies says nothing.
    varies = spread > 1e-9 * (1 + np.abs(centre))
    known, asked = ((part - centre)[..., varies] / spread[varies] for part in (features, released))
    width = max(1, int(varies.sum()))
    alike = known @ known.T / width
    weights = np.linalg.solve(alike + np.eye(len(known)), np.where(labels, 1.0, -1.0))
    # Rounded, so that sums in another order leave ties as they are.
    return np.asarray(np.round(asked @ known.T / width @ weights, 9))


def _by_forests(features: Floats, released: Floats, labels: Mask, rng: np.random.Generator) -> Floats:
    from sklearn.ensemble import RandomForestClassifier

    found = np.empty(labels.shape[1])
    for place, label in enumerate(labels.T):
        forest = RandomForestClassifier(_TREES, n_jobs=1, random_state=int(rng.integers(2**31)))
        forest.fit(features, label)
        found[place] = forest.predict_proba(released[None, :])[0, 1]
    return found
