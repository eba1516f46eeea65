"""Entropic mirror descent on a junction tree, by tilting marginals instead of adding up potentials.

A step multiplies the distribution by exp(-step * gradient). The gradient lives on measured tables, which are
small, so only those are exponentiated; the cliques, which are large, are multiplied and summed. What was
multiplied in so far is kept per measured table (its dual), and so fits any tree that holds these tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import Clique, Floats, Sizes, lined_up, shape_of, summed
from understudy.engines.marginals.junction import JunctionTree

__all__ = ["Descent", "Duals", "Measured", "Target", "potentials_of", "targets_of"]

Duals = Mapping[Clique, Floats]

SUFFICIENT = 0.5  # of the decrease that the gradient promises must be met for a step to stand
TINY = 1e-140  # less than this of a row is never divided by: a cell that is ruled out could not come back


@final
@dataclass(frozen=True)
class Measured:
    """A table over a clique, with the deviation of the noise in each of its cells."""

    of: Clique
    table: Floats
    sigma: float


@final
@dataclass(frozen=True, eq=False)
class Target:
    """All that was measured of one clique, as one table; its marginal is summed from `within`."""

    of: Clique
    table: Floats
    weight: float
    home: int
    within: Clique


def potentials_of(tree: JunctionTree, duals: Duals, sizes: Sizes) -> list[Floats]:
    """Return the potentials of a tree's cliques, each dual in a clique that holds it."""
    potentials = [np.zeros(shape_of(each, sizes)) for each in tree.cliques]
    for of, values in duals.items():
        home = tree.home(of)
        potentials[home] += lined_up(values, of, tree.cliques[home])
    return potentials


@final
class Descent:
    """The loss of measured tables on one junction tree, and steps against it."""

    def __init__(self, tree: JunctionTree, measured: Sequence[Measured], total: float) -> None:
        self._tree, self._total = tree, total
        self._targets = targets_of(tree, measured)
        # The gradient grows by at most the sum of the weights, of all tables that one cell lies in.
        self._curvature = sum(each.weight for each in self._targets)

    def run(self, duals: Duals, sizes: Sizes, steps: int, settled: float) -> dict[Clique, Floats]:
        """Take so many steps, fewer once one lowers the loss by less than the share `settled` of it.

        Steps grow fast until the first that does not stand, then slowly.
        """
        held = {each.of: duals.get(each.of, np.zeros(each.table.shape)) for each in self._targets}
        held |= {of: values for of, values in duals.items() if of not in held}
        marginals = marginals_of(self._tree, potentials_of(self._tree, held, sizes), self._total)
        step, growth = 2.0 / (self._curvature * self._total), 2.0
        found = self._look(marginals)
        loss, gradient = self._loss(found)
        for _ in range(steps):
            moved = self._tilted(marginals, gradient, step)
            then = self._look(moved)
            lower, next_gradient = self._loss(then)
            promise = sum(float((g * (found[of] - then[of])).sum()) for of, g in gradient.items())
            if loss - lower < SUFFICIENT * promise:
                step, growth = step * 0.5, 1.1
                continue
            for of, values in gradient.items():
                held[of] = held[of] - step * values
            # While steps still grow fast they may be short: then little is gained, yet there is more to gain.
            done = growth < 2.0 and loss - lower <= settled * loss
            marginals, found, loss, gradient = moved, then, lower, next_gradient
            step *= growth
            if done:
                break
        return held

    def _look(self, marginals: Sequence[Floats]) -> dict[Clique, Floats]:
        """Return what the model expects of every target, small tables summed from larger ones."""
        found: dict[Clique, Floats] = {}
        for each in self._targets:
            if each.within == each.of:
                found[each.of] = summed(marginals[each.home], self._tree.cliques[each.home], each.of)
            else:
                found[each.of] = summed(found[each.within], each.within, each.of)
        return found

    def _loss(self, found: dict[Clique, Floats]) -> tuple[float, dict[Clique, Floats]]:
        loss, gradient = 0.0, dict[Clique, Floats]()
        for each in self._targets:
            gap = found[each.of] - each.table
            gradient[each.of] = each.weight * gap
            loss += 0.5 * float((gap * gradient[each.of]).sum())
        return loss, gradient

    def _tilted(
        self, marginals: Sequence[Floats], gradient: dict[Clique, Floats], step: float
    ) -> list[Floats]:
        """Return the marginals of the distribution times exp(-step * gradient): one pass up, one down."""
        tree, factors = self._tree, list(marginals)
        for place, (of, shared) in enumerate(zip(tree.cliques, tree.separators, strict=True)):
            base = np.maximum(summed(marginals[place], of, shared), TINY)
            factors[place] = marginals[place] / lined_up(base, shared, of)
        for home, of, tilt in self._tilts(gradient, step):
            factors[home] *= lined_up(tilt, of, tree.cliques[home])
        messages: list[Floats] = [np.zeros(())] * len(factors)
        for place in range(len(factors) - 1, 0, -1):
            parent, shared = tree.parents[place], tree.separators[place]
            np.maximum(factors[place], TINY, out=factors[place])
            messages[place] = summed(factors[place], tree.cliques[place], shared)
            factors[parent] *= lined_up(messages[place], shared, tree.cliques[parent])
        factors[0] *= self._total / factors[0].sum()
        for place in range(1, len(factors)):
            parent, shared = tree.parents[place], tree.separators[place]
            whole = summed(factors[parent], tree.cliques[parent], shared)
            factors[place] *= lined_up(whole / messages[place], shared, tree.cliques[place])
        return factors

    def _tilts(self, gradient: dict[Clique, Floats], step: float) -> list[tuple[int, Clique, Floats]]:
        """Return factors per table that is summed from a clique, those of smaller tables multiplied in."""
        exponents = {each.of: -step * gradient[each.of] for each in self._targets}
        for each in reversed(self._targets):
            if each.within != each.of:
                line = lined_up(exponents[each.of], each.of, each.within)
                exponents[each.within] = exponents[each.within] + line
        found = []
        for each in self._targets:
            if each.within == each.of:
                values = exponents[each.of]
                found.append((each.home, each.of, np.exp(values - values.max())))
        return found


def targets_of(tree: JunctionTree, measured: Sequence[Measured]) -> list[Target]:
    """Return one target per measured clique, larger cliques first."""
    weights: dict[Clique, float] = {}
    sums: dict[Clique, Floats] = {}
    for each in measured:
        weight = each.sigma**-2
        weights[each.of] = weights.get(each.of, 0.0) + weight
        sums[each.of] = sums.get(each.of, 0.0) + weight * each.table
    found: list[Target] = []
    for of in sorted(weights, key=lambda of: (-len(of), of)):
        holding = next((other.of for other in found if set(of) < set(other.of)), of)
        home = tree.home(of if holding == of else holding)
        found.append(Target(of, sums[of] / weights[of], weights[of], home, holding))
    return found
