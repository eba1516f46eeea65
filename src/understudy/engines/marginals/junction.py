"""Junction trees: cliques tied together so that what two of them share lies on the path between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from understudy.engines.marginals.cliques import Clique, Sizes, cells, clique

__all__ = ["JunctionTree", "junction_tree", "tree_cells"]


@final
@dataclass(frozen=True)
class JunctionTree:
    """Maximal cliques, each after the first with its parent and what it shares with it.

    Parents come before their children, so that a pass forwards goes from the root to the leaves. Parts of
    the table that nothing connects hang together by an empty separator.
    """

    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]
    separators: tuple[Clique, ...]

    def home(self, of: Clique) -> int:
        """Return the smallest place whose clique holds these attributes."""
        wanted = set(of)
        return next(place for place, each in enumerate(self.cliques) if wanted <= set(each))

    def holds(self, of: Clique) -> bool:
        """Say whether some clique holds these attributes."""
        wanted = set(of)
        return any(wanted <= set(each) for each in self.cliques)

    def cells(self, sizes: Sizes) -> int:
        """Return the number of cells of all cliques: the memory and time of one pass."""
        return sum(cells(each, sizes) for each in self.cliques)


def junction_tree(wanted: Iterable[Clique], sizes: Sizes) -> JunctionTree:
    """Return a junction tree whose cliques hold every wanted clique and every attribute.

    >>> tree = junction_tree([(0, 1), (1, 2)], (2, 2, 2))
    >>> tree.cliques, tree.separators
    (((0, 1), (1, 2)), ((), (1,)))
    """
    maximal = _maximal(_eliminated(list(wanted), sizes))
    return _tied(sorted(maximal) or [clique(())])


def tree_cells(wanted: Iterable[Clique], sizes: Sizes) -> int:
    """Return how many cells the junction tree of these cliques has."""
    return sum(cells(each, sizes) for each in _maximal(_eliminated(list(wanted), sizes)))


def _eliminated(wanted: list[Clique], sizes: Sizes) -> list[Clique]:
    """Return the cliques that appear when attributes are taken out, each time where least is added.

    Least filled-in edges first, smaller tables first among those (the min-fill rule).
    """
    near: dict[int, set[int]] = {attribute: set() for attribute in range(len(sizes))}
    for each in wanted:
        for attribute in each:
            near[attribute].update(set(each) - {attribute})
    found: list[Clique] = []
    while near:
        out = min(near, key=lambda a: (_fill(near, a), cells(clique({a, *near[a]}), sizes), a))
        beside = near.pop(out)
        found.append(clique({out, *beside}))
        for attribute in beside:
            near[attribute].discard(out)
            near[attribute].update(beside - {attribute})
    return found


def _fill(near: dict[int, set[int]], attribute: int) -> int:
    beside = sorted(near[attribute])
    return sum(b not in near[a] for place, a in enumerate(beside) for b in beside[place + 1 :])


def _maximal(found: list[Clique]) -> list[Clique]:
    sets = sorted({each: set(each) for each in found}.items(), key=lambda item: -len(item[0]))
    kept: list[tuple[Clique, set[int]]] = []
    for each, attributes in sets:
        if not any(attributes <= other for _, other in kept):
            kept.append((each, attributes))
    return [each for each, _ in kept]


def _tied(cliques: list[Clique]) -> JunctionTree:
    """Tie each clique to the one already tied that it shares most with (Prim's rule)."""
    order, parents, separators = [0], [0], [clique(())]
    best = dict.fromkeys(range(1, len(cliques)), (0, 0))
    while best:
        newest = len(order) - 1
        for place in best:
            shared = len(set(cliques[place]) & set(cliques[order[newest]]))
            if shared > best[place][0]:
                best[place] = shared, newest
        place = max(best, key=lambda p: (best[p][0], -p))
        _, parent = best.pop(place)
        order.append(place)
        parents.append(parent)
        separators.append(clique(set(cliques[place]) & set(cliques[order[parent]])))
    return JunctionTree(tuple(cliques[place] for place in order), tuple(parents), tuple(separators))
