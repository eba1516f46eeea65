"""Estimation from the dual side: potentials found by L-BFGS, for tables of very unlike noise.

Mirror descent takes steps that suit the most precise table, and the others hardly move. Here the loss gets a
little entropy, tau * sum of m log(m / m0) over cells, m0 the product of the measured columns. Then the
optimum has potentials c = (y - m) / (tau sigma^2), one array per measured table, and they minimise

    total * log Z(c) - sum of c y + tau / 2 * sum of sigma^2 c^2,

smooth, convex and without bounds (the convex conjugate of the loss), so a method of second order applies
(Liu, Nocedal 1989). Its gradient is what the model expects, less what was measured, plus tau sigma^2 c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import minimize

from understudy.engines.marginals.beliefs import logged_marginals, marginals_of
from understudy.engines.marginals.cliques import Clique, Floats, Sizes, summed
from understudy.engines.marginals.descent import Duals, Measured, Target, potentials_of, targets_of
from understudy.engines.marginals.junction import JunctionTree

__all__ = ["Dual"]

ENTROPY = 0.5  # rows that a table of deviation 1 is moved by, per unit of a potential
CLOSE = 0.005  # square roots of what a cell holds: a gap of so much is as good as none
FLOOR = 1e-3  # of an even share: no cell of a column is ruled out before pairs are seen
MOST = 300  # steps: each sees the curvature, so more are hardly ever needed
MEMORY = 10  # past steps that curvature is learned from


@final
@dataclass(frozen=True, eq=False)
class Dual:
    """Measured tables on one junction tree of about `total` rows."""

    tree: JunctionTree
    measured: Sequence[Measured]
    total: float
    sizes: Sizes

    def run(self, duals: Duals, steps: int) -> dict[Clique, Floats]:
        """Return potentials per measured table, from `duals` on; so many steps at most."""
        targets = targets_of(self.tree, self.measured)
        search = _Search(self, targets, _columns(targets, self.total))
        start = search.packed(duals)
        scale = search.scale(start)
        found = minimize(
            lambda vector: search.scaled(vector, scale),
            start / scale,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": min(steps, MOST), "maxcor": MEMORY, "ftol": 1e-12, "gtol": search.close},
        )
        return dict(duals) | search.potentials(found.x * scale)


@final
class _Search:
    """The function that is minimised, over all potentials as one vector."""

    def __init__(self, dual: Dual, targets: Sequence[Target], columns: Duals) -> None:
        self._dual, self._targets, self._columns = dual, targets, columns
        self._ends = np.cumsum([each.table.size for each in targets])[:-1]
        self._measured = np.concatenate([each.table.ravel() for each in targets])
        deviations = np.array([each.weight**-0.5 for each in targets])
        self._ridge = (
            ENTROPY / deviations.mean() * np.repeat(deviations**2, [each.table.size for each in targets])
        )
        self.close = CLOSE / float(np.sqrt(dual.total))

    def value(self, vector: Floats) -> tuple[float, Floats]:
        """Return the function and its gradient, both per row."""
        dual = self._dual
        potentials = potentials_of(dual.tree, self.potentials(vector), dual.sizes)
        log_total, marginals = logged_marginals(dual.tree, potentials, dual.total)
        pull = self._ridge * vector
        value = dual.total * log_total + float(vector @ (0.5 * pull - self._measured))
        gap = np.concatenate([each.ravel() for each in self._expected(marginals)]) - self._measured
        return value / dual.total, (gap + pull) / dual.total

    def scaled(self, vector: Floats, scale: Floats) -> tuple[float, Floats]:
        """Return the same in other units: potentials over `scale`."""
        value, gradient = self.value(vector * scale)
        return value, gradient * scale

    def scale(self, vector: Floats) -> Floats:
        """Return units in which the curvature is alike: it is about what a cell holds, plus the ridge."""
        dual = self._dual
        marginals = marginals_of(dual.tree, potentials_of(dual.tree, self.potentials(vector), dual.sizes))
        held = np.concatenate([each.ravel() for each in self._expected(marginals)])
        return np.asarray(1 / np.sqrt(np.maximum(held, 1 / dual.total) + self._ridge / dual.total))

    def potentials(self, vector: Floats) -> dict[Clique, Floats]:
        """Return the vector as one array per table, those of columns beside the columns themselves."""
        parts = zip(self._targets, np.split(vector, self._ends), strict=True)
        return {of.of: part.reshape(of.table.shape) + self._columns.get(of.of, 0.0) for of, part in parts}

    def packed(self, duals: Duals) -> Floats:
        """Return potentials as a vector; nought for a table that has none yet."""
        parts = (
            duals[each.of] - self._columns.get(each.of, 0.0)
            if each.of in duals
            else np.zeros_like(each.table)
            for each in self._targets
        )
        return np.concatenate([part.ravel() for part in parts])

    def _expected(self, marginals: Sequence[Floats]) -> list[Floats]:
        """Return what the model expects of every table, small ones summed from larger ones."""
        found: dict[Clique, Floats] = {}
        for each in self._targets:
            if each.within == each.of:
                home = self._dual.tree.cliques[each.home]
                found[each.of] = summed(marginals[each.home], home, each.of)
            else:
                found[each.of] = summed(found[each.within], each.within, each.of)
        return list(found.values())


def _columns(targets: Sequence[Target], total: float) -> dict[Clique, Floats]:
    """Return the logarithms of measured columns: where the entropy draws the model to."""
    found: dict[Clique, Floats] = {}
    for each in targets:
        if len(each.of) == 1:
            held = np.maximum(each.table, FLOOR * total / each.table.size)
            found[each.of] = np.log(held / held.sum())
    return found
