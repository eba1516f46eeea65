"""Structure: which parents each attribute of a Bayesian network takes, grown family by family.

Parents are taken from one family that is already there, or from one in each of several parts of the network
that nothing ties together so far. So the families are the cliques of a junction tree as they stand: nothing
is filled in, the largest table is the largest family, and conditions on rows are exact at the cost of one
pass over the families. Networks of one parent lose nothing by it; the tree grown by mutual information is
that of Chow and Liu (1968), by Prim's rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, Sizes, cells, clique
from understudy.engines.marginals.counting import Codes, count
from understudy.engines.marginals.network import Family, Network

__all__ = ["ByInformation", "Limits", "candidates", "grow", "information", "part_of", "useful_cells"]

Choose = Callable[[Sequence[Family]], int]

SURE = 4.0  # deviations beyond its mean that chance hardly ever reaches
MIXED = 500  # sets of parents, beyond which no more are put together from parts that nothing ties together


@final
@dataclass(frozen=True)
class Limits:
    """What a family may be: its number of parents, the cells of its table, candidates looked at per round.

    With `maximal`, only parents to which none can be added are candidates (Zhang et al. 2017).
    """

    parents: int
    cells: float
    most: int = 1_000
    maximal: bool = False


def useful_cells(rows: float, sigma: float, theta: float) -> float:
    """Return how many cells a table may have whose average count is `theta` times the noise in it.

    Theta-usefulness (Zhang et al. 2017), for noise of deviation sigma.

    >>> useful_cells(rows=1_000.0, sigma=5.0, theta=4.0)
    50.0
    """
    return rows / (theta * sigma)


def candidates(
    known: Sequence[Family], sizes: Sizes, limits: Limits, near: Sequence[Family] | None = None
) -> list[Family]:
    """Return the families that may come next; a child for which nothing else fits stands alone.

    Parents are taken from the families of `near`, if these are given.

    >>> candidates([Family(0)], (2, 3), Limits(parents=1, cells=10))
    [Family(child=1, parents=()), Family(child=1, parents=(0,))]
    """
    sets = _parent_sets(known, known if near is None else near, limits.parents)
    left = sorted(set(range(len(sizes))) - {each.child for each in known})
    found: list[Family] = []
    for child in left:
        room = limits.cells / sizes[child]
        fitting = [of for of in sets if not of or cells(of, sizes) <= room]
        found += [Family(child, of) for of in (_maximal(fitting) if limits.maximal else fitting)]
    return found


def part_of(tied: Iterable[Clique]) -> dict[int, int]:
    """Return for every attribute the least one that it is tied to through cliques.

    >>> part_of([(0,), (1, 2), (2, 3)])
    {0: 0, 1: 1, 2: 1, 3: 1}
    """
    parts: dict[int, int] = {}
    for each in tied:
        merged = {parts.get(attribute, attribute) for attribute in each}
        parts |= {attribute: min(merged) for attribute, part in parts.items() if part in merged}
        parts |= dict.fromkeys(each, min(merged, default=0))
    return parts


def _parent_sets(known: Sequence[Family], near: Sequence[Family], most: int) -> list[Clique]:
    """Return every set of at most so many attributes of one family in each part, small ones first."""
    parts, held = part_of(each.of for each in known), dict[int, set[Clique]]()
    for each in near:
        inside = {subset for size in range(1, most + 1) for subset in combinations(each.of, size)}
        held.setdefault(parts[each.child], set()).update(inside)
    found: set[Clique] = {()}
    for sets in held.values():
        before = found if len(found) < MIXED else [()]
        found = found | {clique(a + b) for a in before for b in sets if len(a) + len(b) <= most}
    return sorted(found, key=lambda of: (len(of), of))


def _maximal(sets: Sequence[Clique]) -> list[Clique]:
    """Return the sets that no other holds; all subsets of a set that fits do fit as well."""
    parts = {of[:place] + of[place + 1 :] for of in sets for place in range(len(of))}
    return [of for of in sets if of not in parts]


def grow(sizes: Sizes, root: int, limits: Limits, choose: Choose, rng: np.random.Generator) -> Network:
    """Return a network that begins with `root`; `choose` picks each further family from those that may come.

    If more may come than `most`, a random choice of them is looked at.
    """
    families = [Family(root)]
    while len(families) < len(sizes):
        near = _near(families, sizes, limits, rng)
        found = _drawn(candidates(families, sizes, limits, near), limits.most, rng)
        families.append(found[choose(found)])
    return Network(tuple(families))


def _near(
    families: Sequence[Family], sizes: Sizes, limits: Limits, rng: np.random.Generator
) -> Sequence[Family]:
    """Return families to take parents from: all, or so few that candidates can be listed in no time."""
    each = 2 ** (limits.parents + 1) * (len(sizes) - len(families))
    return _drawn(families, max(8 * limits.most // each, 8), rng)


def _drawn(found: Sequence[Family], most: int, rng: np.random.Generator) -> Sequence[Family]:
    if len(found) <= most:
        return found
    return [found[place] for place in np.sort(rng.choice(len(found), most, replace=False))]


def information(table: Floats, axis: int) -> float:
    """Return the mutual information of one axis and all others, in nats, times the number of rows.

    >>> round(information(np.array([[5.0, 0.0], [0.0, 5.0]]), 0) / 10, 4) == round(math.log(2), 4)
    True
    """
    joint = np.moveaxis(table, axis, 0).reshape(table.shape[axis], -1)
    parts = _n_log_n(joint.sum(axis=1)) + _n_log_n(joint.sum(axis=0))
    return max(_n_log_n(joint) + _n_log_n(joint.sum(keepdims=True)) - parts, 0.0)


def _n_log_n(counts: Floats) -> float:
    above = counts[counts > 0]
    return float(above @ np.log(above))


@final
class ByInformation:
    """The family of most mutual information beyond what chance would show.

    Twice the information of independent columns has the law of a chi-square of as many degrees as there are
    parameters (Wilks 1938): what counts is what lies beyond its mean by more than `SURE` deviations.
    Parameters are counted where rows are: given parents that were never seen nothing is learned.
    """

    def __init__(self, codes: Codes, sizes: Sizes) -> None:
        self._codes, self._sizes = codes, sizes
        self._known: dict[Family, float] = {}  # scores do not change as the network grows

    def __call__(self, families: Sequence[Family]) -> int:
        """Return the place of the best."""
        return int(np.argmax([self.score(each) for each in families]))

    def score(self, family: Family) -> float:
        """Return n I(child; parents) less what chance would show; nothing is worth 0."""
        if family not in self._known:
            self._known[family] = self._computed(family) if family.parents else 0.0
        return self._known[family]

    def _computed(self, family: Family) -> float:
        table = count(self._codes, family.of, self._sizes)
        axis = family.of.index(family.child)
        seen = int((table.sum(axis=axis) > 0).sum())
        parameters = (self._sizes[family.child] - 1) * max(seen - 1, 0)
        by_chance = 0.5 * parameters + SURE * math.sqrt(0.5 * parameters)
        return information(table, axis) - by_chance
