"""What AIM asks of an estimate: what it expects of pairs, which fit into it, and to take measured ones in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, cells
from understudy.engines.marginals.descent import Measured
from understudy.engines.marginals.estimate import TreeModel, estimate
from understudy.engines.marginals.growing import growths
from understudy.engines.marginals.junction import junction_tree, tree_cells
from understudy.engines.marginals.pairs import all_pairs
from understudy.engines.marginals.products import Products, fit_products, start_products

__all__ = ["Estimator", "ProductsEstimator", "TreeEstimator"]

SETTLED = 0.01  # over the number of steps: the more of them, the longer little gains count
WORK = 400_000_000  # cells times steps that one estimate may take: about half a minute
FULL = 100  # steps: an estimate of fewer, as between rounds, may take its share of that work
PRODUCTS_WORK = 1_000_000_000  # the same of products, in cells of tables times components
OVERHEAD = 50_000  # of these take as long as any table does, however small


class Estimator(ABC):
    """An estimate that grows by measured pairs."""

    @abstractmethod
    def open_pairs(self, room: float) -> list[Clique]:
        """Return the pairs that it could take in without having more cells than `room`."""

    @abstractmethod
    def making_room(self, pairs: Sequence[Clique], room: float) -> tuple[Estimator, list[Clique]]:
        """Return the estimate with room for pairs, and those of them, the first first, that fit together."""

    @abstractmethod
    def expected(self, pairs: Iterable[Clique]) -> dict[Clique, Floats]:
        """Return what it expects of pairs, in counts."""

    @abstractmethod
    def tree(self) -> TreeModel:
        """Return the distribution as a tree, to draw rows from."""

    @abstractmethod
    def fitted(self, measured: Sequence[Measured], steps: int) -> Estimator:
        """Return the estimate closer to the measured tables."""


@final
@dataclass(frozen=True, eq=False)
class TreeEstimator(Estimator):
    """A graphical model: exact, as long as its junction tree is small. `hold`: the cliques it has to hold."""

    model: TreeModel
    hold: tuple[Clique, ...] = ()

    @classmethod
    def of(cls, one_way: Sequence[Measured], sizes: tuple[int, ...], total: float) -> TreeEstimator:
        """Return the estimate of independent columns."""
        model = estimate(one_way, sizes, total=total, steps=200, settled=1e-9)
        return cls(model, tuple((place,) for place in range(len(sizes))))

    def open_pairs(self, room: float) -> list[Clique]:
        """Return the pairs that are held, or that some growth of the tree holds within the room."""
        before = self.model.tree.cells(self.model.sizes)
        found = growths(self.model.tree, self.model.sizes)
        return [pair for pair, each in sorted(found.items()) if not each.cells or before + each.cells <= room]

    def making_room(self, pairs: Sequence[Clique], room: float) -> tuple[TreeEstimator, list[Clique]]:
        """Hold pairs alone, or the growth of the tree if that is smaller; leave out what fits neither way."""
        sizes, hold, fitting = self.model.sizes, self.hold, list[Clique]()
        for pair in pairs:
            tree = junction_tree(hold, sizes)
            ways = ((*hold, pair), (*tree.cliques, *growths(tree, sizes)[pair].cliques))
            way = next((each for each in ways if tree_cells(each, sizes) <= room), None)
            if way is not None:
                hold, fitting = way, [*fitting, pair]
        return replace(self, hold=hold), fitting

    def expected(self, pairs: Iterable[Clique]) -> dict[Clique, Floats]:
        """Return the marginals of pairs."""
        every = all_pairs(self.model)
        return {pair: every[pair] for pair in pairs}

    def tree(self) -> TreeModel:
        """Return the model."""
        return self.model

    def fitted(self, measured: Sequence[Measured], steps: int) -> TreeEstimator:
        """Descend from where the last estimate stood; fewer steps on a tree so large that they take long."""
        size = tree_cells(self.hold, self.model.sizes)
        work = WORK * min(steps, FULL) // FULL
        most = max(3, min(steps, work // max(size, 1)))
        model = estimate(
            measured,
            self.model.sizes,
            total=self.model.total,
            steps=most,
            settled=SETTLED / most,
            start=self.model,
            hold=self.hold,
        )
        return replace(self, model=model)


@final
@dataclass(frozen=True, eq=False)
class ProductsEstimator(Estimator):
    """A mixture of products: for any number of columns."""

    model: Products

    @classmethod
    def of(
        cls, one_way: Sequence[Measured], total: float, components: int, rng: np.random.Generator
    ) -> ProductsEstimator:
        """Return the estimate of columns that are as good as independent."""
        return cls(start_products(one_way, total, components, rng))

    def open_pairs(self, room: float) -> list[Clique]:
        """Return all pairs, but those with more cells than the room."""
        sizes = self.model.sizes
        return [pair for pair in combinations(range(len(sizes)), 2) if cells(pair, sizes) <= room]

    def making_room(self, pairs: Sequence[Clique], room: float) -> tuple[ProductsEstimator, list[Clique]]:
        """Change nothing: pairs need none."""
        return self, [pair for pair in pairs if cells(pair, self.model.sizes) <= room]

    def expected(self, pairs: Iterable[Clique]) -> dict[Clique, Floats]:
        """Return the marginals of pairs."""
        wanted = list(pairs)
        return dict(zip(wanted, self.model.tables(wanted), strict=True))

    def tree(self) -> TreeModel:
        """Return the tree around the component."""
        return self.model.tree()

    def fitted(self, measured: Sequence[Measured], steps: int) -> ProductsEstimator:
        """Go on with Adam; fewer steps where there are so many large tables that they take long."""
        work = sum(len(self.model.logits) * each.table.size + OVERHEAD for each in measured)
        most = max(10, min(steps, PRODUCTS_WORK // max(work, 1)))
        return replace(self, model=fit_products(self.model, measured, most))
