"""The law of one column in every leaf: shares of levels, of heavy values, of missing; a normal law beside.

Both kinds can be narrowed to a condition, which leaves a law of the same kind, whose mass is the probability
of the condition: so conditions are exact, and nothing is drawn in vain. The mass of one number among many is
its density in a leaf against that in the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Between, Condition, IsMissing
from understudy.engines.forest.axis import Axis, Cells, Floats, inside
from understudy.engines.forest.bend import Bend
from understudy.engines.forest.line import Steps
from understudy.engines.forest.spread import Spread
from understudy.engines.forest.tally import Tally
from understudy.missing import is_missing, missing_like

__all__ = ["Law", "LevelLaw", "QuantityLaw", "heavy_values"]

_FINE = 2.0**40  # steps to a unit of the line: of more the room is so small that its ends are mostly rounding

Leaf = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class LevelLaw:
    """Codes of levels, and after them one for missing. `ranks` is where trees see each of them."""

    ranks: npt.NDArray[np.int32]
    tally: Tally

    def cells(self, column: npt.NDArray[Any]) -> Cells:
        """Return what trees see of every entry; the code -1 looks up the last place."""
        return np.asarray(self.ranks[column])

    def mass(self) -> Floats:
        """Return the weight of every leaf."""
        return self.tally.mass()

    def narrowed(self, condition: Condition) -> LevelLaw:
        """Return the law of what satisfies a condition."""
        assert isinstance(condition, Among), "levels take a set of codes"
        return replace(self, tally=self.tally.narrowed(condition.allowed[self.tally.codes].astype(float)))

    def draw(self, leaf: Leaf, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        """Return the code of every row, -1 where it is missing."""
        drawn = self.tally.draw(leaf, rng)
        return np.where(drawn == len(self.ranks) - 1, np.int32(-1), drawn)

    def log_density(self, leaf: Leaf, column: npt.NDArray[Any]) -> Floats:
        """Return the log of the probability of every entry in its leaf."""
        codes = len(self.ranks)
        return _log(self.tally.share(leaf, column.astype(np.int64) % codes, codes))


@final
@dataclass(frozen=True, eq=False)
class QuantityLaw:
    """Codes of `points`, which are heavy values; then one for missing, and one for all that is spread.

    `held` are the first and the last value of a range that values are held in, past all rounding.
    """

    axis: Axis
    points: npt.NDArray[Any]
    tally: Tally
    spread: Spread
    bend: Bend
    held: npt.NDArray[Any] | None = None

    @classmethod
    def fit(
        cls, column: npt.NDArray[Any], leaf: npt.NDArray[np.int32], axis: Axis, points: npt.NDArray[Any], *,
        box: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], bent: bool = True,
    ) -> QuantityLaw:  # fmt: skip
        """Fit the law of every leaf; `leaf` is that of every row in every tree, `box` the cells of leaves.

        With `bent`, normal laws are laws of ranks, and have the moments of the rows after they are cut.
        """
        if not axis.whole and axis.ends[0] == axis.ends[1]:
            points = axis.ends[:1]  # one number alone has no room to be spread over
        code = codes_of(column, points)
        trees, leaves = len(leaf), len(box[0])
        tally = Tally.count(leaf.ravel(), np.tile(code, trees), leaves, len(points) + 2)
        spread = np.flatnonzero(code == len(points) + 1)
        places = axis.line.places(column[spread])
        bend = Bend.of(places) if bent else Bend.straight()
        edges = bend.line(axis.edges())
        low, high = edges[np.maximum(box[0], 0)], edges[box[1] + 1]
        high = np.maximum(high, np.nextafter(low, np.inf))  # a box that rounding has closed still has rows
        fitted = Spread.fit(leaf[:, spread].ravel(), np.tile(bend.line(places), trees), low, high)
        return cls(axis, points, tally, fitted.matched() if bent else fitted, bend)

    def cells(self, column: npt.NDArray[Any]) -> Cells:
        """Return what trees see of every entry."""
        return self.axis.cells(column)

    def mass(self) -> Floats:
        """Return the weight of every leaf."""
        return self.tally.mass()

    def narrowed(self, condition: Condition) -> QuantityLaw:
        """Return the law of what satisfies a condition."""
        code, missing = self.tally.codes, len(self.points)
        if isinstance(condition, IsMissing):
            return replace(self, tally=self.tally.narrowed((code == missing).astype(np.float64)))
        assert isinstance(condition, Between), "quantities take a range"
        line = self.axis.line
        low, high = self.bend.line(np.array(line.room(condition.low, condition.high)))
        spread = self.spread.narrowed(float(low), float(high))
        whole, part = self.spread.mass(), spread.mass()
        share = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
        fits = np.append(condition.accepts(self.points), [False, False])
        factor = np.where(code == missing + 1, share[self.tally.leaf], fits[code].astype(np.float64))
        held, tally = line.held(condition.low, condition.high), self.tally.narrowed(factor)
        if not len(tally.codes) and held[0] <= held[1]:
            tally = self.tally.narrowed(self._densities(float(low + high) / 2))
        return replace(self, tally=tally, spread=spread, held=held)

    def _densities(self, place: float) -> Floats:
        """Return the density at one place for every entry of the tally that is spread, the highest as 1.

        A number that is asked for has no mass; what its leaves weigh, given it, are their densities there.
        """
        even = self.tally.codes == len(self.points) + 1
        leaf = self.tally.leaf[even]
        logs = self.spread.log_density(leaf, np.full(len(leaf), place))
        highest, factor = logs.max(initial=-np.inf), np.zeros(len(even))
        if highest > -np.inf:
            factor[even] = np.exp(logs - highest)  # as logs, since all may be smaller than any float
        return factor

    def draw(self, leaf: Leaf, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return the value of every row, in the column's own terms."""
        code, missing = self.tally.draw(leaf, rng), len(self.points)
        values = np.full(len(leaf), missing_like(self.axis.ends), dtype=self.axis.ends.dtype)
        heavy, even = code < missing, code == missing + 1
        values[heavy] = self.points[code[heavy]]
        values[even] = self._drawn(leaf[even], rng)
        return values

    def _drawn(self, leaf: Leaf, rng: np.random.Generator) -> npt.NDArray[Any]:
        line, held = self.axis.line, self.axis.ends if self.held is None else self.held
        if line.blur and int(held[1]) - int(held[0]) <= line.blur:  # the line cannot tell these steps apart
            return rng.integers(held[0], held[1], len(leaf), endpoint=True)
        values = line.values(self.bend.back(self.spread.draw(leaf, rng)))
        if line.blur:  # else only some of the steps would ever be drawn
            values += rng.integers(-line.blur, line.blur, len(values), endpoint=True)
        return np.asarray(np.clip(values, *held))

    def log_density(self, leaf: Leaf, column: npt.NDArray[Any]) -> Floats:
        """Return the log of the probability of heavy values, steps and missing; else of the density.

        A number that is heavy counts by its probability alone: beside it the density is nothing.
        """
        missing, even = len(self.points), len(self.points) + 1
        code = codes_of(column, self.points)
        found = _log(self.tally.share(leaf, code, even + 1))
        if not self.axis.whole:
            return np.where(code == even, found + self._log_spread(leaf, column), found)
        spread = _log(self.tally.share(leaf, np.full(len(leaf), even), even + 1))
        spread = np.where(code == missing, -np.inf, spread + self._log_spread(leaf, column))
        return np.asarray(np.logaddexp(np.where(code == even, -np.inf, found), spread))

    def _log_spread(self, leaf: Leaf, column: npt.NDArray[Any]) -> Floats:
        there, line = inside(self.axis, column), self.axis.line
        safe = np.where(there, column, self.axis.ends[0])
        if isinstance(line, Steps) and line.half < _FINE:
            low, high = line.span(safe)
            found = _log(self.spread.between(leaf, self.bend.line(low), self.bend.line(high)))
        else:
            place = line.places(safe)
            found = self.spread.log_density(leaf, self.bend.line(place))
            found += np.log(self.bend.slope(place)) - line.log_unit
            found = np.minimum(found, 0.0) if self.axis.whole else found
        return np.where(there, found, -np.inf)


Law = LevelLaw | QuantityLaw


def heavy_values(column: npt.NDArray[Any], few: int, share: float) -> npt.NDArray[Any]:
    """Return the values that more than one row has: all if there are few values, else those of many rows.

    >>> heavy_values(np.array([4, 4, 5, 6, 6]), few=10, share=0.5).tolist()
    [4, 6]
    """
    present = column[~is_missing(column)]
    values, counts = np.unique(present, return_counts=True)
    least = 1.0 if len(values) <= few else max(1.0, share * len(present))
    return values[counts > least]


def _log(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # what does not occur has the log -inf
        return np.asarray(np.log(shares))


def codes_of(column: npt.NDArray[Any], points: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return the place of every entry among the points; after them missing, and last all others."""
    count = len(points)
    place = np.searchsorted(points, column)
    found = np.full(len(column), count + 1, dtype=np.int32)
    if count:
        known = points[np.minimum(place, count - 1)] == column
        found[known] = place[known]
    found[is_missing(column)] = count
    return found
