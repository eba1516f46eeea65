"""Belief propagation: from potentials on the cliques of a junction tree to their marginals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.engines.marginals.cliques import Floats, lined_up, log_sum
from understudy.engines.marginals.junction import JunctionTree

__all__ = ["logged_marginals", "marginals_of"]


def marginals_of(tree: JunctionTree, potentials: Sequence[Floats], total: float = 1.0) -> list[Floats]:
    """Return the marginal of every clique under p(x) ~ exp(sum of potentials), adding up to `total`.

    One pass from the leaves to the root and one back (Lauritzen, Spiegelhalter 1988), in logarithms.
    """
    return logged_marginals(tree, potentials, total)[1]


def logged_marginals(
    tree: JunctionTree, potentials: Sequence[Floats], total: float = 1.0
) -> tuple[float, list[Floats]]:
    """Return the logarithm of what exp(sum of potentials) adds up to, and the marginals of all cliques."""
    beliefs = list(potentials)
    messages: list[Floats] = [np.zeros(())] * len(beliefs)
    for place in range(len(beliefs) - 1, 0, -1):
        parent, shared = tree.parents[place], tree.separators[place]
        messages[place] = log_sum(beliefs[place], tree.cliques[place], shared)
        beliefs[parent] = beliefs[parent] + lined_up(messages[place], shared, tree.cliques[parent])
    whole = log_sum(beliefs[0], tree.cliques[0], ())
    log_total = float(whole)
    with np.errstate(invalid="ignore"):  # of potentials that rule everything out nothing but NaN is left
        beliefs[0] = beliefs[0] - whole + np.log(total)
    for place in range(1, len(beliefs)):
        parent, shared = tree.parents[place], tree.separators[place]
        whole = log_sum(beliefs[parent], tree.cliques[parent], shared)
        with np.errstate(invalid="ignore"):
            change = np.where(np.isneginf(whole), -np.inf, whole - messages[place])
        beliefs[place] = beliefs[place] + lined_up(change, shared, tree.cliques[place])
    return log_total, [np.exp(belief) for belief in beliefs]
