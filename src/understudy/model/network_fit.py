"""A Bayesian network learned from tables: families chosen and measured one by one, then estimated together.

What is expected of a family is that its child does not depend on its parents: share of the child times the
table of the parents, both already released (parents that are tied together lie in one family that was
measured). The score of a candidate is the sum of |counts - expected|, of which one row moves one cell by 1: a
sensitivity of 1 (`TableErrors`). The R score of PrivBayes takes its product of margins from the private rows:
2 n R, the same sum, moves by up to 6 + 4 / n when a row is replaced (Zhang et al. 2017), ours by 2. A choice
of the same epsilon sees differences three times as large, and the number of rows need not be public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique, Floats, cells, clique, lined_up, summed
from understudy.engines.marginals.estimate import Measured, estimate
from understudy.engines.marginals.network import Family, Network, network_model
from understudy.engines.marginals.structure import Limits, grow, part_of
from understudy.model import noisy_margins
from understudy.model.tables import Candidate, Tables
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask
from understudy.privacy.events import DiscreteGaussian, Event
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["Reads", "asks", "entropic_root", "fit_network", "fit_nothing", "grow_by_errors"]

LEFT = 0.3  # of a table's noise stays in the estimate: no count is negative, and other tables overlap


@final
@dataclass(frozen=True)
class Reads:
    """The names of the planned reads, and the noise of the tables."""

    choose: str
    measure: str
    sigma: float

    @classmethod
    def planned(cls, choose: str, measure: str, events: dict[str, Event]) -> Reads:
        """Return the reads of a plan; one column has no families, so no noise either."""
        price = events.get(measure)
        return cls(choose, measure, price.sigma if isinstance(price, DiscreteGaussian) else 1.0)


def asks(
    schema: Schema, reads: tuple[str, str], margins_share: float, choose_share: float
) -> tuple[Ask, ...]:
    """Ask for the tables of columns, for the choice of every family but the root, and for their tables."""
    names = tuple(column.name for column in modelled(schema))
    wanted = list(noisy_margins.asks(schema, share=margins_share))
    if len(names) > 1:
        families, rest = len(names) - 1, max(1 - margins_share - choose_share, 0.01)
        told = "which column and parents are farthest from independence"
        counted = "rows in every cell of a column and its parents"
        wanted.append(Ask(reads[0], told, "select", "selections", choose_share, families, columns=names))
        wanted.append(Ask(reads[1], counted, "measure", "counts", rest, families, columns=names))
    return tuple(wanted)


@final
class _Measuring:
    """Chooses the family farthest from independence and measures its table at once."""

    def __init__(self, tables: Tables, reads: Reads, *, penalised: bool) -> None:
        self._tables, self._reads, self._penalised = tables, reads, penalised
        self.measured: list[Measured] = []

    def __call__(self, families: Sequence[Family]) -> int:
        parts = part_of(each.of for each in self.measured)
        parents = {of: self._of_parents(of, parts) for of in {each.parents for each in families}}
        candidates = [self._candidate(each, parents[each.parents]) for each in families]
        place = self._tables.choose(self._reads.choose, candidates)
        self.measured += self._tables.measure(self._reads.measure, [families[place].of])
        return place

    def _candidate(self, family: Family, parents: Floats) -> Candidate:
        of = family.of
        own = np.maximum(self._tables.one_way[family.child].table, 0.0)
        share = lined_up(own / max(float(own.sum()), 1e-300), (family.child,), of)
        expected = share * lined_up(parents, family.parents, of)
        noise = LEFT * math.sqrt(2 / math.pi) * self._reads.sigma * cells(of, self._tables.sizes)
        return Candidate(of, expected, penalty=noise if self._penalised else 0.0)

    def _of_parents(self, parents: Clique, parts: dict[int, int]) -> Floats:
        """Return about how many rows there are in each cell of the parents, as far as it was released."""
        rows = self._tables.rows
        found = np.full((1,) * len(parents), rows)
        for part in {parts.get(attribute, attribute) for attribute in parents}:
            of = clique(a for a in parents if parts.get(a, a) == part)
            found = found * lined_up(self._released(of) / rows, of, parents)
        return found

    def _released(self, of: Clique) -> Floats:
        """Return what the tables say of columns that are one column or lie in one of the families."""
        holding = [each for each in self.measured if set(of) <= set(each.of)] if len(of) > 1 else []
        if not holding:
            return np.maximum(self._tables.one_way[of[0]].table, 0.0)
        table = np.maximum(np.mean([summed(each.table, each.of, of) for each in holding], axis=0), 0.0)
        return np.asarray(table * (self._tables.rows / max(float(table.sum()), 1e-300)))


def entropic_root(tables: Tables) -> int:
    """Return the column that says most by itself, by its released table."""
    found = []
    for each in tables.one_way:
        shares = np.maximum(each.table, 0.0)
        shares = shares[shares > 0] / max(float(shares.sum()), 1e-300)
        found.append(float(-(shares @ np.log(shares))))
    return int(np.argmax(found))


def grow_by_errors(
    tables: Tables, reads: Reads, limits: Limits, rng: np.random.Generator, *, root: int, penalised: bool
) -> tuple[Network, list[Measured]]:
    """Return a network and the table of every family but the root's.

    If `penalised`, a candidate's score is less by the error that the noise of its own table will bring
    (McKenna et al. 2022): more parents must be worth their cells.
    """
    measuring = _Measuring(tables, reads, penalised=penalised)
    network = grow(tables.sizes, root, limits, measuring, rng)
    return network, measuring.measured


def fit_nothing(tables: Tables) -> TreeSampler:
    """Return the sampler of a table without a column to model."""
    return TreeSampler.of(tables, estimate([], tables.sizes, total=tables.rows))


def fit_network(
    tables: Tables, network: Network, measured: Sequence[Measured], *, smoothing: float, steps: int
) -> TreeSampler:
    """Return the sampler of a network whose tables are given, its root's first table left out.

    Exact tables agree with each other, and the network says all there is. Noisy ones do not: from the
    network, so many steps lead towards the distribution that comes closest to all of them.
    """
    root = tables.one_way[network.families[0].child]
    counts = [root.table, *(each.table for each in measured)]
    model = network_model(network, counts, tables.sizes, total=tables.rows, smoothing=smoothing)
    if tables.told:
        found = [*tables.one_way, *measured]
        model = estimate(found, tables.sizes, total=tables.rows, steps=steps, start=model)
    return TreeSampler.of(tables, model)
