"""PrivBayes: a Bayesian network whose families are chosen and measured with noise (Zhang et al. 2017).

1. The table of every column. One column, at random, is the root.
2. Columns join one by one: of all columns left and all sets of parents as large as can be, the pair farthest
   from independence. How large they can be is said by theta-usefulness: the average count of a table is at
   least `theta` times its noise.
3. Each chosen table is measured at once.
4. The distribution that comes closest to all tables; rows drawn from it, parents before children.

What differs from the paper, for the better: counts have discrete Gaussian noise, choices a score of smaller
sensitivity that needs no public number of rows (`model/network_fit.py`), and the tables are brought to agree
with each other instead of each being used where it stands. That takes much of the noise back, so a theta of 1
does better than the paper's 4.

Guarantee, with a budget: every table comes from `CountTables`, every choice from `ChooseInEach`;
all are planned and paid for before the first is read. The root is drawn without a look at the rows; how
quantities are cut, what is expected of a family and which tables are useful follow from released tables.
The rest is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.engines.marginals.structure import Limits, useful_cells
from understudy.model import network_fit
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.network_fit import Reads
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.tables import Tables
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

__all__ = ["PrivBayes"]

CHOOSE, FAMILIES = "privbayes.choose", "privbayes.families"
PER_CELL = 4  # rows that a cell of two quantities holds on average, at least


@final
@dataclass(frozen=True)
class PrivBayes(Recipe):
    """A Bayesian network with as many parents as the noise allows, chosen and measured (PrivBayes)."""

    parents: int = check.integer(3, low=1, high=4)
    theta: float = check.number(1.0, low=0.01, high=1e6)
    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    cells: int = check.integer(50_000, low=4, high=10_000_000)
    smoothing: float = check.number(0.1, low=1e-6, high=1_000.0)
    steps: int = check.integer(500, low=1, high=1_000_000)
    margins_share: float = check.number(0.3, low=0.01, high=0.98)
    choose_share: float = check.number(0.35, low=0.01, high=0.98)
    sampler: ClassVar[type[Sampler]] = TreeSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> TreeSampler:
        """Choose and measure on exact tables; a count is taken to be uncertain by one row."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins, per_cell=PER_CELL)
        tables.foresee(progress, self.steps)
        return self._learn(tables, Reads(CHOOSE, FAMILIES, 1.0), rng)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, for choices of families, and for their tables."""
        return network_fit.asks(schema, (CHOOSE, FAMILIES), self.margins_share, self.choose_share)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> TreeSampler:
        """The same through mechanisms. `fine` has no part in it: quantities are cut by noisy counts."""
        reads = Reads.planned(CHOOSE, FAMILIES, events)
        tables = noisy_tables(vault, schema, events, bins=self.bins, pair_noise=reads.sigma)
        tables.foresee(progress, self.steps)
        return self._learn(tables, reads, rng)

    def _learn(self, tables: Tables, reads: Reads, rng: np.random.Generator) -> TreeSampler:
        if not tables.one_way:
            return network_fit.fit_nothing(tables)
        most = min(float(self.cells), useful_cells(tables.rows, reads.sigma, self.theta))
        limits = Limits(self.parents, most, maximal=True)
        root = int(rng.integers(len(tables.sizes)))
        network, measured = network_fit.grow_by_errors(tables, reads, limits, rng, root=root, penalised=False)
        return network_fit.fit_network(tables, network, measured, smoothing=self.smoothing, steps=self.steps)
