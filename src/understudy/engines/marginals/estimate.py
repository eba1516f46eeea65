"""Estimation: the graphical model whose marginals come closest to measured tables.

Minimises the sum of |M(p) - y|^2 / (2 sigma^2) over the model's cliques by entropic mirror descent (McKenna,
Sheldon, Miklau 2019): potentials take a step against the gradient by the marginals, belief propagation gives
the marginals back. Measured tables may be noisy, negative and at odds with each other; the result is none of
these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import Clique, Floats, Sizes, lined_up, shape_of, summed
from understudy.engines.marginals.junction import JunctionTree, junction_tree

__all__ = ["Measured", "TreeModel", "estimate", "total_of"]

_SUFFICIENT = 0.5  # of the decrease that the gradient promises must be met for a step to stand


@final
@dataclass(frozen=True)
class Measured:
    """A table over a clique, with the deviation of the noise in each of its cells."""

    of: Clique
    table: Floats
    sigma: float


@final
@dataclass(frozen=True)
class TreeModel:
    """A distribution over all attributes: marginals on the cliques of a junction tree, in counts."""

    sizes: tuple[int, ...]
    tree: JunctionTree
    potentials: tuple[Floats, ...]
    marginals: tuple[Floats, ...]
    total: float

    def marginal(self, of: Clique) -> Floats:
        """Return the expected counts over a clique that one clique of the tree holds."""
        place = self.tree.home(of)
        return summed(self.marginals[place], self.tree.cliques[place], of)


def total_of(measured: Sequence[Measured]) -> float:
    """Return about how many rows there are: each table's sum weighs one over the noise in it; at least 1."""
    weights = np.array([1 / (each.table.size * each.sigma**2) for each in measured])
    sums = np.array([each.table.sum() for each in measured])
    return max(float(weights @ sums / weights.sum()), 1.0)


def estimate(
    measured: Sequence[Measured],
    sizes: Sizes,
    *,
    total: float | None = None,
    steps: int = 1_000,
    start: TreeModel | None = None,
) -> TreeModel:
    """Return the model of the measured tables; `start` gives potentials to begin from.

    >>> model = estimate([Measured((0,), np.array([30.0, 10.0]), 1.0)], (2,))
    >>> model.marginal((0,)).round(3).tolist()
    [30.0, 10.0]
    """
    tree = junction_tree([each.of for each in measured], sizes)
    rows = total_of(measured) if total is None else total
    potentials = _begin(tree, sizes, start)
    if measured:
        potentials = _Descent(tree, measured, rows).run(potentials, steps)
    return TreeModel(tuple(sizes), tree, tuple(potentials), tuple(marginals_of(tree, potentials, rows)), rows)


def _begin(tree: JunctionTree, sizes: Sizes, start: TreeModel | None) -> list[Floats]:
    potentials = [np.zeros(shape_of(each, sizes)) for each in tree.cliques]
    if start is not None:
        for each, values in zip(start.tree.cliques, start.potentials, strict=True):
            if tree.holds(each):
                home = tree.home(each)
                potentials[home] = potentials[home] + lined_up(values, each, tree.cliques[home])
    return potentials


@final
class _Descent:
    """The loss of measured tables on one junction tree, and steps against it."""

    def __init__(self, tree: JunctionTree, measured: Sequence[Measured], total: float) -> None:
        self._tree, self._total = tree, total
        self._homes = [(tree.home(each.of), each) for each in measured]
        # The gradient grows by at most the number of tables over the least variance.
        self._curvature = sum(1 / each.sigma**2 for each in measured)

    def run(self, potentials: list[Floats], steps: int) -> list[Floats]:
        """Take so many steps, longer after one that stands and half as long after one that does not."""
        step = 2.0 / (self._curvature * self._total)
        marginals = marginals_of(self._tree, potentials, self._total)
        loss, gradient = self._look(marginals)
        for _ in range(steps):
            tried = [p - step * g for p, g in zip(potentials, gradient, strict=True)]
            moved = marginals_of(self._tree, tried, self._total)
            found, next_gradient = self._look(moved)
            promise = sum(
                float((g * (old - new)).sum()) for g, old, new in zip(gradient, marginals, moved, strict=True)
            )
            if loss - found >= _SUFFICIENT * promise:
                settled = loss - found <= 1e-12 * loss
                potentials, marginals, loss, gradient = tried, moved, found, next_gradient
                step *= 1.05
                if settled:
                    break
            else:
                step *= 0.5
        return potentials

    def _look(self, marginals: list[Floats]) -> tuple[float, list[Floats]]:
        loss, gradient = 0.0, [np.zeros(()) for _ in marginals]
        for home, each in self._homes:
            gap = summed(marginals[home], self._tree.cliques[home], each.of) - each.table
            scaled = gap / each.sigma**2
            loss += 0.5 * float((gap * scaled).sum())
            gradient[home] = gradient[home] + lined_up(scaled, each.of, self._tree.cliques[home])
        return loss, gradient
