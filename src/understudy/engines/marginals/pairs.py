"""The marginal of every pair under a tree model, also of pairs that no clique holds.

From each attribute's clique outwards, the joint table of the attribute and what neighbouring cliques share
is carried along: p(a, next) = sum over shared of p(a, shared) p(next | shared). What does not depend on the
attribute is computed once.
"""

from __future__ import annotations

from functools import cache
from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, cells, clique, summed
from understudy.engines.marginals.estimate import TreeModel

__all__ = ["all_pairs"]


def all_pairs(model: TreeModel) -> dict[Clique, Floats]:
    """Return the expected counts over every two attributes."""
    walk = _Walk(model)
    found: dict[Clique, Floats] = {}
    for attribute in range(len(model.sizes)):
        for other, table in walk.outwards(attribute).items():
            if other > attribute:
                found[(attribute, other)] = table
    return found


@final
class _Walk:
    """Walks through a junction tree, with what every clique says given one of its neighbours."""

    def __init__(self, model: TreeModel) -> None:
        self._model, self._tree = model, model.tree
        self._near: list[list[tuple[int, Clique]]] = [[] for _ in model.tree.cliques]
        for place in range(1, len(model.tree.cliques)):
            parent, shared = model.tree.parents[place], model.tree.separators[place]
            self._near[parent].append((place, shared))
            self._near[place].append((parent, shared))
        self._given = cache(self._computed)

    def outwards(self, attribute: int) -> dict[int, Floats]:
        """Return the joint table of the attribute with every other one: (its size, the other's size)."""
        home = self._tree.home((attribute,))
        found: dict[int, Floats] = {}
        for other in self._tree.cliques[home]:
            if other != attribute:
                pair = clique((attribute, other))
                table = summed(self._model.marginals[home], self._tree.cliques[home], pair)
                found[other] = table if attribute < other else table.T
        for place, shared in self._near[home]:
            self._follow((home, place), shared, self._start(home, attribute, shared), found)
        return found

    def _start(self, home: int, attribute: int, shared: Clique) -> Floats:
        """Return p(attribute, shared) as a matrix."""
        size = self._model.sizes[attribute]
        table = summed(self._model.marginals[home], self._tree.cliques[home], clique((attribute, *shared)))
        if attribute not in shared:
            moved = np.moveaxis(table, clique((attribute, *shared)).index(attribute), 0)
            return np.ascontiguousarray(moved).reshape(size, -1)
        # The attribute is shared itself: its table with itself lies on the diagonal.
        spread = np.zeros((size, *table.shape))
        axis = shared.index(attribute)
        np.moveaxis(spread, axis + 1, 1)[np.arange(size), np.arange(size)] = np.moveaxis(table, axis, 0)
        return spread.reshape(size, -1)

    def _follow(
        self, way: tuple[int, int], shared: Clique, carried: Floats, found: dict[int, Floats]
    ) -> None:
        came, here = way
        for other in self._tree.cliques[here]:
            if other not in shared and other not in found:
                found[other] = carried @ self._given(here, shared, (other,))
        for place, onwards in self._near[here]:
            if place != came:
                self._follow((here, place), onwards, carried @ self._given(here, shared, onwards), found)

    def _computed(self, here: int, shared: Clique, onto: Clique) -> Floats:
        """Return p(onto | shared) in one clique as a matrix; what both name lies on diagonals."""
        of, sizes = self._tree.cliques[here], self._model.sizes
        joint = summed(self._model.marginals[here], of, clique((*shared, *onto)))
        names = [*shared, *(a for a in onto if a not in shared)]
        order = [clique((*shared, *onto)).index(attribute) for attribute in names]
        table = joint.transpose(order).reshape(cells(shared, sizes), -1)
        base = table.sum(axis=1, keepdims=True)
        table = np.divide(table, base, out=np.zeros_like(table), where=base > 0)
        return table if not set(shared) & set(onto) else self._spread(table, shared, onto)

    def _spread(self, table: Floats, shared: Clique, onto: Clique) -> Floats:
        """Return the matrix with the attributes of `onto` that were given put back at their given value."""
        sizes = self._model.sizes
        free = clique(a for a in onto if a not in shared)
        rows = np.stack(np.unravel_index(np.arange(len(table)), [sizes[a] for a in shared] or [1]))
        columns = np.stack(np.unravel_index(np.arange(table.shape[1]), [sizes[a] for a in free] or [1]))
        place = np.zeros(table.shape, dtype=np.int64)
        for attribute in onto:
            given = attribute in shared
            code = (
                rows[shared.index(attribute)][:, None] if given else columns[free.index(attribute)][None, :]
            )
            place = place * sizes[attribute] + code
        out = np.zeros((len(table), cells(onto, sizes)))
        np.put_along_axis(out, place, table, axis=1)
        return out
