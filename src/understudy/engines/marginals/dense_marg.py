"""DenseMarg: which pairs to measure, when each one more makes all of them noisier (Zhang et al. 2021).

A pair that is not measured is taken as independent, and errs by how far it is from that. One that is
measured errs by its noise, which grows with its cells and with what the others take of the price.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, Sizes, cells

__all__ = ["burden", "dense_marg", "join_triples", "split_price"]


def burden(of: Clique, sizes: Sizes) -> float:
    """Return the error in all pairs of a clique, in rows, for noise of deviation 1 in each of its cells.

    Up to the factor that all share. A pair errs by its cells; one that is read off a larger table adds up
    noise, and errs by the root of its cells times those of the table.

    >>> burden((0, 1), (4, 4, 2)), burden((0, 1, 2), (2, 2, 2)) / 3 == math.sqrt(8 * 4)
    (16.0, True)
    """
    whole = cells(of, sizes)
    return sum(math.sqrt(whole * cells(pair, sizes)) for pair in combinations(of, 2))


def split_price(burdens: Sequence[float], rho: float) -> Floats:
    """Return what each table may cost: in proportion to its burden to the 2/3, which errs least in sum.

    >>> split_price([8.0, 1.0], 5.0).round(9).tolist()
    [4.0, 1.0]
    """
    weights = np.asarray(burdens, dtype=np.float64) ** (2 / 3)
    return np.asarray(rho * weights / weights.sum())


def dense_marg(apart: Sequence[float] | Floats, burdens: Sequence[float], rho: float, most: int) -> list[int]:
    """Return the places of the pairs to measure, best first, `most` at most.

    `apart` says how far each pair is from independence, in rows, and may be noisy. Pairs are added one by
    one as long as the error in sum falls. At the best split of a price rho, noise errs by
    (sum of burdens^(2/3))^(3/2) / sqrt(pi rho).

    >>> dense_marg([900.0, 5.0, 400.0], [16.0, 16.0, 16.0], rho=0.01, most=9)
    [0, 2]
    """
    gains, weights = np.asarray(apart, dtype=np.float64), np.asarray(burdens, dtype=np.float64) ** (2 / 3)
    left: npt.NDArray[np.bool_] = np.ones(len(gains), dtype=bool)
    chosen: list[int] = []
    taken = 0.0
    while left.any() and len(chosen) < most:
        noise = ((taken + weights) ** 1.5 - taken**1.5) / math.sqrt(math.pi * rho)
        saved = np.where(left, gains - noise, -np.inf)
        best = int(np.argmax(saved))
        if saved[best] <= 0:
            break
        chosen.append(best)
        left[best] = False
        taken += weights[best]
    return chosen


def join_triples(pairs: Sequence[Clique], sizes: Sizes) -> list[Clique]:
    """Return the pairs, with three that form a triangle joined into one table where that errs less.

    One table costs what three would, so each of its cells has less noise; but a pair that is read off it adds
    up several. Where attributes have two or three values the first weighs more, and the triple comes free.

    >>> join_triples([(0, 1), (0, 2), (1, 2), (2, 3)], (2, 2, 2, 9))
    [(0, 1, 2), (2, 3)]
    """
    free = set(pairs)
    joined: list[Clique] = []
    for gain, triple in sorted(_triangles(free, sizes), reverse=True):
        edges = set(combinations(triple, 2))
        if gain > 0 and edges <= free:
            free -= edges
            joined.append(triple)
    return [*joined, *(pair for pair in pairs if pair in free)]


def _triangles(pairs: set[Clique], sizes: Sizes) -> list[tuple[float, Clique]]:
    """Return every triangle of pairs that would gain from being one table, and how much."""
    near: dict[int, set[int]] = {}
    for first, second in pairs:
        near.setdefault(first, set()).add(second)
        near.setdefault(second, set()).add(first)
    found = []
    for first, second in pairs:
        for third in near[first] & near[second]:
            if third > second:
                triple = (first, second, third)
                apart = sum(burden(pair, sizes) ** (2 / 3) for pair in combinations(triple, 2))
                found.append((apart - burden(triple, sizes) ** (2 / 3), triple))
    return [each for each in found if each[0] > 0]
