"""A tree of the pairs that say most, each measured once: MST (McKenna, Miklau, Sheldon 2021).

1. The table of every column.
2. Pairs chosen one by one, each the farthest from independence among those that close no circle.
3. The tables of these pairs.
4. The distribution on the tree that comes closest to all tables; rows drawn from it, root to leaves.

Guarantee, with a budget: every table comes from `CountTables`, all choices from `ChooseTree`;
all are planned and paid for before the first is read. How quantities are cut and what is expected of
a pair when choosing follows from released tables. The rest is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from understudy.engines.marginals.cliques import Clique
from understudy.engines.marginals.estimate import Measured, TreeModel, estimate
from understudy.engines.marginals.network import network_model, network_of_tree
from understudy.model import noisy_margins
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.tables import Candidate, Tables
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import DiscreteGaussian, Event
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["TreeFit", "spanning_tree"]

SMOOTHING = 1e-6  # rows, where a column was never seen beside another's value


@final
@dataclass(frozen=True)
class TreeFit:
    """How a tree is learned, under the names that its two reads have in a ledger.

    Quantities are cut into `fine` bins in the open, and merged into `bins` at most; an estimate from noisy
    tables takes so many `steps`. Of the budget, columns and choices get their shares, and pairs the rest.
    """

    choose: str
    measure: str
    bins: int = 32
    fine: int = 200
    steps: int = 500
    margins_share: float = 0.35
    choose_share: float = 0.15

    def learn(self, vault: Vault, schema: Schema, progress: Progress) -> TreeSampler:
        """Count and choose on exact tables; they need no `steps`, as a tree of them has a closed form."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins)
        tables.foresee(progress, self.steps)
        return self.learn_from(tables)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, for choices of pairs, and for the tables of pairs."""
        names = tuple(column.name for column in modelled(schema))
        wanted = list(noisy_margins.asks(schema, share=self.margins_share))
        if len(names) > 1:
            pairs = len(names) - 1
            rest = max(1 - self.margins_share - self.choose_share, 0.01)
            told, counted = "which pair is farthest from independence", "rows in every cell of pairs"
            wanted += [
                Ask(self.choose, told, "select", "selections", self.choose_share, pairs, columns=names),
                Ask(self.measure, counted, "measure", "counts", rest, pairs, columns=names),
            ]
        return tuple(wanted)

    def learn_privately(
        self, vault: Vault, schema: Schema, events: dict[str, Event], progress: Progress
    ) -> TreeSampler:
        """The same through mechanisms. `fine` has no part in it: quantities are cut by noisy counts."""
        noise = events.get(self.measure)
        sigma = noise.sigma if isinstance(noise, DiscreteGaussian) else 0.0
        tables = noisy_tables(vault, schema, events, bins=self.bins, pair_noise=sigma)
        tables.foresee(progress, self.steps)
        return self.learn_from(tables)

    def learn_from(self, tables: Tables) -> TreeSampler:
        """Choose pairs, measure them, and estimate: wherever the tables come from."""
        pairs = spanning_tree(tables, self.choose)
        measured = tables.measure(self.measure, pairs) if pairs else []
        if tables.told:
            found = [*tables.one_way, *measured]
            model = estimate(found, tables.sizes, total=tables.rows, steps=self.steps)
        else:
            model = _exactly(tables, measured)
        return TreeSampler.of(tables, model)


def _exactly(tables: Tables, measured: Sequence[Measured]) -> TreeModel:
    """Return the model of exact tables: on a tree, each column given the one before it is all there is."""
    network = network_of_tree([each.of for each in measured], len(tables.sizes))
    found = {each.of: each.table for each in (*tables.one_way, *measured)}
    counts = [found[family.of] for family in network.families]
    return network_model(network, counts, tables.sizes, total=tables.rows, smoothing=SMOOTHING)


def spanning_tree(tables: Tables, read: str) -> list[Clique]:
    """Return pairs that tie all columns together, the most dependent first."""
    single = [np.maximum(each.table, 0.0) for each in tables.one_way]
    if len(single) < 2:
        return []
    candidates = [
        Candidate((first, second), np.outer(single[first], single[second]) / tables.rows)
        for first, second in combinations(range(len(single)), 2)
    ]
    return [candidates[place].of for place in tables.span(read, candidates)]
