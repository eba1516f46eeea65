"""Estimation: the graphical model whose marginals come closest to measured tables.

Minimises the sum of |M(p) - y|^2 / (2 sigma^2) over the model's cliques by entropic mirror descent (McKenna,
Sheldon, Miklau 2019): potentials take a step against the gradient by the marginals, belief propagation gives
the marginals back. Where tables have unlike noise, from the dual side (dual.py). Measured tables may be
noisy, negative and at odds with each other; the result is none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import Clique, Floats, Sizes, summed
from understudy.engines.marginals.descent import Descent, Duals, Measured, potentials_of
from understudy.engines.marginals.dual import Dual
from understudy.engines.marginals.junction import JunctionTree, junction_tree

__all__ = ["Measured", "TreeModel", "estimate", "total_of"]


@final
@dataclass(frozen=True)
class TreeModel:
    """A distribution over all attributes: marginals on the cliques of a junction tree, in counts."""

    sizes: tuple[int, ...]
    tree: JunctionTree
    potentials: tuple[Floats, ...]
    marginals: tuple[Floats, ...]
    total: float
    duals: Duals = field(default_factory=dict)  # what the potentials are the sums of, where it is known

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
    settled: float = 1e-12,
    start: TreeModel | None = None,
    hold: Sequence[Clique] = (),
) -> TreeModel:
    """Return the model of the measured tables; `start` is a model of some of them to begin from.

    A step that lowers the loss by less than the share `settled` of it is the last. The tree holds the cliques
    of `hold` too.

    >>> model = estimate([Measured((0,), np.array([30.0, 10.0]), 1.0)], (2,))
    >>> model.marginal((0,)).round(3).tolist()
    [30.0, 10.0]
    """
    rows = total_of(measured) if total is None else total
    duals: Duals = {} if start is None else start.duals
    tree = junction_tree([*(each.of for each in measured), *duals, *hold], sizes)
    if len({each.sigma for each in measured}) > 1:
        duals = Dual(tree, measured, rows, sizes).run(duals, steps)
    elif measured:
        duals = Descent(tree, measured, rows).run(duals, sizes, steps, settled)
    potentials = tuple(potentials_of(tree, duals, sizes))
    return TreeModel(tuple(sizes), tree, potentials, tuple(marginals_of(tree, potentials, rows)), rows, duals)
