"""A Bayesian network: every column given a few others, grown from the column that says most by itself.

1. The table of every column.
2. Columns join one by one, each with the parents that tell most of it: one parent gives the tree of Chow and
   Liu (1968), more are taken where they are worth their cells.
3. The table of every column and its parents.
4. Rows drawn from the network, parents before children; conditions reach all columns.

Without a budget, worth is mutual information beyond what chance would show; with one, distance from
independence less the noise of the table. Columns are cut into bins: values are not copied.

Guarantee, with a budget: every table comes from `CountTables`, every choice from `ChooseInEach`;
all are planned and paid for before the first is read. How quantities are cut and what is expected of
a family when choosing follows from released tables. The rest is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.engines.marginals.structure import ByInformation, Limits, grow
from understudy.model import network_fit
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.network_fit import Reads
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["BayesianNetwork"]

CHOOSE, FAMILIES = "bayesian_network.choose", "bayesian_network.families"
PER_CELL = 4  # rows that a cell of two quantities holds on average, at least


@final
@dataclass(frozen=True)
class BayesianNetwork(Recipe):
    """A Bayesian network of binned columns: a Chow-Liu tree, or more parents where they pay."""

    parents: int = check.integer(1, low=1, high=4)
    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    cells: int = check.integer(50_000, low=4, high=10_000_000)
    smoothing: float = check.number(0.1, low=1e-6, high=1_000.0)
    steps: int = check.integer(500, low=1, high=1_000_000)
    margins_share: float = check.number(0.35, low=0.01, high=0.98)
    choose_share: float = check.number(0.15, low=0.01, high=0.98)
    sampler: ClassVar[type[Sampler]] = TreeSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> TreeSampler:
        """Count, choose by information and count again, on rows that lie open."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins, per_cell=PER_CELL)
        tables.foresee(progress, self.steps)
        if not tables.one_way:
            return network_fit.fit_nothing(tables)
        chosen = ByInformation(tables.codes, tables.sizes)
        network = grow(tables.sizes, network_fit.entropic_root(tables), self._limits(), chosen, rng)
        measured = tables.measure(FAMILIES, [each.of for each in network.families[1:]])
        return network_fit.fit_network(tables, network, measured, smoothing=self.smoothing, steps=self.steps)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, for choices of parents, and for the tables of families."""
        return network_fit.asks(schema, (CHOOSE, FAMILIES), self.margins_share, self.choose_share)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> TreeSampler:
        """Choose by distance from independence. `fine` has no part in it: quantities are cut by counts."""
        reads = Reads.planned(CHOOSE, FAMILIES, events)
        tables = noisy_tables(vault, schema, events, bins=self.bins, pair_noise=reads.sigma)
        tables.foresee(progress, self.steps)
        if not tables.one_way:
            return network_fit.fit_nothing(tables)
        root = network_fit.entropic_root(tables)
        network, measured = network_fit.grow_by_errors(
            tables, reads, self._limits(), rng, root=root, penalised=True
        )
        return network_fit.fit_network(tables, network, measured, smoothing=self.smoothing, steps=self.steps)

    def _limits(self) -> Limits:
        return Limits(self.parents, self.cells)
