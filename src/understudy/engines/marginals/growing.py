"""Growing a junction tree by one pair: what it costs, for all pairs at once, without building any tree.

Between the clique that holds one attribute and the next that holds the other lies a path. A chain of new
cliques along it, each of the two separators it lies between and the first attribute, makes the tree hold the
pair. Building anew may give a smaller tree, never need it be larger than this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from understudy.engines.marginals.cliques import Clique, Sizes, cells, clique
from understudy.engines.marginals.junction import JunctionTree

__all__ = ["Growth", "growths"]


@final
@dataclass(frozen=True)
class Growth:
    """Cliques that make a tree hold one more pair, and how many cells they have."""

    cliques: tuple[Clique, ...] = ()
    cells: int = 0

    def along(self, new: Clique, sizes: Sizes) -> Growth:
        """Return the growth with one more clique."""
        return Growth((*self.cliques, new), self.cells + cells(new, sizes))


def growths(tree: JunctionTree, sizes: Sizes) -> dict[Clique, Growth]:
    """Return for every pair what it takes to hold it; nothing, where a clique holds it already.

    >>> from understudy.engines.marginals.junction import junction_tree
    >>> growths(junction_tree([(0, 1), (1, 2)], (2, 3, 5)), (2, 3, 5))[(0, 2)]
    Growth(cliques=((0, 1, 2),), cells=30)
    """
    near: list[list[tuple[int, Clique]]] = [[] for _ in tree.cliques]
    for place in range(1, len(tree.cliques)):
        near[tree.parents[place]].append((place, tree.separators[place]))
        near[place].append((tree.parents[place], tree.separators[place]))
    best: dict[Clique, Growth] = {}
    for attribute in range(len(sizes)):
        for other, growth in _from(tree, near, attribute, sizes).items():
            pair = clique((attribute, other))
            if pair not in best or growth.cells < best[pair].cells:
                best[pair] = growth
    return best


def _from(
    tree: JunctionTree, near: list[list[tuple[int, Clique]]], attribute: int, sizes: Sizes
) -> dict[int, Growth]:
    """Return for every other attribute the chain from the cliques that hold this one."""
    inside = [place for place, each in enumerate(tree.cliques) if attribute in each]
    found = {other: Growth() for place in inside for other in tree.cliques[place] if other != attribute}
    seen = set(inside)
    edge = [(place, shared, Growth()) for home in inside for place, shared in near[home] if place not in seen]
    while edge:
        place, shared, growth = edge.pop()
        seen.add(place)
        for other in tree.cliques[place]:
            if other not in found:
                found[other] = growth.along(clique((attribute, *shared, other)), sizes)
        for following, onwards in near[place]:
            if following not in seen:
                new = clique((attribute, *shared, *onwards))
                edge.append((following, onwards, growth.along(new, sizes)))
    return found
