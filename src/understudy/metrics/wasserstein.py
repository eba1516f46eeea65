"""Wasserstein fidelity: how far rows must move to turn one table's marginals into the other's.

Paper 004, Eq. 1-5: the mean of the Wasserstein-1 distances of all marginals of one and two columns. The
distance of two rows is the sum of their columns' distances: |difference| of scaled quantities, 0 or 1 for
levels.

Readings. Eq. 5 prints infinity and 1 for levels, which has no zero; 0 and 1 is what its text means. The
text calls pairs of categories total variation, and the paper's code computes that, while Eq. 4 would add
two distances: `levels` chooses, total variation by default. Eq. 3 averages all marginals, the paper's
code the means of five groups: the value is the former, `mean_of_groups` the latter.

Scale. By default the range of the real training rows, so that one far synthetic value cannot shrink every
distance; values outside keep their distance, up to a million ranges. "joint" is the paper's: the range of
both tables. A real column of one value has no unit: other values are at distance 1. A missing cell is a
level of its own, and for a quantity a place at distance 1 from its whole range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.transport.axis import star
from understudy.engines.transport.cells import Cells, Quantity, joined, level_cells
from understudy.engines.transport.exact import exact_distance
from understudy.engines.transport.flow import Plan, one_thread
from understudy.engines.transport.marginal import one_way, two_way
from understudy.engines.transport.place import joint_range, placed
from understudy.engines.transport.scales import binned_way
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["Wasserstein"]

Floats = npt.NDArray[np.float64]
Marginal = tuple[CodedColumn, ...]

GROUPS = ("category", "quantity", "quantity_quantity", "category_quantity", "category_category")
_Z = 1.959963984540054  # the 97.5 % point of the normal law
_MOST, _BINS_OF_MANY = 32_768, 8  # cells of a category of many levels and a quantity; its fewest bins


@final
@dataclass(frozen=True)
class Wasserstein(Comparison):
    """Mean Wasserstein-1 distance over all one-way and two-way marginals; 0 is best.

    scale       "real": quantities in units of the training range; "joint": of both tables' (the paper's)
    method      "histogram" uses all rows: quantities in bins, common mass cancelled, the cheapest flow to a
                proven gap; "exact" solves the transport of `exact_rows` rows of each table
    levels      two categories: "variation" of their table of counts, or the "additive" distance of Eq. 4
    against     the real rows: "train", or "holdout" (the paper's test rows); the range is the training one's
    interval    "potentials", or the frame's half tables
    bins        of a quantity; three quarters of them in a pair of two, two thirds beside a category, fewer
                beside one of over 500 levels. At 3,000 rows the histogram form is within 0.0005 of the exact
                one (docs/results/0003-wasserstein.md)
    pairs       of more two-way marginals so many are drawn, from each group its share; a note says so

    The interval from potentials. A distance is the largest mean difference of a potential f that rises no
    faster than distance: W(P, Q) = mean of f over P - mean of f over Q, and no other such f gives more.
    So if one real row x is replaced by y, the optimal f of before still bounds the new distance from
    below, and W falls by at most (f(x) - f(y)) / n. Efron and Stein's inequality, which adds up the squares
    of such falls, then bounds the variance of W by that of f over the real rows / n plus that over the
    synthetic rows / m, as far as one row has no say in f; where P and Q differ and f is unique, it is the
    limit itself (the delta method). The value is a mean of distances, its potential the mean of theirs,
    row by row, which counts how marginals of shared columns go together. No further distance is computed.
    The scale is taken as given: that another sample of real rows would have another range is not counted.

    >>> import pyarrow as pa
    >>> real, other = {"a": ["x", "x", "y", "y"]}, {"a": ["x", "y", "y", "y"]}
    >>> Wasserstein()(Evidence(train=pa.table(real), synthetic=pa.table(other))).value
    0.25
    """

    level: ClassVar[Level] = "quick"

    scale: Literal["real", "joint"] = check.choice("real", "real", "joint")
    method: Literal["histogram", "exact"] = check.choice("histogram", "histogram", "exact")
    levels: Literal["variation", "additive"] = check.choice("variation", "variation", "additive")
    against: Literal["train", "holdout"] = check.choice("train", "train", "holdout")
    interval: Literal["potentials", "halves"] = check.choice("potentials", "potentials", "halves")
    bins: int = check.integer(128, low=4, high=1_024)
    pairs: int = check.integer(1_000, low=1, high=1_000_000_000)
    exact_rows: int = check.integer(3_000, low=2, high=20_000)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Return the mean distance of all marginals, and of the five groups."""
        with one_thread():
            return self._judge(real, synthetic, rng).score

    @property
    def bins_of_two(self) -> int:
        """The bins of each of two quantities."""
        return self.bins * 3 // 4

    def real_role(self) -> Role:
        """The real rows that are compared with."""
        return self.against

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Score the tables, take the interval from the potentials, and score real rows against real rows."""
        if self.interval == "halves":
            return Comparison.find(self, evidence, rng)
        real = evidence.coded(self.real_role()).draw(self.rows, rng)
        synthetic = evidence.coded("synthetic").draw(self.rows, rng)
        with one_thread():
            judged = self._judge(real, synthetic, rng)
            null, said = self._null(evidence, (len(real), len(synthetic)), rng)
        notes = (*self._said_of_size(evidence), *said, *judged.notes)
        alone = min(len(real), len(synthetic)) < 2  # one row tells nothing of how rows vary
        value, reach = judged.score.value, math.nan if alone else _Z * judged.deviation
        low = math.nan if alone else max(0.0, value - reach)
        return Finding(judged.score, low, value + reach, null, judged.rows, notes)

    def _judge(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> _Judged:
        notes: tuple[str, ...] = ()
        if self.method == "exact":
            size = min(len(real), len(synthetic), self.exact_rows)
            if size < max(len(real), len(synthetic)):
                notes = (f"exact: {size:,} rows of each table were drawn",)
            real, synthetic = real.draw(size, rng), synthetic.draw(size, rng)
        columns = _Columns(real, synthetic, self)
        marginals = _grouped(real)
        total = sum(len(each) for each in marginals.values())
        drawn = {name: self._drawn(each, marginals, rng) for name, each in marginals.items()}
        if (kept := sum(len(each) for each in drawn.values())) < total:
            notes += (f"{kept:,} of {total:,} marginals were drawn",)
        found = _Judged(len(real), len(synthetic), notes)
        for name, each in marginals.items():
            for marginal in drawn[name]:
                found.add(name, columns.move(marginal), len(each) / len(drawn[name]) / total)
        return found

    def _drawn(
        self, group: list[Marginal], groups: dict[str, list[Marginal]], rng: np.random.Generator
    ) -> list[Marginal]:
        """Return the share of a group of pairs that is judged; all of it if there are not too many."""
        every = sum(len(each) for each in groups.values() if each and len(each[0]) == 2)
        if not group or len(group[0]) == 1 or every <= self.pairs:
            return group
        share = max(1, round(self.pairs * len(group) / every))
        return [group[place] for place in np.sort(rng.choice(len(group), share, replace=False))]


@final
@dataclass(frozen=True, eq=False)
class _Move:
    """One marginal's distance, how far off it can be, and its potential at each row of both tables."""

    value: float
    gap: float
    real: Floats
    synthetic: Floats


@final
class _Judged:
    """The distances of marginals as they are added, and their mean potential at every row."""

    def __init__(self, real: int, synthetic: int, notes: tuple[str, ...]) -> None:
        self._real, self._synthetic, self.notes = np.zeros(real), np.zeros(synthetic), notes
        self._value = self._gap = 0.0
        self._groups: dict[str, list[float]] = {name: [] for name in GROUPS}

    @property
    def rows(self) -> int:
        """How many rows of both tables were judged."""
        return len(self._real) + len(self._synthetic)

    def add(self, group: str, move: _Move, weight: float) -> None:
        """Count a marginal with its weight in the mean over all."""
        self._groups[group].append(move.value)
        self._value += weight * move.value
        self._gap += weight * move.gap
        self._real += weight * move.real
        self._synthetic += weight * move.synthetic

    @property
    def score(self) -> Score:
        """The mean over all marginals (Eq. 3), and of each group that there is."""
        means = {name: float(np.mean(all_)) if all_ else math.nan for name, all_ in self._groups.items()}
        known = [mean for mean in means.values() if not math.isnan(mean)]
        whole = {"mean_of_groups": float(np.mean(known)), "coverage": len(known) / len(GROUPS)}
        return Score(self._value, {**means, **whole, "solver_gap": self._gap})

    @property
    def deviation(self) -> float:
        """The standard deviation of the value that its potentials bound (see `Wasserstein`)."""
        parts = (self._real, self._synthetic)
        return math.sqrt(sum(float(part.var()) / len(part) for part in parts))


@final
class _Columns:
    """The columns of two tables, placed once for all marginals that they take part in."""

    def __init__(self, real: CodedTable, synthetic: CodedTable, settings: Wasserstein) -> None:
        self._settings = settings
        self._samples: dict[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]] = {}
        self._quantities: dict[str, Quantity] = {}
        self._levels: dict[str, Cells] = {}
        for column in real.domain:
            name = column.name
            pair = real[name], synthetic[name]
            if column.quantity:
                low, high = joint_range(*pair) if settings.scale == "joint" else (column.low, column.high)
                pair = placed(pair[0], low, high), placed(pair[1], low, high)
                self._quantities[name] = Quantity(*pair)
            else:
                self._levels[name] = level_cells(*pair)
            self._samples[name] = pair

    def move(self, marginal: Marginal) -> _Move:
        """Return the distance of the two tables in one or two columns."""
        cells = self._places(marginal)
        plan = self._plan(marginal, cells)
        value, gap, second = plan.value, plan.gap, cells[1] if len(cells) == 2 else _nowhere(cells[0])
        at = plan.potential[cells[0].first, second.first], plan.potential[cells[0].second, second.second]
        if self._settings.method == "exact" and not self._is_variation(marginal):
            sides = zip(*(self._samples[column.name] for column in marginal), strict=True)
            value, gap = exact_distance(*sides), 0.0
        return _Move(max(0.0, value), gap, *at)

    def _places(self, marginal: Marginal) -> list[Cells]:
        """Return the cells to solve on; two categories under total variation are one of pairs."""
        if self._is_variation(marginal) and len(marginal) == 2:
            return [joined(*(self._levels[column.name] for column in marginal))]
        return [self._cells(column, marginal) for column in marginal]

    def _plan(self, marginal: Marginal, cells: list[Cells]) -> Plan:
        if len(cells) == 1:
            return one_way(cells[0])
        if not all(column.quantity for column in marginal):
            return two_way(cells[0], cells[1])
        bins = self._settings.bins_of_two
        kept = [self._quantities[column.name].keeps(bins) for column in marginal]
        return binned_way(cells[0], cells[1], (not kept[0], not kept[1]))

    def _is_variation(self, marginal: Marginal) -> bool:
        of_levels = all(not column.quantity for column in marginal)
        return of_levels and (len(marginal) == 1 or self._settings.levels == "variation")

    def _cells(self, column: CodedColumn, marginal: Marginal) -> Cells:
        """Return a column's cells: values as they are where sorting is enough, bins beside a category."""
        if not column.quantity:
            return self._levels[column.name]
        quantity, bins = self._quantities[column.name], self._settings.bins
        if len(marginal) == 1:
            return quantity.cells(bins if quantity.has_missing else len(quantity.values))
        if marginal[0].quantity:
            return quantity.cells(self._settings.bins_of_two)
        levels = self._levels[marginal[0].name].axis.places  # categories stand first in a pair
        return quantity.cells(max(2, min(bins * 2 // 3, max(_BINS_OF_MANY, _MOST // levels))))


def _nowhere(cells: Cells) -> Cells:
    return Cells(np.zeros_like(cells.first), np.zeros_like(cells.second), star(1))


def _grouped(table: CodedTable) -> dict[str, list[Marginal]]:
    """Return the marginals of one and two columns by kind, in an order that columns' order leaves alone."""
    columns = sorted(table.domain, key=lambda column: (column.quantity, column.name))
    found: dict[str, list[Marginal]] = {name: [] for name in GROUPS}
    for place, first in enumerate(columns):
        found[_kind(first)].append((first,))
        for second in columns[place + 1 :]:
            found[f"{_kind(first)}_{_kind(second)}"].append((first, second))
    return found


def _kind(column: CodedColumn) -> str:
    return "quantity" if column.quantity else "category"
