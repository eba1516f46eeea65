"""Bayesian networks: every attribute is drawn given a few others, its parents (Pearl 1988).

A network becomes a tree model by putting the logarithm of every conditional table onto a clique of the
junction tree that holds it: the product is the network's distribution, exactly, and belief propagation then
answers what forward sampling cannot: how all attributes lie once some are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import Clique, Floats, Sizes, clique, lined_up, shape_of
from understudy.engines.marginals.estimate import TreeModel
from understudy.engines.marginals.junction import junction_tree
from understudy.errors import ParameterError

__all__ = ["Family", "Network", "conditional", "network_model", "network_of_tree"]


@final
@dataclass(frozen=True)
class Family:
    """An attribute and its parents: those that it is drawn given."""

    child: int
    parents: Clique = ()

    @property
    def of(self) -> Clique:
        """The attributes of the family's table."""
        return clique((self.child, *self.parents))


@final
@dataclass(frozen=True)
class Network:
    """The family of every attribute, parents before their children."""

    families: tuple[Family, ...]

    def __post_init__(self) -> None:
        known: set[int] = set()
        for each in self.families:
            if each.child in known or not known.issuperset(each.parents):
                raise ParameterError("Network: each attribute comes once, and after its parents.")
            known.add(each.child)


def network_of_tree(pairs: Sequence[Clique], attributes: int) -> Network:
    """Return the network of a tree of pairs: from the least attribute of each part outwards.

    >>> network_of_tree([(1, 2), (0, 1)], 3).families
    (Family(child=0, parents=()), Family(child=1, parents=(0,)), Family(child=2, parents=(1,)))
    """
    near: dict[int, list[int]] = {attribute: [] for attribute in range(attributes)}
    for first, second in pairs:
        near[first].append(second)
        near[second].append(first)
    families: list[Family] = []
    known: set[int] = set()
    for root in range(attributes):
        waiting = [] if root in known else [Family(root)]
        while waiting:
            family = waiting.pop()
            families.append(family)
            known.add(family.child)
            waiting += [Family(other, (family.child,)) for other in near[family.child] if other not in known]
    return Network(tuple(families))


def conditional(table: Floats, family: Family, smoothing: float) -> Floats:
    """Return p(child | parents) from the counts of a family, over the same axes.

    Every cell of the parents is given `smoothing` more rows, spread like the child's own distribution (a
    Dirichlet prior): where the parents were never seen, that is what remains. Counts below 0 are taken for 0.

    >>> conditional(np.array([[8.0, 2.0], [0.0, 0.0]]), Family(1, (0,)), 1e-9).round(2).tolist()
    [[0.8, 0.2], [0.77, 0.23]]
    """
    counts = np.maximum(table, 0.0)
    axis = family.of.index(family.child)
    others = tuple(place for place in range(counts.ndim) if place != axis)
    own = counts.sum(axis=others, keepdims=True) + 1 / counts.shape[axis]  # a row more: no cell is ruled out
    own = own / own.sum()
    return np.asarray((counts + smoothing * own) / (counts.sum(axis=axis, keepdims=True) + smoothing))


def network_model(
    network: Network, tables: Sequence[Floats], sizes: Sizes, *, total: float, smoothing: float
) -> TreeModel:
    """Return the tree model of a network whose families have these tables of counts.

    >>> network = Network((Family(0), Family(1, (0,))))
    >>> tables = [np.array([3.0, 1.0]), np.array([[3.0, 0.0], [0.0, 1.0]])]
    >>> network_model(network, tables, (2, 2), total=8.0, smoothing=1e-6).marginal((1,)).round(3).tolist()
    [6.0, 2.0]
    """
    tree = junction_tree([each.of for each in network.families], sizes)
    potentials = [np.zeros(shape_of(each, sizes)) for each in tree.cliques]
    for family, table in zip(network.families, tables, strict=True):
        home = tree.home(family.of)
        logs = np.log(conditional(table, family, smoothing))
        potentials[home] = potentials[home] + lined_up(logs, family.of, tree.cliques[home])
    marginals = tuple(marginals_of(tree, potentials, total))
    return TreeModel(tuple(sizes), tree, tuple(potentials), marginals, total)
