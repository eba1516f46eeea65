"""The marginal of every pair under a tree model, also of pairs that no clique holds.

From each attribute's clique outwards, the joint table of the attribute and what neighbouring cliques share
is carried along: p(a, next) = sum over shared of p(a, shared) p(next | shared). What does not depend on the
attribute is computed once, while there is room to keep it. Nothing larger than a clique, or than an
attribute's size times what two cliques share, is ever laid out.
"""

from __future__ import annotations

from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, cells, clique, shape_of, summed
from understudy.engines.marginals.estimate import TreeModel

__all__ = ["all_pairs"]

KEPT = 16_000_000  # cells of conditional tables, 128 MB


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
        self._known: dict[tuple[int, Clique, Clique], Floats] = {}
        self._room = KEPT

    def outwards(self, attribute: int) -> dict[int, Floats]:
        """Return the joint table of the attribute with every other one: (its size, the other's size)."""
        found: dict[int, Floats] = {}
        inside = [place for place, each in enumerate(self._tree.cliques) if attribute in each]
        for home in inside:
            for other in self._tree.cliques[home]:
                if other != attribute and other not in found:
                    found[other] = self._joint(home, attribute, (other,))
        for home in inside:
            for place, shared in self._near[home]:
                # Beyond the cliques that hold the attribute: what leads there does not name it.
                if attribute not in shared:
                    self._follow((home, place), shared, self._joint(home, attribute, shared), found)
        return found

    def _joint(self, home: int, attribute: int, others: Clique) -> Floats:
        """Return p(attribute, others) of one clique, the attribute's axis first."""
        of = clique((attribute, *others))
        table = summed(self._model.marginals[home], self._tree.cliques[home], of)
        return np.moveaxis(table, of.index(attribute), 0)

    def _follow(
        self, way: tuple[int, int], shared: Clique, carried: Floats, found: dict[int, Floats]
    ) -> None:
        came, here = way
        for other in self._tree.cliques[here]:
            if other not in shared and other not in found:
                found[other] = self._step(here, shared, (other,), carried)
        for place, onwards in self._near[here]:
            if place != came:
                self._follow((here, place), onwards, self._step(here, shared, onwards, carried), found)

    def _step(self, here: int, shared: Clique, onto: Clique, carried: Floats) -> Floats:
        """Return p(attribute, onto) from p(attribute, shared): what both name stays, the rest goes."""
        both, gone, new = _split(shared, onto)
        sizes, first = self._model.sizes, carried.shape[0]
        order = [*(1 + shared.index(a) for a in both), 0, *(1 + shared.index(a) for a in gone)]
        left = carried.transpose(order).reshape(cells(both, sizes), first, cells(gone, sizes))
        joint = left @ self._given(here, shared, onto)  # (both, attribute, new)
        shaped = joint.reshape(*shape_of(both, sizes), first, *shape_of(new, sizes))
        names = [*both, -1, *new]
        return shaped.transpose([names.index(a) for a in (-1, *onto)])

    def _given(self, here: int, shared: Clique, onto: Clique) -> Floats:
        """Return p(new | both, gone) in one clique, as one matrix per cell of what both name."""
        key = here, shared, onto
        if key not in self._known:
            table = self._computed(*key)
            if table.size > self._room:
                return table
            self._known[key] = table
            self._room -= table.size
        return self._known[key]

    def _computed(self, here: int, shared: Clique, onto: Clique) -> Floats:
        both, gone, new = _split(shared, onto)
        of, sizes = clique((*shared, *onto)), self._model.sizes
        joint = summed(self._model.marginals[here], self._tree.cliques[here], of)
        order = [of.index(attribute) for attribute in (*both, *gone, *new)]
        table = joint.transpose(order).reshape(cells(both, sizes), cells(gone, sizes), cells(new, sizes))
        base = table.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(table, base, out=np.zeros_like(table), where=base > 0))


def _split(shared: Clique, onto: Clique) -> tuple[Clique, Clique, Clique]:
    """Return what both name, what only the first does, what only the second does."""
    return (
        tuple(a for a in shared if a in onto),
        tuple(a for a in shared if a not in onto),
        tuple(a for a in onto if a not in shared),
    )
