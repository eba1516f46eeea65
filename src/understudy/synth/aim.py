"""AIM: measure what the model gets most wrong, again and again, as finely as that pays (McKenna et al. 2022).

1. The table of every column, and the model of these.
2. Round by round: of all pairs that the model could take in within its size, choose those it is farthest
   from, beyond what noise alone would show; measure them; estimate anew, from where the model stands.
3. When a round taught less than its noise, the next ones take half of the noise variance.
4. The rest of the budget goes into the last round.

Tables of two small columns are told by what only both together say (engines/marginals/interactions.py).

Guarantee, with a budget: tables come from `CountTables` and `CountInteractions`, choices from `ChooseBest`.
How large their noise is, and how many rounds there are, follows from what was released; the ledger's filter
refuses a round that would pass the price that was reserved (see privacy/allowance.py). The rest is
post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy import check
from understudy.engines.marginals.cliques import Clique, Floats
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.estimators import Estimator, ProductsEstimator, TreeEstimator
from understudy.engines.marginals.interactions import numbers_read
from understudy.model import noisy_margins
from understudy.model.cells import Cells
from understudy.model.merged import exact_tables, noisy_tables
from understudy.model.recipe import Recipe
from understudy.model.refining import is_few
from understudy.model.sampler import Sampler
from understudy.model.tables import Candidate, Tables
from understudy.model.tree_sampler import TreeSampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event, GaussianDP
from understudy.privacy.gdp import epsilon_of_choice, mu_of_choice
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

__all__ = ["AIM"]

ROUNDS = "aim.rounds"
BYTES = 8  # of a cell
MOST_CELLS = 1_500_000  # of a model: a larger one is not estimated well within two minutes
WIDE = 100  # columns: with more, "auto" takes products
# Columns for each pair that is measured in one round: with a budget and a tree few, as each is chosen dearly.
ABREAST, ABREAST_HURRIED = 16, 4
OPEN_ROUNDS = 2  # times as many exact tables as were planned with a budget: they cost nothing but time
CLOSE = 0.01  # of the rows misplaced beyond chance in the worst pair: exact tables are measured until then
FINER = 2  # times the price, after a round that taught nothing; 4 in the paper, too fast for few rows
CHOICE = 0.2  # what a row by which a choice may be wrong counts for, where one in a table counts for 1
FEW_COLUMNS = 6  # columns: with more, not all pairs that matter can be measured, and those of levels go first
LEAST = 0.1  # of a round's price is for its choice, as in the paper; more where tables are small


@final
@dataclass(frozen=True)
class AIM(Recipe):
    """Rounds of measuring the pairs that the model gets most wrong (AIM): the most accurate with a budget."""

    bins: int = check.integer(32, low=2, high=1_000)
    fine: int = check.integer(200, low=2, high=100_000)
    megabytes: float = check.number(1.0, low=0.001, high=100_000.0)
    rounds: int = check.integer(2, low=1, high=1_000)
    candidates: int = check.integer(2_000, low=1, high=10_000_000)
    estimator: str = check.choice("auto", "auto", "tree", "products")
    components: int = check.integer(100, low=1, high=100_000)
    steps: int = check.integer(30, low=1, high=1_000_000)
    final_steps: int = check.integer(500, low=1, high=1_000_000)
    margins_share: float = check.number(0.5, low=0.01, high=0.99)
    sampler: ClassVar[type[Sampler]] = TreeSampler
    private: ClassVar[bool] = True

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> TreeSampler:
        """The same rounds on exact tables, until the model has reached its size."""
        tables = exact_tables(vault, schema, fine=self.fine, bins=self.bins)
        tables.foresee(progress, self.final_steps)
        self._tell_of_size(progress)
        return self._learn(tables, math.inf, rng)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for the tables of columns, and for rounds whose noise is chosen as they go."""
        names = tuple(column.name for column in modelled(schema))
        wanted = list(noisy_margins.asks(schema, share=self.margins_share))
        if len(names) > 1:
            what = "rounds: which pairs the model gets most wrong, and their tables or interactions"
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
        """The rounds through mechanisms. `fine` has no part in it: quantities are cut by noisy counts."""
        price = events.get(ROUNDS)
        mu = price.mu if isinstance(price, GaussianDP) else 0.0
        pairs = max(len(modelled(schema)) - 1, 1)
        # That of a table which is measured in one of as many rounds as there are columns.
        noise = math.sqrt(pairs) / mu if mu else 0.0
        tables = noisy_tables(vault, schema, events, bins=self.bins, pair_noise=noise)
        tables.foresee(progress, self.final_steps)
        self._tell_of_size(progress)
        return self._learn(tables, mu, rng)

    def _tell_of_size(self, progress: Progress) -> None:
        """Say so where the model will be smaller than it may be."""
        if self.megabytes * 1e6 > MOST_CELLS * BYTES:
            progress.tell(
                f"fitting: a model of {MOST_CELLS * BYTES / 1e6:.0f} MB; a larger one takes too long"
            )

    def _learn(self, tables: Tables, mu: float, rng: np.random.Generator) -> TreeSampler:
        measured = list(tables.one_way)
        model = self._start(tables, rng)
        if len(tables.sizes) > 1:
            model = self._rounds(tables, mu, model, measured, rng).fitted(measured, self.final_steps)
        return TreeSampler.of(tables, model.tree())

    def _start(self, tables: Tables, rng: np.random.Generator) -> Estimator:
        if self._wide(len(tables.sizes)):
            return ProductsEstimator.of(tables.one_way, tables.rows, self.components, rng)
        return TreeEstimator.of(tables.one_way, tables.sizes, tables.rows)

    def _wide(self, columns: int) -> bool:
        """Say whether there are so many columns that no tree is grown."""
        return columns > (WIDE if self.estimator == "auto" else 1) and self.estimator != "tree"

    def _rounds(
        self, tables: Tables, mu: float, model: Estimator, measured: list[Measured], rng: np.random.Generator
    ) -> Estimator:
        """Return the estimate after all rounds; what they measured is added to `measured`."""
        columns, most = len(tables.sizes), min(self.megabytes * 1e6 / BYTES, MOST_CELLS)
        hurried = self._wide(columns) or not math.isfinite(mu)
        many = max(1, columns // (ABREAST_HURRIED if hurried else ABREAST))
        pace = _Pace.begin(mu**2, self.rounds * columns, many, _share_of_choices(tables.sizes))
        while pace is not None:
            open_pairs = _telling(model, tables.sizes, most * pace.used) or _telling(
                model, tables.sizes, most
            )
            if not pace.priced:
                open_pairs = _unmeasured(open_pairs, measured, columns * (OPEN_ROUNDS * self.rounds + 1))
            expected = model.expected(_some(open_pairs, self.candidates, rng))
            if not expected:
                break
            chosen = _worst(tables, expected, pace)
            model, fitting = model.making_room(chosen, most)
            new = tables.relate(ROUNDS, fitting, pace.noise)
            if not pace.priced and not _tell(new, expected, CLOSE * tables.rows):
                break
            measured += new
            model = model.fitted(measured, self.steps)
            # Without a price there is no pace to change.
            learned = not pace.priced or _learned(model, new, expected, pace.noise)
            choices = len(chosen) if len(chosen) < len(expected) else 0
            pace = pace.next(choices, new, learned=learned)
        return model


@final
@dataclass(frozen=True)
class _Pace:
    """How fine the present round is, and what is left. Without a price, rounds go on while pairs fit.

    Prices are in mu^2, which adds up (privacy/gdp.py).
    """

    whole: float
    left: float
    noise: float
    epsilon: float
    many: int
    choice: float  # the share of a round's price that its choice has

    @classmethod
    def begin(cls, whole: float, tables: int, many: int, choice: float) -> _Pace | None:
        """Plan so many equal tables, `many` in a round; most runs take fewer, finer ones."""
        if not math.isfinite(whole):
            return cls(whole, whole, 1.0, 1.0, many, choice)
        many = min(many, tables)
        return cls(whole, whole, *_noise(whole / tables, choice), many, choice) if whole > 0 else None

    @property
    def priced(self) -> bool:
        """Whether there is a price at all."""
        return math.isfinite(self.whole)

    @property
    def used(self) -> float:
        """The share of the price that this round will have used up."""
        return 1 - (self.left - self.many * self.price) / self.whole if self.priced else 1.0

    @property
    def price(self) -> float:
        """What one choice and one table cost."""
        return self.noise**-2 + mu_of_choice(self.epsilon) ** 2

    def next(self, chosen: int, new: list[Measured], *, learned: bool) -> _Pace | None:
        """Return the next round: finer if this one taught nothing; the last takes all that is left."""
        if not self.priced:
            return self
        spent = chosen * mu_of_choice(self.epsilon) ** 2 + len(new) * self.noise**-2
        left = self.left - spent
        if left <= 1e-3 * self.whole:
            return None
        price = self.price if learned else FINER * self.price
        price = price if left >= 2 * self.many * price else left / self.many
        return _Pace(self.whole, left, *_noise(price, self.choice), self.many, self.choice)


def _noise(price: float, choice: float) -> tuple[float, float]:
    """Return the noise of a table and the epsilon of a choice, of this share, that cost a hair less."""
    price *= 1 - 1e-9  # many small prices are added up
    noise = ((1 - choice) * price) ** -0.5
    return noise, epsilon_of_choice(math.sqrt(choice * price))


def _share_of_choices(sizes: tuple[int, ...]) -> float:
    """Return the share of a round's price that its choice is worth: small tables are told with little noise.

    In rows, a table at the price mu^2 is off by about sqrt(2 / pi) / mu for each number that is read of it,
    and a choice among m pairs by 2 log(m) / epsilon, epsilon = mu / 0.627. Of the sum of a / sqrt(c) and
    b / sqrt(1 - c) the least is where c / (1 - c) = (a / b)^(2/3).

    >>> [round(_share_of_choices(sizes), 2) for sizes in ((3,) * 31, (8,) * 10, (3, 3))]
    [0.38, 0.1, 0.0]
    """
    each = np.array([size for size in sizes if size > 1])
    first, second = np.triu_indices(len(each), 1)
    numbers = float(numbers_read(each[first], each[second]).mean()) if len(first) else 0.0
    chosen = CHOICE * 2 * math.sqrt(math.pi / 8) * math.log(len(first) + 1)
    told = math.sqrt(2 / math.pi) * max(numbers, 1.0)
    return max(LEAST, float(1 / (1 + (told / chosen) ** (2 / 3)))) if len(first) > 1 else 0.0


def _telling(model: Estimator, sizes: tuple[int, ...], room: float) -> list[Clique]:
    """Return the pairs that fit into the room; with a column of one cell none would tell anything."""
    return [pair for pair in model.open_pairs(room) if min(sizes[place] for place in pair) > 1]


def _unmeasured(pairs: list[Clique], measured: list[Measured], most: int) -> list[Clique]:
    """Return the pairs of which no exact table is there yet; none once there are as many as were planned."""
    done = {each.of for each in measured}
    return [pair for pair in pairs if pair not in done] if len(measured) < most else []


def _some(pairs: list[Clique], most: int, rng: np.random.Generator) -> list[Clique]:
    """Return pairs at random, if there are too many to look at all: no row has a say in which."""
    if len(pairs) <= most:
        return pairs
    return [pairs[place] for place in np.sort(rng.permutation(len(pairs))[:most])]


def _worst(tables: Tables, expected: dict[Clique, Floats], pace: _Pace) -> list[Clique]:
    counts_for = [_counts_for(cells, len(tables.cells)) for cells in tables.cells.values()]
    candidates = [
        Candidate(
            pair,
            table,
            weight=sum(counts_for[place] for place in pair) / len(pair),
            penalty=_by_noise(table, pace.noise) if pace.priced else _by_chance(table),
        )
        for pair, table in expected.items()
    ]
    many = min(pace.many, len(candidates))
    if many == len(candidates):
        return list(expected)  # where there is nothing to choose, nothing is paid for a choice
    return [candidates[place].of for place in tables.best(ROUNDS, candidates, many, pace.epsilon)]


def _counts_for(cells: Cells, columns: int) -> float:
    """Return what a row in a wrong cell of a column counts for: bins lie side by side, levels do not."""
    return 1.0 if cells.edges is None or is_few(cells.edges) else min(1.0, FEW_COLUMNS / columns)


def _by_noise(table: Floats, noise: float) -> float:
    """Return about how far noise alone moves a table that is read at the price of `noise`."""
    return math.sqrt(2 / math.pi) * noise * float(numbers_read(*table.shape))


def _by_chance(expected: Floats) -> float:
    """Return about how far rows drawn from the model would be from it: mean deviations of Poisson counts."""
    return float(np.minimum(np.sqrt(2 / math.pi * expected), 2 * expected).sum())


def _tell(new: list[Measured], expected: dict[Clique, Floats], least: float) -> bool:
    """Say whether one of these exact tables is off by more rows than chance and `least` explain."""
    gaps = ((np.abs(each.table - expected[each.of]).sum(), _by_chance(expected[each.of])) for each in new)
    return any(gap > chance + least for gap, chance in gaps)


def _learned(model: Estimator, new: list[Measured], before: dict[Clique, Floats], noise: float) -> bool:
    """Say whether tables moved the model by more than their noise would."""
    after = model.expected([each.of for each in new])
    moved = sum(float(np.abs(after[each.of] - before[each.of]).sum()) for each in new)
    return moved > sum(_by_noise(each.table, noise) for each in new)
