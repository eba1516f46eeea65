"""Forests that tell real rows from made ones, until they cannot (Watson et al. 2023, algorithm 1).

First the made rows are the real ones with every column shuffled by itself. Whatever depends on each other
tells them apart, so the trees split where it does. The next made rows are drawn in the leaves of that forest,
every column by itself; and again, until the next forest guesses, or guesses no better than the one before.

Trees that face nothing but rows which are hard to tell split almost at random. So they can be given shuffled
rows as well; a guess no better than the one before ends nothing then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.forest.axis import Cells
from understudy.engines.forest.partition import Ints, Partition

__all__ = ["Growth", "grow"]

Singles = npt.NDArray[np.float32]


@final
@dataclass(frozen=True)
class Growth:
    """How forests grow: trees in each, the fewest rows of a leaf, the most rounds, and when a guess is poor.

    With `shuffled` every forest after the first has both kinds of made rows before it: it still splits first
    where columns depend on each other most, and only a forest that guesses ends the rounds before their time.
    """

    trees: int
    leaf: int
    rounds: int
    tolerance: float
    shuffled: bool


def grow(cells: Cells, growth: Growth, rng: np.random.Generator, told: Callable[[], None]) -> Partition:
    """Return the last forest, pruned: every leaf has at least `growth.leaf` real rows."""
    if cells.shape[1] == 0:
        return Partition.stump()
    real = np.ascontiguousarray(cells, dtype=np.float32)
    made = rng.permuted(real, axis=0)
    before = 1.0
    for left in reversed(range(growth.rounds)):
        forest, accuracy = _tell_apart(real, made, growth, rng)
        told()
        if left == 0 or accuracy <= 0.5 + growth.tolerance or accuracy >= before:
            break
        before, made = accuracy, _drawn_in_leaves(real, forest.apply(real), rng)
        if growth.shuffled:
            before, made = 1.0, np.concatenate([made, rng.permuted(real, axis=0)])
    partition = Partition.of([tree.tree_ for tree in forest.estimators_])
    at = forest.apply(real).T.astype(np.int32) + partition.roots[:, None]
    return partition.pruned(at, growth.leaf).compact()


def _tell_apart(real: Singles, made: Singles, growth: Growth, rng: np.random.Generator) -> tuple[Any, float]:
    """Return a forest and how often it is right about rows that its trees did not learn from."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(
        growth.trees,
        min_samples_leaf=growth.leaf,
        max_features=min(max(2, math.isqrt(real.shape[1])), real.shape[1]),  # one alone would be no choice
        n_jobs=1,
        random_state=int(rng.integers(2**31)),
    )
    rows = np.concatenate([real, made])
    truth = np.repeat([1, 0], [len(real), len(made)])
    forest.fit(rows, truth)
    votes, voters = np.zeros(len(rows)), np.zeros(len(rows))
    for tree, seen in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        fresh = np.ones(len(rows), dtype=bool)
        fresh[seen] = False
        votes[fresh] += tree.tree_.predict(rows[fresh])[:, -1] - 0.5
        voters += fresh
    asked = voters > 0
    right = (votes[asked] > 0) == truth[asked]
    return forest, float(right.mean()) if asked.any() else 0.5


def _drawn_in_leaves(real: Singles, leaves: Ints, rng: np.random.Generator) -> Singles:
    """Return as many rows, each from the leaf of a real row in one tree, each column from any row of it."""
    rows, trees = leaves.shape
    tree = rng.integers(trees, size=rows)
    keys = (leaves.astype(np.int64) + np.arange(trees) * (int(leaves.max()) + 1)).T.ravel()
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable") % rows  # rows of the first leaf, then of the next
    starts = np.cumsum(counts) - counts
    chosen = group[tree * rows + np.arange(rows)][:, None]  # (rows, 1)
    pick = starts[chosen] + (rng.random(real.shape) * counts[chosen]).astype(np.int64)
    return np.take_along_axis(real, order[pick], axis=0)
