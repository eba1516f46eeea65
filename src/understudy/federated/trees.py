"""A tree of marginals over sites: each tells which pairs it would tie, and noisy tables of the agreed ones.

The server adds the tables up and estimates, as MST does from one table (`model/tree_fit.py`). Which pairs are
tied is voted on: every site chooses a tree of its own by `ChooseTree`, and the pairs that most rows stand for
are tied, none closing a circle. All of it is post-processing of what sites told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, final

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, shape_of
from understudy.engines.marginals.estimate import Measured
from understudy.errors import InputError, ParameterError
from understudy.federated.cohort import Cohort
from understudy.federated.domain import Domain
from understudy.federated.message import Message
from understudy.federated.shared_cells import one_way_of, shared_cells
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
    noise = {name: _sigma(sites[name], tree.measure) for name in told}
    pairs = math.sqrt(sum(sigma**2 for sigma in noise.values()))
    columns = math.sqrt(sum(_sigma(sites[name], noisy_margins.COUNTS) ** 2 for name in told))
    cells = shared_cells(
        domain, fine=min(tree.fine, FINE), bins=tree.bins, sigma=max(pairs, columns), enough=ENOUGH
    )
    one_way = one_way_of(domain.margins, cells, domain.rows, columns / math.sqrt(noisy_margins.ROUNDS))
    weights = {name: each.rows for name, each in told.items()}
    return tree.learn_from(FederatedTables(cells, one_way, domain.rows, cohort, weights, noise))


@final
@dataclass(frozen=True, eq=False)
class FederatedTables(Tables):
    """Tables that sites count and a server adds up; `weights` has the rows of every site, as told."""

    told: ClassVar[bool] = True
    cells: dict[str, Cells]
    one_way: tuple[Measured, ...]
    rows: float
    cohort: Cohort
    weights: Mapping[str, float]
    noise: Mapping[str, float]

    def measure(self, read: str, cliques: Sequence[Clique], sigma: float | None = None) -> list[Measured]:  # noqa: ARG002 - sites planned both
        """Ask every site for its tables and add them up; for sites that are gone, the others stand in."""
        facts = {"terms": self.cohort.terms.hash, "cliques": [list(of) for of in cliques]}
        shapes = [shape_of(of, self.sizes) for of in cliques]
        found = self.cohort.answers(
            Message("measure", facts, cells_in(self.cells)), lambda _, answer: _tables(answer, shapes)
        )
        self.cohort.enough(found, "measuring pairs")
        all_rows, rows = sum(self.weights.values()), sum(self.weights[name] for name in found)
        scale = all_rows / max(rows, 1e-9)
        noise = scale * math.sqrt(sum(self.noise[name] ** 2 for name in found))
        return [
            Measured(of, scale * sum((found[n][k] for n in sorted(found)), np.zeros(shape)), max(noise, 1.0))
            for k, (of, shape) in enumerate(zip(cliques, shapes, strict=True))
        ]

    def span(self, read: str, candidates: Sequence[Candidate]) -> list[int]:  # noqa: ARG002 - sites planned it
        """Tie the pairs that most rows stand for, by the trees that sites chose."""
        places = {each.of: place for place, each in enumerate(candidates)}
        message = Message("span", {"terms": self.cohort.terms.hash}, cells_in(self.cells))
        found = self.cohort.answers(message, lambda _, answer: _pairs(answer, places, len(self.sizes)))
        self.cohort.enough(found, "voting for pairs")
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


def _tables(answer: Message, shapes: Sequence[tuple[int, ...]]) -> list[npt.NDArray[Any]]:
    found = [answer.arrays.get(str(place)) for place in range(len(shapes))]
    good = len(answer.arrays) == len(shapes)
    for table, shape in zip(found, shapes, strict=True):
        good = good and table is not None and table.dtype == np.float64 and table.shape == shape
        good = good and bool(np.isfinite(table).all()) if table is not None else False
    if not good:
        raise InputError("tables: they must be finite counts of the cells that were asked for.")
    return [table for table in found if table is not None]


def _pairs(answer: Message, places: Mapping[Clique, int], columns: int) -> list[int]:
    pairs = answer.fact("pairs", list)
    good = all(isinstance(pair, list) and tuple(pair) in places for pair in pairs)
    found = [places[tuple(pair)] for pair in pairs] if good else []
    if not good or len(found) != columns - 1 or len(set(found)) != len(found):
        raise InputError("pairs: a site must name as many as tie all columns together, each once.")
    return found
