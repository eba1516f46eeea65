"""Query error (paper 004, Definition 5 and Eq. 10): do counting queries get the same answers?

A query picks columns at random and asks for one level (a category) or for a range (a quantity) in each; its
answer is the share of rows that satisfy all. The error is the mean difference of real and synthetic answers
over 1,000 queries of three columns.

Where levels are drawn evenly from the domain, most queries on many levels are answered by 0 in both tables
and the mean is small whatever the table; so a part repeats it with values drawn as often as real rows have
them. The null says what to expect of real rows.

Ends drawn from the training range alone never hit its smallest and largest value, and a column of zeros and
ones would answer every range by 0. So the range is widened on both sides by half the smallest gap between
two neighbouring real values, and by at least half a hundredth of itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.queries import Queries, Rows
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Level
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["QueryError"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
_WAYS = ("one_way", "two_way", "three_way")
_LEAST_MARGIN = 0.005  # of the range: a smaller one would hide what piles up at an end


@final
@dataclass(frozen=True)
class QueryError(Comparison):
    """Mean difference of the answers to random counting queries, in [0, 1]; 0 is best (paper 004, Eq. 10).

    queries   how many of each kind
    ranges    the ends of a range: "two_uniforms" are two independent draws from the widened training range,
              as in the paper's text; "synmeter" draws the lower end, and the upper one above it, as its
              code does
    against   the real rows: "train", or "holdout" as in Eq. 10

    The value is that of three-way queries (of as many columns as there are, if fewer). Parts: one_way,
    two_way, three_way, their mean all_ways, and by_frequency: three-way queries whose levels and ends are
    cells of real rows. A missing cell lies in no range; of a category, missing is a value like the others.
    Bounds and levels are those of real rows.

    Levels are numbered by how often they occur, columns by their name, so that relabelling levels or moving
    columns leaves the queries as they are (up to levels that occur equally often in both tables).

    >>> import pyarrow as pa
    >>> real, synthetic = pa.table({"x": ["a", "a", "b"]}), pa.table({"x": ["a", "b", "b"]})
    >>> round(QueryError()(Evidence(train=real, synthetic=synthetic)).value, 4)
    0.3333
    """

    room: ClassVar[Any] = "utility"
    level: ClassVar[Level] = "quick"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    queries: int = check.integer(1_000, low=10, high=10_000_000)
    ranges: str = check.choice("two_uniforms", "two_uniforms", "synmeter")
    against: str = check.choice("train", "train", "holdout")

    def real_role(self) -> Role:
        """The real rows that are asked."""
        return "holdout" if self.against == "holdout" else "train"

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Compare the answers; queries of the other kinds are asked once, of whole tables."""
        found = Comparison.find(self, evidence, rng)
        real = evidence.coded(self.real_role()).draw(self.rows, rng)
        asked = _Asked.of(real, evidence.coded("synthetic").draw(self.rows, rng))
        most = asked.most_ways
        parts = {name: self._error(asked, ways, rng) for ways, name in enumerate(_WAYS, 1)}
        parts["by_frequency"] = self._error(asked, most, rng, by_frequency=True)
        if most:
            parts[_WAYS[most - 1]] = found.score.value
        coverage = float(np.mean([not np.isnan(part) for part in parts.values()]))
        known = [parts[name] for name in _WAYS[:most]]
        parts |= {"all_ways": float(np.mean(known)) if known else np.nan, "coverage": coverage}
        score = Score(found.score.value, parts)
        if most == len(_WAYS):
            return replace(found, score=score)
        why = (
            f"queries of {most} columns: there are no more"
            if most
            else "undefined: no real value in any column"
        )
        return replace(found, score=score, notes=(*found.notes, why))

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Ask both tables the same queries, of three columns if there are so many."""
        asked = _Asked.of(real, synthetic)
        return Score(self._error(asked, asked.most_ways, rng))

    def _error(
        self, asked: _Asked, ways: int, rng: np.random.Generator, *, by_frequency: bool = False
    ) -> float:
        if ways > len(asked.domains) or ways == 0:
            return np.nan
        return asked.error(self._draw(asked.domains, ways, by_frequency, rng))

    def _draw(
        self, domains: list[_Domain], ways: int, by_frequency: bool, rng: np.random.Generator
    ) -> Queries:
        columns = np.argsort(rng.random((self.queries, len(domains))), axis=1)[:, :ways]
        one, other = rng.random((2, self.queries, ways))
        if self.ranges == "synmeter" and not by_frequency:
            start, end = one, one + (1 - one) * other
        else:
            start, end = np.minimum(one, other), np.maximum(one, other)
        low, high = np.empty(columns.shape), np.empty(columns.shape)
        for place, domain in enumerate(domains):
            here = columns == place
            low[here] = domain.values(one[here] if domain.point else start[here], by_frequency)
            high[here] = low[here] if domain.point else domain.values(end[here], by_frequency)
        return Queries(columns, low, high)


@final
@dataclass(frozen=True, eq=False)
class _Asked:
    """Two tables made ready for queries."""

    domains: list[_Domain]
    rows: tuple[Rows, Rows]
    sizes: tuple[int, int]

    @classmethod
    def of(cls, real: CodedTable, synthetic: CodedTable) -> _Asked:
        """Make the columns ready that something can be asked of."""
        domains = _domains(real, synthetic)
        one, other = (Rows([table[domain.name] for domain in domains]) for table in (real, synthetic))
        return cls(domains, (one, other), (len(real), len(synthetic)))

    @property
    def most_ways(self) -> int:
        """How many columns a query has at most."""
        return min(len(_WAYS), len(self.domains))

    def error(self, queries: Queries) -> float:
        """Return the mean difference of the shares of rows that satisfy a query."""
        one, other = (rows.count(queries) / size for rows, size in zip(self.rows, self.sizes, strict=True))
        return float(np.abs(one - other).mean())


@final
@dataclass(frozen=True)
class _Domain:
    """What may be asked of one column.

    Levels, and real cells in the same order; or the two bounds of a quantity, and its real values sorted.
    """

    name: str
    point: bool
    levels: Array
    cells: Array

    def values(self, share: Floats, by_frequency: bool) -> Floats:
        """Return what lies at these shares, in [0, 1), of the domain or of the real cells."""
        if by_frequency:
            return np.asarray(self.cells[(share * len(self.cells)).astype(np.int64)], np.float64)
        if self.point:
            return np.asarray(self.levels[(share * len(self.levels)).astype(np.int64)], np.float64)
        return np.asarray(self.levels[0] + share * (self.levels[1] - self.levels[0]))


def _domains(real: CodedTable, synthetic: CodedTable) -> list[_Domain]:
    """Return the columns of which something can be asked, by name."""
    columns = sorted(real.domain, key=lambda column: column.name)
    found = [
        _range(column, real[column.name])
        if column.quantity
        else _levels(column, real[column.name], synthetic[column.name])
        for column in columns
    ]
    return [domain for domain in found if domain is not None]


def _range(column: CodedColumn, cells: Array) -> _Domain | None:
    present = np.sort(cells[~np.isnan(cells)])
    if len(present) == 0 or np.isnan(column.low):
        return None
    return _Domain(column.name, False, _widened(column, present), present)


def _widened(column: CodedColumn, present: Floats) -> Floats:
    """Return the bounds of a quantity, with a margin in which an end can lie beyond its last value."""
    gaps = np.diff(np.unique(present))
    margin = max(gaps.min() / 2 if len(gaps) else 0.0, _LEAST_MARGIN * (column.high - column.low))
    return np.array([column.low - margin, column.high + margin])


def _levels(column: CodedColumn, real: Array, synthetic: Array) -> _Domain | None:
    counts = np.bincount(real + 1, minlength=column.levels + 1)
    theirs = np.bincount(synthetic + 1, minlength=column.levels + 1)
    asked = np.arange(0 if counts[0] else 1, column.known + 1)  # missing is a value where real rows have it
    if len(asked) == 0 or counts.sum() == 0:
        return None
    order = asked[np.lexsort((asked, theirs[asked], counts[asked]))]
    return _Domain(column.name, True, order - 1, np.repeat(order - 1, counts[order]))
