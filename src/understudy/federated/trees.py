"""A tree of marginals over sites: each tells which pairs it would tie, and noisy tables of the agreed ones.

The server adds the tables up and estimates, as MST does from one table (`model/tree_fit.py`). Which pairs are
tied is voted on: every site chooses a tree of its own by `ChooseTree`, and the pairs that most rows stand for
are tied, none closing a circle. All of it is post-processing of what sites told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import ClassVar, NoReturn, final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, shape_of
from understudy.engines.marginals.estimate import Measured
from understudy.errors import InputError, ParameterError
from understudy.federated.cohort import Cohort, Problem
from understudy.federated.domain import Domain
from understudy.federated.message import Message
from understudy.federated.mixture import MOST_MEDIANS, evened
from understudy.federated.shared_cells import one_way_of, shared_cells
from understudy.federated.told_tables import Expected, read_tables
from understudy.model import noisy_margins
from understudy.model.cells import Cells, cells_in
from understudy.model.merged import ENOUGH
from understudy.model.tables import Candidate, Tables
from understudy.model.tree_fit import TreeFit
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Certificate
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanisms.spanning import kruskal

__all__ = ["FederatedTables", "fit_tree"]

FINE = 128  # bins of a quantity before they are merged


def fit_tree(
    tree: TreeFit,
    cohort: Cohort,
    told: Mapping[str, Domain],
    domain: Domain,
    sites: Mapping[str, Certificate],
) -> TreeSampler:
    """Return the sampler of a tree that all sites voted for and measured."""
    known = _known(tree, cohort, told, sites)
    pairs = math.sqrt(sum(each.sigma**2 for each in known.values()))
    columns = math.sqrt(sum(_sigma(sites[name], noisy_margins.COUNTS) ** 2 for name in known))
    cells = shared_cells(
        domain, fine=min(tree.fine, FINE), bins=tree.bins, sigma=max(pairs, columns), enough=ENOUGH
    )
    one_way = one_way_of(domain.margins, cells, domain.rows, columns / math.sqrt(noisy_margins.ROUNDS))
    weights = evened({name: each.rows for name, each in known.items()}, cohort.terms.most_rows)
    return tree.learn_from(FederatedTables(cells, one_way, domain.rows, cohort, weights, known))


@final
@dataclass(frozen=True, eq=False)
class FederatedTables(Tables):
    """Tables that sites count and a server adds up.

    `weights` has the rows that every site counts for, `known` what its tables must agree with. Counts are
    added up, so here sites always weigh by their rows, whatever terms say of updates.
    """

    told: ClassVar[bool] = True
    cells: dict[str, Cells]
    one_way: tuple[Measured, ...]
    rows: float
    cohort: Cohort
    weights: Mapping[str, float]
    known: Mapping[str, Expected]

    def measure(self, read: str, cliques: Sequence[Clique], sigma: float | None = None) -> list[Measured]:  # noqa: ARG002 - sites planned both
        """Ask every site for its tables and add them up; for sites that are gone, the others stand in."""
        facts = {"terms": self.cohort.terms.hash, "cliques": [list(of) for of in cliques]}
        shapes = [shape_of(of, self.sizes) for of in cliques]
        found = self.cohort.answers(
            Message("measure", facts, cells_in(self.cells)),
            lambda name, answer: read_tables(answer, shapes, self.known[name]),
        )
        self.cohort.enough(found, "measuring pairs")
        all_rows, rows = sum(self.weights.values()), sum(self.weights[name] for name in found)
        # A site that told more rows than it may count for has its tables made smaller, and their noise.
        scales = {n: all_rows / rows * self.weights[n] / self.known[n].rows for n in sorted(found)}
        noise = math.sqrt(sum((scale * self.known[name].sigma) ** 2 for name, scale in scales.items()))
        return [
            Measured(of, sum((scales[n] * found[n][k] for n in scales), np.zeros(shape)), max(noise, 1.0))
            for k, (of, shape) in enumerate(zip(cliques, shapes, strict=True))
        ]

    def span(self, read: str, candidates: Sequence[Candidate]) -> list[int]:  # noqa: ARG002 - sites planned it
        """Tie the pairs that most rows stand for, by the trees that sites chose."""
        places = {each.of: place for place, each in enumerate(candidates)}
        message = Message("span", {"terms": self.cohort.terms.hash}, cells_in(self.cells))
        found = self.cohort.answers(message, lambda _, answer: _pairs(answer, places, len(self.sizes)))
        self.cohort.narrow(found, message.kind, "voting for pairs")
        votes = np.zeros(len(candidates))
        for name in sorted(found):
            for rank, place in enumerate(found[name]):
                # What a site chose early weighs more: ties among equals go to what matters most.
                votes[place] += self.weights[name] * (2 - rank / len(self.sizes))
        pairs = [(each.of[0], each.of[1]) for each in candidates]
        return kruskal(pairs, len(self.sizes), lambda at: votes[at])

    def relate(self, read: str, pairs: Sequence[Clique], noise: float) -> list[Measured]:  # noqa: ARG002 - refused
        """Refuse: only trees federate."""
        _refuse()

    def choose(self, read: str, candidates: Sequence[Candidate], epsilon: float | None = None) -> int:  # noqa: ARG002 - refused
        """Refuse: only trees federate."""
        _refuse()

    def best(self, read: str, candidates: Sequence[Candidate], many: int, epsilon: float) -> list[int]:  # noqa: ARG002 - refused
        """Refuse: only trees federate."""
        _refuse()

    def apart(self, read: str, candidates: Sequence[Candidate]) -> Floats:  # noqa: ARG002 - refused
        """Refuse: only trees federate."""
        _refuse()


def _refuse() -> NoReturn:
    raise ParameterError("federation: of the methods of marginals, mst federates.")


def _sigma(certificate: Certificate, read: str) -> float:
    """Return the deviation of a count at one site, as its certificate says; 0 in the open."""
    found = [entry.event for entry in certificate.entries if entry.name == read]
    return found[-1].sigma if found and isinstance(found[-1], DiscreteGaussian) else 0.0


def _known(
    tree: TreeFit, cohort: Cohort, told: Mapping[str, Domain], sites: Mapping[str, Certificate]
) -> dict[str, Expected]:
    """Return what is known of each site's counts; sites with far more noise than the others are left out.

    Added up, such noise would drown the counts of all; and a site states its noise itself.
    """
    reads = (tree.measure, noisy_margins.COUNTS)
    noise = {name: max(_sigma(sites[name], read) for read in reads) for name in sorted(told)}
    most = MOST_MEDIANS * median_low(noise.values())
    for name in (name for name in noise if noise[name] > most):
        why = f"its noise is over {MOST_MEDIANS:g} times that of the site in the middle; raise its budget."
        cohort.problems.append(Problem(name, "margins", f"federation: {why}"))
    kept = [name for name in noise if noise[name] <= most]
    cohort.names = tuple(kept)
    cohort.enough(dict.fromkeys(kept), "counting pairs")
    return {
        name: Expected(told[name].rows, _sigma(sites[name], tree.measure), _doubt(told[name], sites[name]))
        for name in kept
    }


def _doubt(told: Domain, certificate: Certificate) -> float:
    """Return the deviation of the rows that a site told: at most that of the sum of its smallest table.

    A site counts its rows from tables of single columns, of which a margin has no fewer knots than cells.
    """
    cells = min(len(margin.upper) + 1 for margin in told.margins.values())
    return _sigma(certificate, noisy_margins.COUNTS) * math.sqrt(cells)


def _pairs(answer: Message, places: Mapping[Clique, int], columns: int) -> list[int]:
    pairs = answer.fact("pairs", list)
    good = all(isinstance(pair, list) and all(type(place) is int for place in pair) for pair in pairs)
    good = good and all(tuple(pair) in places for pair in pairs)
    found = [places[tuple(pair)] for pair in pairs] if good else []
    if not good or len(found) != columns - 1 or len(set(found)) != len(found):
        raise InputError("pairs: a site must name as many as tie all columns together, each once.")
    return found
