"""Our arrays say of every row what scikit-learn's trees say, before and after pruning."""

from dataclasses import replace

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from understudy.engines.forest.partition import Partition, is_sound


def forest(rows=400, trees=5, leaf=3, seed=0):
    rng = np.random.default_rng(seed)
    cells = rng.integers(-1, 12, (rows, 4)).astype(np.int32)
    truth = (cells[:, 0] + cells[:, 1] * rng.random(rows)) > 8
    grown = RandomForestClassifier(trees, min_samples_leaf=leaf, random_state=seed).fit(cells, truth)
    return cells, grown


def test_rows_fall_into_the_leaves_that_scikit_learn_says():
    cells, grown = forest()
    partition = Partition.of([tree.tree_ for tree in grown.estimators_])
    assert (partition.apply(cells).T - partition.roots == grown.apply(cells)).all()


def test_leaves_are_pruned_until_each_has_enough_rows():
    cells, grown = forest(leaf=1)
    partition = Partition.of([tree.tree_ for tree in grown.estimators_])
    some = cells[:150]
    for fewest in (1, 7, 60, 10_000):
        pruned = partition.pruned(partition.apply(some), fewest).compact()
        leaves = pruned.leaves()
        counts = np.bincount(pruned.apply(some).ravel(), minlength=len(pruned.feature))[leaves]
        assert counts.sum() == 5 * len(some)
        assert counts.min() >= min(fewest, len(some))
    assert len(leaves) == 5  # one per tree, where no split leaves enough


def test_boxes_of_a_tree_hold_their_rows_and_do_not_overlap():
    cells, grown = forest()
    partition = Partition.of([tree.tree_ for tree in grown.estimators_])
    partition = partition.pruned(partition.apply(cells), 5).compact()
    leaves = partition.leaves()
    boxes = [partition.boxes(leaves, feature, 12) for feature in range(4)]
    everywhere = np.random.default_rng(1).integers(-1, 12, (300, 4)).astype(np.int32)
    inside = np.all(
        [
            (first <= everywhere[:, [f]]) & (everywhere[:, [f]] <= last)
            for f, (first, last) in enumerate(boxes)
        ],
        axis=0,
    )  # (rows, leaves)
    assert (inside.sum(axis=1) == 5).all()  # one leaf in each tree
    found = np.searchsorted(leaves, partition.apply(everywhere))
    assert inside[np.arange(300), found].all()


def test_a_stump_is_one_leaf_for_all():
    stump = Partition.stump()
    assert stump.leaves().tolist() == [0]
    assert stump.apply(np.zeros((3, 0), dtype=np.int32)).tolist() == [[0, 0, 0]]


def test_trees_that_were_pruned_are_sound_and_forged_ones_are_not():
    cells, grown = forest()
    partition = Partition.of([tree.tree_ for tree in grown.estimators_])
    partition = partition.pruned(partition.apply(cells), 20).compact()
    assert is_sound(partition, features=4)
    assert not is_sound(partition, features=2)
    assert not is_sound(replace(partition, left=np.minimum(partition.left, 0)), features=4)
    assert not is_sound(replace(partition, roots=partition.roots + len(partition.left)), features=4)
