"""Mixtures of products: components in each of which all columns are independent, fitted to measured tables.

However many columns there are, a table of two of them is a product of two small matrices, so there is no
junction tree to grow; what is lost is exactness. Fitted by Adam (Kingma, Ba 2015) on the logits of every
component and column, against the sum of |M(p) - y|^2 / (2 sigma^2), as in RAP (Aydore et al. 2021).

To draw rows it is a tree: the component is one more attribute, hidden, and every column hangs on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import Clique, Floats
from understudy.engines.marginals.descent import Measured
from understudy.engines.marginals.estimate import TreeModel
from understudy.engines.marginals.junction import JunctionTree

__all__ = ["Products", "fit_products", "start_products"]

UNEVEN = 0.3  # deviation of the first logits: components that begin alike would stay alike
FIRST, SECOND, SMALL = 0.9, 0.99, 1e-12  # how long Adam remembers gradients and their squares; never nought


@final
@dataclass(frozen=True, eq=False)
class Products:
    """Logits of all columns' cells, one line per component, for about `total` rows."""

    logits: Floats  # (components, all cells of all columns)
    sizes: tuple[int, ...]
    total: float

    @property
    def starts(self) -> list[int]:
        """Where each column's cells begin."""
        return [0, *np.cumsum(self.sizes)[:-1].tolist()]

    def shares(self) -> Floats:
        """Return the distribution of every column in every component: (components, all cells)."""
        top = np.repeat(np.maximum.reduceat(self.logits, self.starts, axis=1), self.sizes, axis=1)
        weights = np.exp(self.logits - top)
        sums = np.add.reduceat(weights, self.starts, axis=1)
        return np.asarray(weights / np.repeat(sums, self.sizes, axis=1))

    def columns(self) -> list[Floats]:
        """Return the distribution of each column: (components, its cells)."""
        return np.split(self.shares(), self.starts[1:], axis=1)

    def tables(self, cliques: Sequence[Clique]) -> list[Floats]:
        """Return the expected counts over single columns and pairs."""
        columns = self.columns()
        return [_expected(columns, of, self.total) for of in cliques]

    def tree(self) -> TreeModel:
        """Return the same distribution as a tree around the component, the last attribute."""
        hidden, components = len(self.sizes), len(self.logits)
        cliques = ((hidden,), *((place, hidden) for place in range(hidden)))
        shared: tuple[Clique, ...] = ((), *(((hidden,),) * hidden))
        tree = JunctionTree(cliques, (0,) * len(cliques), shared)
        columns = [np.log(np.maximum(each.T, 1e-300)) for each in self.columns()]
        potentials = (np.zeros(components), *columns)
        marginals = tuple(marginals_of(tree, potentials, self.total))
        return TreeModel((*self.sizes, components), tree, potentials, marginals, self.total)


def start_products(
    one_way: Sequence[Measured], total: float, components: int, rng: np.random.Generator
) -> Products:
    """Return components that all have about the measured single columns, none quite like another."""
    floors = [np.maximum(each.table, 0.01 * total / each.table.size) for each in one_way]
    logits = np.concatenate([np.log(each / each.sum()) for each in floors])
    uneven = rng.normal(0.0, UNEVEN, (components, len(logits)))
    return Products(logits + uneven, tuple(each.table.size for each in one_way), total)


def fit_products(start: Products, measured: Sequence[Measured], steps: int, rate: float = 0.1) -> Products:
    """Return the products after so many steps of Adam; the rate falls to nought towards the last.

    >>> one = [Measured((0,), np.array([30.0, 10.0]), 1.0)]
    >>> found = fit_products(start_products(one, 40.0, 3, np.random.default_rng(0)), one, 200)
    >>> found.tables([(0,)])[0].round(1).tolist()
    [30.0, 10.0]
    """
    logits = start.logits.copy()
    mean, square = np.zeros_like(logits), np.zeros_like(logits)
    for step in range(1, steps + 1):
        slope = _slope(replace(start, logits=logits), measured)
        mean = FIRST * mean + (1 - FIRST) * slope
        square = SECOND * square + (1 - SECOND) * slope**2
        ahead = mean / (1 - FIRST**step)
        scale = np.sqrt(square / (1 - SECOND**step))
        logits -= rate * (1 - (step - 1) / steps) * ahead / (scale + SMALL)
    return replace(start, logits=logits)


def _slope(products: Products, measured: Sequence[Measured]) -> Floats:
    """Return the gradient of the loss by the logits: (components, all cells)."""
    columns, total = products.columns(), products.total
    slopes = [np.zeros_like(each) for each in columns]
    for each in measured:
        gap = (_expected(columns, each.of, total) - each.table) / (each.sigma**2 * total)
        if len(each.of) == 1:
            slopes[each.of[0]] += gap
        else:
            first, second = each.of
            slopes[first] += columns[second] @ gap.T
            slopes[second] += columns[first] @ gap
    # Through the softmax: what all cells of a column have in common changes nothing.
    return np.hstack(
        [p * (g - (p * g).sum(axis=1, keepdims=True)) for p, g in zip(columns, slopes, strict=True)]
    )


def _expected(columns: Sequence[Floats], of: Clique, total: float) -> Floats:
    if len(of) == 1:
        return np.asarray(total * columns[of[0]].mean(axis=0))
    first, second = of
    return np.asarray((total / len(columns[first])) * (columns[first].T @ columns[second]))
