"""PrivSyn: as many pairs as the budget can bear, and rows changed until they fit all (Zhang et al. 2021).

1. The table of every column.
2. How far every pair is from independence, all at once; the pairs whose measuring errs less than leaving
   them out (DenseMarg). Small ones that form a triangle become one table.
3. The tables of these, the larger ones with a larger part of the price.
4. Tables are made to agree with each other, without negative counts.
5. Rows that begin as independent are copied and changed until they fit all tables (GUM); then attribute by
   attribute, wherever that brings all tables together closer, which is not in the paper.

Guarantee, with a budget: tables come from `CountTables`, scores from `Dependences`. Scores are planned
noise; which tables are read, and how the price of all is split among them, follows from what was released,
and the ledger's filter refuses a table that would pass that price (see privacy/allowance.py). What is
expected of independent columns follows from released tables: a row then moves a score by 1, not by 4 as in
the paper. The rest is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.marginals.cliques import Clique, cells
from understudy.engines.marginals.consistency import consistent
from understudy.engines.marginals.dense_marg import burden, dense_marg, join_triples, split_price
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.gum import Pace, gum, independent_rows
from understudy.engines.marginals.settle import settle
from understudy.model import noisy_margins
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.recipe import Recipe
from understudy.model.rows_sampler import RowsSampler
from understudy.model.sampler import Sampler
from understudy.model.tables import Candidate, Tables
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event, GaussianDP
from understudy.privacy.gdp import sigma_of_counts
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["PrivSyn"]

SCORES, PAIRS = "privsyn.scores", "privsyn.pairs"
LARGEST = 1_000_000  # cells of a pair: a larger one is left out, whatever it would say


@final
@dataclass(frozen=True)
class PrivSyn(Recipe):
    """All pairs that are worth their noise, and rows that fit them together (PrivSyn): for many relations."""

    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    pairs: int = check.integer(1_000, low=0, high=1_000_000)
    rounds: int = check.integer(20, low=0, high=100_000)
    sweeps: int = check.integer(6, low=0, high=100_000)
    most_rows: int = check.integer(100_000, low=1, high=100_000_000)
    margins_share: float = check.number(0.35, low=0.01, high=0.98)
    scores_share: float = check.number(0.1, low=0.01, high=0.98)
    sampler: ClassVar[type[Sampler]] = RowsSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> RowsSampler:
        """The same on exact tables, of all pairs."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins)
        tables.foresee(progress, self.rounds)
        return self._learn(tables, math.inf, rng)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, for scores of pairs, and for tables of any noise in one price."""
        names = tuple(column.name for column in modelled(schema))
        wanted = list(noisy_margins.asks(schema, share=self.margins_share))
        if len(names) > 1 and self.pairs:
            told, scores = "how far pairs are from independence", math.comb(len(names), 2)
            wanted.append(Ask(SCORES, told, "select", "sums", self.scores_share, scores, columns=names))
            rest = max(1 - self.margins_share - self.scores_share, 0.01)
            told = "rows in every cell of the chosen sets of columns"
            wanted.append(Ask(PAIRS, told, "measure", "adaptive", rest, columns=names))
        return tuple(wanted)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> RowsSampler:
        """The same through mechanisms. `fine` has no part in it: quantities are cut by noisy counts."""
        price = events.get(PAIRS)
        rho = price.mu**2 / 2 if isinstance(price, GaussianDP) else math.inf
        # That of a table which is one of as many as there are columns.
        noise = math.sqrt(len(modelled(schema)) / (2 * rho))
        tables = noisy_tables(vault, schema, events, bins=self.bins, pair_noise=noise)
        tables.foresee(progress, self.rounds)
        return self._learn(tables, rho, rng)

    def _learn(self, tables: Tables, rho: float, rng: np.random.Generator) -> RowsSampler:
        chosen = _chosen(tables, rho, self.pairs)
        measured = consistent([*tables.one_way, *_measured(tables, chosen, rho)], tables.rows)
        one_way, larger = measured[: len(tables.sizes)], measured[len(tables.sizes) :]
        rows = max(1, min(round(tables.rows), self.most_rows))
        start = independent_rows([each.table for each in one_way], rows, rng)
        held = {attribute for each in larger for attribute in each.of}
        alone = [each for each in one_way if each.of[0] not in held]
        return RowsSampler.of(tables, self._fitted(start, [*larger, *alone], tables.sizes, rng))

    def _fitted(
        self,
        start: npt.NDArray[np.int32],
        wanted: list[Measured],
        sizes: tuple[int, ...],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int32]:
        copied = gum(start, wanted, sizes, rng, Pace(self.rounds))
        return settle(copied, wanted, sizes, rng, self.sweeps)


def _chosen(tables: Tables, rho: float, most: int) -> list[Clique]:
    """Return the pairs to measure, and triples of small columns that are measured in their place."""
    sizes, single = tables.sizes, [np.maximum(each.table, 0.0) for each in tables.one_way]
    candidates = [
        Candidate((first, second), np.outer(single[first], single[second]) / tables.rows)
        for first, second in combinations(range(len(sizes)), 2)
        if cells((first, second), sizes) <= LARGEST
    ]
    if not candidates or not most:
        return []
    burdens = [burden(each.of, sizes) for each in candidates]
    chosen = dense_marg(tables.apart(SCORES, candidates), burdens, rho, most)
    pairs = [candidates[place].of for place in chosen]
    return join_triples(pairs, sizes) if math.isfinite(rho) else pairs


def _measured(tables: Tables, chosen: list[Clique], rho: float) -> list[Measured]:
    if not chosen:
        return []
    if not math.isfinite(rho):
        return tables.measure(PAIRS, chosen)
    # A hair below the whole: many small prices are added up by the filter.
    prices = split_price([burden(of, tables.sizes) for of in chosen], rho * (1 - 1e-9))
    return [
        tables.measure(PAIRS, [of], sigma_of_counts(math.sqrt(2 * price)))[0]
        for of, price in zip(chosen, prices, strict=True)
    ]
