"""AIM: measure what the model gets most wrong, again and again, as finely as that pays (McKenna et al. 2022).

1. The table of every column, and the model of these.
2. Round by round: of all pairs that the model could take in within its size, choose the one it is farthest
   from, beyond what noise alone would show; measure it; estimate anew.
3. When a round taught less than its noise, the next ones take a quarter of the noise variance.
4. The rest of the budget goes into the last round.

Guarantee, with a budget: tables come from `CountTables`, choices from `ChooseInEach`. How large their noise
is, and how many rounds there are, follows from what was released; the ledger's filter refuses a round that
would pass the price that was reserved (see privacy/allowance.py). The rest is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.engines.marginals.cliques import Clique, cells
from understudy.engines.marginals.estimate import TreeModel, estimate
from understudy.engines.marginals.junction import tree_cells
from understudy.engines.marginals.pairs import all_pairs
from understudy.model import noisy_margins
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.tables import Candidate, Tables
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Concentrated, Event
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["AIM"]

ROUNDS = "aim.rounds"
BYTES = 8  # of a cell
CLOSE = 0.01  # of the rows misplaced in the worst pair: exact tables are measured until then
CHOICE = 0.1  # of a round's price is for the choice, the rest for the table


@final
@dataclass(frozen=True)
class AIM(Recipe):
    """Rounds of measuring the pair that the model gets most wrong (AIM): the most accurate with a budget."""

    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    megabytes: float = check.number(80.0, low=0.01, high=100_000.0)
    rounds: int = check.integer(16, low=1, high=1_000)
    steps: int = check.integer(100, low=1, high=1_000_000)
    final_steps: int = check.integer(1_000, low=1, high=1_000_000)
    margins_share: float = check.number(0.3, low=0.01, high=0.99)
    sampler: ClassVar[type[Sampler]] = TreeSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> TreeSampler:
        """The same rounds on exact tables, until the model has reached its size."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins)
        return TreeSampler.of(tables, self._rounds(tables, math.inf))

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, and for rounds whose noise is chosen as they go."""
        names = tuple(column.name for column in modelled(schema))
        wanted = list(noisy_margins.asks(schema, share=self.margins_share))
        if len(names) > 1:
            what = "rounds: which pair the model gets most wrong, and rows in every cell of it"
            share = 1 - self.margins_share
            wanted.append(Ask(ROUNDS, what, "measure", "adaptive", share, columns=names))
        return tuple(wanted)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> TreeSampler:
        """The rounds through mechanisms. `fine` has no part in it: quantities are cut by noisy medians."""
        price = events.get(ROUNDS)
        rho = price.rho if isinstance(price, Concentrated) else 0.0
        pairs = max(len(modelled(schema)) - 1, 1)
        # As few cells as a table needs that is measured in one of as many rounds as there are columns.
        least = 3.0 * math.sqrt(pairs / (2 * rho)) if rho else 0.0
        tables = noisy_tables(vault, schema, events, bins=self.bins, least=least)
        return TreeSampler.of(tables, self._rounds(tables, rho))

    def _rounds(self, tables: Tables, rho: float) -> TreeModel:
        sizes, total, measured = tables.sizes, tables.rows, list(tables.one_way)
        model = estimate(measured, sizes, total=total, steps=self.final_steps)
        pace = _Pace.begin(rho, self.rounds * len(sizes))
        while pace is not None:
            room = self.megabytes * 1e6 / BYTES * pace.used
            open_pairs = _fitting([each.of for each in measured], sizes, room)
            if not open_pairs:
                break
            chosen, expected = _worst(tables, model, open_pairs, pace)
            measured += tables.measure(ROUNDS, [chosen], pace.sigma)
            if not math.isfinite(rho) and np.abs(measured[-1].table - expected).sum() < CLOSE * total:
                break
            model = estimate(measured, sizes, total=total, steps=self.steps, start=model)
            noise = math.sqrt(2 / math.pi) * pace.sigma * cells(chosen, sizes)
            pace = pace.next(learned=float(np.abs(model.marginal(chosen) - expected).sum()) > noise)
        return estimate(measured, sizes, total=total, steps=self.final_steps, start=model)


@final
@dataclass(frozen=True)
class _Pace:
    """How fine the present round is, and what is left. Without a price, rounds go on while pairs fit."""

    rho: float
    left: float
    sigma: float
    epsilon: float

    @classmethod
    def begin(cls, rho: float, rounds: int) -> _Pace | None:
        """Plan so many equal rounds; most runs take fewer, finer ones."""
        if not math.isfinite(rho):
            return cls(rho, rho, 1.0, 1.0)
        return cls(rho, rho, *_noise(rho / rounds)) if rho > 0 else None

    @property
    def used(self) -> float:
        """The share of the price that this round will have used up."""
        return 1.0 if not math.isfinite(self.rho) else 1 - (self.left - self.price) / self.rho

    @property
    def price(self) -> float:
        """What a round costs, in rho."""
        return 0.5 / self.sigma**2 + self.epsilon**2 / 8

    def next(self, *, learned: bool) -> _Pace | None:
        """Return the next round: finer if this one taught nothing; the last takes all that is left."""
        if not math.isfinite(self.rho):
            return self
        left = self.left - self.price
        if left <= 1e-9 * self.rho:
            return None
        finer = 1 if learned else 4
        after = _Pace(self.rho, left, *_noise(min(finer * self.price, left)))
        return after if left >= 2 * after.price else _Pace(self.rho, left, *_noise(left * (1 - 1e-12)))


def _noise(price: float) -> tuple[float, float]:
    """Return the deviation of a table and the epsilon of a choice that cost so much together."""
    return math.sqrt(0.5 / ((1 - CHOICE) * price)), math.sqrt(8 * CHOICE * price)


def _fitting(taken: list[Clique], sizes: tuple[int, ...], room: float) -> list[Clique]:
    """Return the pairs that the model holds already, or that would not make it larger than its room."""
    pairs = combinations(range(len(sizes)), 2)
    return [pair for pair in pairs if pair not in taken and tree_cells([*taken, pair], sizes) <= room]


def _worst(tables: Tables, model: TreeModel, pairs: list[Clique], pace: _Pace) -> tuple[Clique, np.ndarray]:
    expected = all_pairs(model)
    spread = math.sqrt(2 / math.pi) * pace.sigma
    candidates = [
        Candidate(pair, expected[pair], penalty=spread * cells(pair, model.sizes)) for pair in pairs
    ]
    chosen = candidates[tables.choose(ROUNDS, candidates, pace.epsilon)].of
    return chosen, expected[chosen]
