"""All trees of a forest as a few arrays: who falls into which leaf, and which box a leaf is.

A node sends a row to the left if the row's cell of its `feature` is at most `cut`. A leaf has the feature -1.
Nothing here walks a tree by itself: all trees go down level by level at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.forest.axis import Cells

__all__ = ["Ints", "Partition", "is_sound"]

Ints = npt.NDArray[np.int32]


@final
@dataclass(frozen=True, eq=False)
class Partition:
    """The nodes of all trees one after the other, and the root of each."""

    feature: Ints
    cut: Ints
    left: Ints
    right: Ints
    roots: Ints

    @classmethod
    def stump(cls) -> Partition:
        """Return one tree that is a single leaf."""
        none, root = np.full(1, -1, dtype=np.int32), np.zeros(1, dtype=np.int32)
        return cls(none, root, none, none, root)

    @classmethod
    def of(cls, trees: list[Any]) -> Partition:
        """Return the trees of scikit-learn (`estimator.tree_`), which were grown on cells."""
        sizes = np.array([tree.node_count for tree in trees])
        roots = np.cumsum(sizes) - sizes
        child = [
            [np.where(side >= 0, side + root, -1) for side in (tree.children_left, tree.children_right)]
            for tree, root in zip(trees, roots, strict=True)
        ]
        left, right = (np.concatenate([pair[side] for pair in child]).astype(np.int32) for side in (0, 1))
        feature = np.concatenate([tree.feature for tree in trees])
        cut = np.floor(np.concatenate([tree.threshold for tree in trees]))
        leaf = left < 0
        whole = np.where(leaf, 0, cut).astype(np.int32)
        named = np.where(leaf, -1, feature).astype(np.int32)
        return cls(named, whole, left, right, roots.astype(np.int32))

    def leaves(self) -> Ints:
        """Return the nodes that are leaves and can be reached, tree by tree, in the order of their boxes."""
        return np.flatnonzero(self._reached() & (self.feature < 0)).astype(np.int32)

    def apply(self, cells: Cells) -> Ints:
        """Return the node of the leaf of every row (n, d) in every tree: (trees, n)."""
        found = np.empty((len(self.roots), len(cells)), dtype=np.int32)
        for tree, root in enumerate(self.roots):
            at = np.full(len(cells), root, dtype=np.int32)
            live = np.arange(len(cells))
            while len(live):
                feature = self.feature[at[live]]
                inner = feature >= 0
                live, feature = live[inner], feature[inner]
                node = at[live]
                goes_left = cells[live, feature] <= self.cut[node]
                at[live] = np.where(goes_left, self.left[node], self.right[node])
            found[tree] = at
        return found

    def pruned(self, at: Ints, fewest: int) -> Partition:
        """Return the trees without splits that leave one side fewer of the rows that are `at` these nodes.

        The other side takes the place of such a split, so every leaf of the result has `fewest` rows, unless
        its tree has fewer in all.
        """
        counts = self._totals(np.bincount(at.ravel(), minlength=len(self.feature)))
        inner = np.flatnonzero(self.feature >= 0)
        left, right = self.left[inner], self.right[inner]
        short = np.minimum(counts[left], counts[right]) < fewest
        stands = np.arange(len(self.feature), dtype=np.int32)  # which node stands where this one stood
        stands[inner[short]] = np.where(counts[left] >= counts[right], left, right)[short]
        while not np.array_equal(stands, stands[stands]):
            stands = stands[stands]
        whole = self.feature >= 0
        return replace(
            self,
            left=np.where(whole, stands[self.left], -1).astype(np.int32),
            right=np.where(whole, stands[self.right], -1).astype(np.int32),
            roots=stands[self.roots],
        )

    def boxes(self, leaves: Ints, feature: int, cells: int) -> tuple[Ints, Ints]:
        """Return the first and the last cell of a feature of so many cells that each leaf holds."""
        first = np.full(len(self.feature), -1, dtype=np.int32)
        last = np.full(len(self.feature), cells - 1, dtype=np.int32)
        for nodes in self._levels():
            left, right = self.left[nodes], self.right[nodes]
            here = self.feature[nodes] == feature
            first[left], last[right] = first[nodes], last[nodes]
            last[left] = np.where(here, np.minimum(last[nodes], self.cut[nodes]), last[nodes])
            first[right] = np.where(here, np.maximum(first[nodes], self.cut[nodes] + 1), first[nodes])
        return first[leaves], last[leaves]

    def compact(self) -> Partition:
        """Return the trees without nodes that no row reaches."""
        kept = np.flatnonzero(self._reached())
        place = np.full(len(self.feature) + 1, -1, dtype=np.int32)  # the last entry answers for "no child"
        place[kept] = np.arange(len(kept), dtype=np.int32)
        return Partition(
            self.feature[kept],
            self.cut[kept],
            place[self.left[kept]],
            place[self.right[kept]],
            place[self.roots],
        )

    def _levels(self) -> list[Ints]:
        """Return the inner nodes of all trees, one list per depth."""
        levels: list[Ints] = []
        front = self.roots
        while len(front := front[self.feature[front] >= 0]):
            levels.append(front)
            front = np.concatenate([self.left[front], self.right[front]])
        return levels

    def _totals(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return for every node how many rows are at it or below it."""
        for nodes in reversed(self._levels()):
            counts[nodes] += counts[self.left[nodes]] + counts[self.right[nodes]]
        return counts

    def _reached(self) -> npt.NDArray[np.bool_]:
        reached = np.zeros(len(self.feature), dtype=bool)
        reached[self.roots] = True
        for nodes in self._levels():
            reached[self.left[nodes]] = reached[self.right[nodes]] = True
        return reached


def is_sound(partition: Partition, features: int) -> bool:
    """Say whether every way down ends in a leaf: children come after their parents, as trees are written.

    >>> is_sound(Partition.stump(), features=0)
    True
    """
    count = len(partition.feature)
    inner = np.flatnonzero(partition.feature >= 0)
    children = np.stack([partition.left[inner], partition.right[inner]])
    named = partition.feature.size > 0 and int(partition.feature.max()) < features
    rooted = (
        partition.roots.size > 0 and int(partition.roots.min()) >= 0 and int(partition.roots.max()) < count
    )
    return bool(named and rooted and (children > inner).all() and (children < count).all())
