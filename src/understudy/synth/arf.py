"""Adversarial random forests: trees split until columns are independent in every leaf, and leaves are drawn.

Watson, Blesch, Kapar and Wright, "Adversarial random forests for density estimation and generative modeling",
AISTATS 2023. A forest tells real rows from made ones; made rows are drawn in its leaves, each column by
itself; when the next forest can only guess, columns are independent in its leaves. There each column gets a
law of its own (FORDE): shares of levels and of missing, for quantities a normal law cut to the leaf's box. A
row is drawn from a leaf in proportion to its rows, column by column (FORGE).

Beyond the paper, by `law="points"`: values that many rows share stay values, normal laws are laws of ranks,
and a column that another decides is looked up there; by `shuffled`: forests go on splitting where columns
depend on each other. In either form missing cells are modelled, steps stay steps, conditions are exact, and
the density of any row is known. It is quick and needs no torch. A leaf holds few rows, and their levels as
they are: there is no private form, and a budget is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.forest.adversary import Growth, grow
from understudy.engines.forest.axis import Axis
from understudy.engines.forest.follower import find_followers
from understudy.engines.forest.laws import Law, LevelLaw, QuantityLaw, heavy_values
from understudy.engines.forest.partition import Ints, Partition
from understudy.engines.forest.tally import Tally
from understudy.engines.ordering import coarse, correspondence_order
from understudy.errors import TooLarge
from understudy.model.forest_sampler import ForestSampler
from understudy.model.recipe import Recipe
from understudy.model.sampler import Columns, Sampler
from understudy.privacy import Vault
from understudy.progress import Progress
from understudy.table.columns import level_counts
from understudy.table.schema import Schema

__all__ = ["ARF"]

FEW_VALUES = 128  # up to so many, all values that rows share are points
HEAVY = 0.002  # of the rows: beyond that, a value among many is a point
MOST_LAWS = 60_000_000  # leaves times columns


@final
@dataclass(frozen=True)
class ARF(Recipe):
    """Forests that split where columns depend on each other, simple laws in leaves: quick, with density."""

    trees: int = check.integer(30, low=1, high=10_000)
    leaf: int = check.integer(5, low=1, high=1_000_000)
    rounds: int = check.integer(3, low=1, high=1_000)
    tolerance: float = check.number(0.0, low=0.0, high=0.5)
    shuffled: bool = check.flag(True)
    law: str = check.choice("points", "points", "normal")

    sampler: ClassVar[type[Sampler]] = ForestSampler

    @classmethod
    def paper(cls) -> Self:
        """Return the settings of the paper's own code: 30 trees, leaves of 5 rows, normal laws alone."""
        return cls(trees=30, leaf=5, rounds=10, tolerance=0.0, shuffled=False, law="normal")

    @classmethod
    def small(cls) -> Self:
        """Return a forest that a test can afford."""
        return cls(trees=6, rounds=2)

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> ForestSampler:
        """Grow forests on the cells of all columns, then fit the law of every column in every leaf.

        Guarantee: none; the vault is opened, and the ledger says so.
        """
        columns = vault.open(
            "forests that tell rows from made ones, and the law of every column in their leaves"
        )
        levels = level_counts(schema)
        followers = find_followers(columns, levels) if self.law == "points" else {}
        columns = {name: values for name, values in columns.items() if name not in followers}
        axes = {name: Axis.of(values) for name, values in columns.items() if name not in levels}
        ranks = _ranks(columns, schema)
        cells = _cells(columns, axes, ranks)
        progress.stage("telling real rows from made ones", self.rounds)
        growth = Growth(self.trees, self.leaf, self.rounds, self.tolerance, self.shuffled)
        partition, axes = _only_used(grow(cells, growth, rng, progress.step), list(columns), axes)
        progress.stage("fitting the leaves", len(columns))
        sampler = self._fitted(columns, partition, axes, ranks)
        return replace(sampler, followers=followers)

    def _fitted(
        self, columns: Columns, partition: Partition, axes: dict[str, Axis], ranks: dict[str, Ints]
    ) -> ForestSampler:
        leaves = partition.leaves()
        if len(leaves) * len(columns) > MOST_LAWS:
            raise TooLarge(
                f"arf: at most {MOST_LAWS:,} laws, one per column and leaf; "
                f"got {len(leaves) * len(columns):,}. Take fewer trees or larger leaves."
            )
        place = np.full(len(partition.feature), -1, dtype=np.int32)
        place[leaves] = np.arange(len(leaves), dtype=np.int32)
        leaf = place[partition.apply(_cells(columns, axes, ranks))]  # (trees, rows)
        laws: dict[str, Law] = {}
        for feature, (name, values) in enumerate(columns.items()):
            if name in ranks:
                laws[name] = _level_law(values, leaf, len(leaves), ranks[name])
                continue
            axis = axes[name]
            box = partition.boxes(leaves, feature, len(axis.cuts) + 1)
            ours = self.law == "points"
            points = heavy_values(values, FEW_VALUES, HEAVY) if ours else values[:0]
            laws[name] = QuantityLaw.fit(values, leaf, axis, points, box=box, bent=ours)
        return ForestSampler(partition, np.bincount(leaf.ravel(), minlength=len(leaves)).astype(float), laws)


def _level_law(values: npt.NDArray[Any], leaf: Ints, leaves: int, ranks: Ints) -> LevelLaw:
    codes = len(ranks)
    return LevelLaw(ranks, Tally.count(leaf.ravel(), np.tile(values % codes, len(leaf)), leaves, codes))


def _ranks(columns: Columns, schema: Schema) -> dict[str, Ints]:
    """Return where trees see the levels of a column, and last its missing cells.

    A tree cuts a line of levels in two. Levels without an order are put into the one that goes best with the
    other columns, so that one cut tells much.
    """
    unordered = {column.name for column in schema.columns if column.kind == "categorical"}
    coded = {name: coarse(values) for name, values in columns.items()} if unordered else {}
    ranks: dict[str, Ints] = {}
    for name, levels in level_counts(schema).items():
        if name not in columns:
            continue
        ranks[name] = np.append(np.arange(levels), -1).astype(np.int32)
        if name in unordered:
            codes = columns[name].astype(np.int64) % (levels + 1)
            others = [code for other, code in coded.items() if other != name]
            order = correspondence_order(codes, levels + 1, others)
            ranks[name][order] = np.arange(levels + 1, dtype=np.int32)
    return ranks


def _cells(columns: Columns, axes: dict[str, Axis], ranks: dict[str, Ints]) -> Ints:
    """Return what trees see of the rows: (rows, columns)."""
    if not columns:
        return np.zeros((0, 0), dtype=np.int32)
    seen = [
        axes[name].cells(values) if name in axes else ranks[name][values] for name, values in columns.items()
    ]
    return np.stack(seen, axis=1)


def _only_used(
    partition: Partition, names: list[str], axes: dict[str, Axis]
) -> tuple[Partition, dict[str, Axis]]:
    """Return trees and axes without the cuts of quantities that no tree makes: a model need not hold them."""
    cut, kept = partition.cut.copy(), dict(axes)
    for feature, name in enumerate(names):
        if name not in axes:
            continue
        here = (partition.feature == feature) & (cut >= 0)
        used, place = np.unique(cut[here], return_inverse=True)
        cut[here], kept[name] = place, axes[name].only(used.astype(np.int64))
    return replace(partition, cut=cut), kept
