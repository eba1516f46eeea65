"""One column's distribution as a quantile function that can be cut to a condition.

Both kinds map a uniform number to a value: `LevelMargin` to a code, `QuantityMargin` to a
step or a float. Each value owns an interval of [0, 1]; a condition is a union of intervals,
so a draw under a condition is a draw from those intervals and no draw is thrown away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Between, Condition
from understudy.errors import NothingMatches
from understudy.missing import is_missing

__all__ = [
    "Floats",
    "LevelMargin",
    "Margin",
    "QuantityMargin",
    "fit_margins",
    "inside",
    "nothing_at",
    "pack",
    "unpack",
]

Floats = npt.NDArray[np.float64]

_FARTHEST = 2**62  # no step lies beyond


@final
@dataclass(frozen=True)
class LevelMargin:
    """Level codes in latent order, each with the upper end of its interval; -1 is missing."""

    codes: npt.NDArray[np.int32]
    upper: Floats

    @classmethod
    def fit(cls, values: npt.NDArray[np.int32], levels: int) -> LevelMargin:
        """Count the codes; levels that never occur keep an empty interval.

        >>> margin = LevelMargin.fit(np.array([0, 1, 1, -1], dtype=np.int32), levels=2)
        >>> margin.upper.tolist()
        [0.25, 0.75, 1.0]
        """
        counts = np.bincount(values.astype(np.int64) % (levels + 1), minlength=levels + 1)
        codes = np.append(np.arange(levels), -1).astype(np.int32)
        return cls(codes, np.cumsum(counts) / max(len(values), 1))

    @property
    def lower(self) -> Floats:
        """The lower ends of the intervals."""
        return np.concatenate([[0.0], self.upper[:-1]])

    def reordered(self, order: npt.NDArray[np.int64]) -> LevelMargin:
        """Return the same distribution with its codes in another order."""
        mass = self.upper - self.lower
        return LevelMargin(self.codes[order], np.cumsum(mass[order]))

    def quantile(self, u: Floats) -> npt.NDArray[np.int32]:
        """Return the code whose interval holds u."""
        place = np.searchsorted(self.upper, u, side="right")
        # Rounding may leave the last end a hair below 1; the last code with any mass takes that hair.
        last = int(np.flatnonzero(self.upper - self.lower > 0)[-1])
        return self.codes[np.minimum(place, last)]

    def intervals(self, condition: Condition) -> Floats:
        """Return the (k, 2) intervals of the allowed codes that have any mass."""
        assert isinstance(condition, Among), "levels take a set of codes"
        allowed = condition.allowed[self.codes] & (self.upper > self.lower)
        return np.stack([self.lower[allowed], self.upper[allowed]], axis=1)


@final
@dataclass(frozen=True)
class QuantityMargin:
    """Knots of a cumulative distribution with steps at heavy values and lines between light ones.

    `lower` and `upper` are the distribution just below and at each knot: they differ where a
    value is heavy (an atom), and mass between two knots is spread evenly.
    """

    values: npt.NDArray[Any]
    lower: Floats
    upper: Floats
    missing: float

    @classmethod
    def fit(cls, column: npt.NDArray[Any], knots: int) -> QuantityMargin:
        """Keep every value when there are few, else the heavy ones and evenly spaced quantiles.

        A value that one row alone has is never heavy: the lines run through it, so that the number
        of a single row comes back no more often than its neighbours do.

        >>> margin = QuantityMargin.fit(np.array([10, 50, 50, 90]), knots=100)
        >>> (margin.upper - margin.lower).tolist()
        [0.0, 0.5, 0.0]
        """
        present = column[~is_missing(column)]
        missing = 1.0 - len(present) / max(len(column), 1)
        values, counts = np.unique(present, return_counts=True)
        upper = np.cumsum(counts) / max(len(present), 1)
        lower = np.concatenate([[0.0], upper])[:-1]  # not a difference: rounding would leave gaps
        few = len(values) <= knots
        heavy = counts > 1 if few else counts * knots > 2 * len(present)
        kept = np.ones(len(values), dtype=bool) if few else _knots(heavy, upper, knots)
        low, high = _light(lower, upper, heavy)
        return cls(values[kept], low[kept], high[kept], missing)

    def quantile(self, u: Floats) -> npt.NDArray[Any]:
        """Return the value at u: a heavy value itself, or a point on the line between two knots."""
        right = np.minimum(np.searchsorted(self.upper, u, side="right"), len(self.values) - 1)
        left = np.maximum(right - 1, 0)
        start, end = self.upper[left], self.lower[right]
        # No line before a value: u lies on the value itself.
        share = np.where(end > start, np.clip((u - start) / np.maximum(end - start, 1e-300), 0.0, 1.0), 1.0)
        below, above = self.values[left], self.values[right]
        if self.values.dtype.kind == "f":
            half = (above / 2 - below / 2) * share  # twice half the way: the whole difference may overflow
            with np.errstate(over="ignore"):  # by rounding, at the far end of floats: it is cut to `above`
                reached = below + half + half
        else:
            reached = below + np.rint(np.where(share < 1, (above - below) * share, 0.0)).astype(np.int64)
        # Floats round, and a rounded way may end beside its end or past it; a value that was seen is exact.
        return np.asarray(np.where(share < 1, np.minimum(reached, above), above))

    def intervals(self, condition: Condition) -> Floats:
        """Return the (1, 2) interval of a range, or (0, 2) when it holds no mass."""
        assert isinstance(condition, Between), "quantities take a range"
        if self.values.dtype.kind == "f":
            low, high = self._below(condition.low), self._at(condition.high)
        else:
            first, last = max(condition.low, -_FARTHEST), min(condition.high, _FARTHEST)
            low, high = self._edge(math.ceil(first)), self._edge(math.floor(last) + 1)
        return np.array([[low, high]]) if high > low else np.empty((0, 2))

    def _edge(self, step: int) -> float:
        """Return the mass below step - 1/2: a step stands for all that rounds to it."""
        place = int(np.searchsorted(self.values, step, side="left"))
        if place in (0, len(self.values)):
            return float(place > 0 or len(self.values) == 0)
        start, end = int(self.values[place - 1]), int(self.values[place])
        share = (2 * (step - start) - 1) / (2 * (end - start))
        return float(self.upper[place - 1] + share * (self.lower[place] - self.upper[place - 1]))

    def _below(self, x: float) -> float:
        place = int(np.searchsorted(self.values, x, side="left"))
        if place < len(self.values) and self.values[place] != x:
            return self._between(place, x)
        return float(self.lower[place]) if place < len(self.values) else 1.0

    def _at(self, x: float) -> float:
        place = int(np.searchsorted(self.values, x, side="right"))
        if place > 0 and self.values[place - 1] == x:
            return float(self.upper[place - 1])
        return self._between(place, x) if place < len(self.values) else 1.0

    def _between(self, place: int, x: float) -> float:
        if place == 0:
            return 0.0
        start, end = self.values[place - 1 : place + 1] / 2  # the difference of halves cannot overflow
        share = (x / 2 - start) / (end - start)
        return float(self.upper[place - 1] + share * (self.lower[place] - self.upper[place - 1]))


def inside(intervals: Floats, v: Floats) -> Floats:
    """Map uniform numbers on [0, 1] evenly into a union of intervals.

    >>> inside(np.array([[0.0, 0.1], [0.9, 1.0]]), np.array([0.25, 0.75])).round(3).tolist()
    [0.05, 0.95]
    """
    ends = np.cumsum(intervals[:, 1] - intervals[:, 0])
    mass = v * ends[-1]
    place = np.minimum(np.searchsorted(ends, mass, side="right"), len(ends) - 1)
    low, high = intervals[place, 0], intervals[place, 1]
    drawn = low + (mass - (ends[place] - (high - low)))
    # Rounding must not carry a draw over an edge: the neighbour there may be what a condition forbids.
    return np.asarray(np.clip(drawn, low, np.maximum(np.nextafter(high, low), low)))


Margin = LevelMargin | QuantityMargin


def nothing_at(name: str, condition: Condition) -> NothingMatches:
    """Return the error for a condition that leaves a column no interval.

    A value may well have been seen and yet have no mass: light values share the line between them.
    """
    if isinstance(condition, Among):
        return NothingMatches(f"where: column {name!r}: no row had such a level; ask for another.")
    if isinstance(condition, Between) and condition.low == condition.high:
        return NothingMatches(f"where: column {name!r}: no mass at exactly that value; ask for a range.")
    return NothingMatches(f"where: column {name!r}: no mass in that range; widen it.")


def fit_margins(
    columns: Mapping[str, npt.NDArray[Any]], levels: Mapping[str, int], knots: int
) -> dict[str, Margin]:
    """Return the margin of every column; `levels` names the columns of codes and their level counts."""
    return {
        name: LevelMargin.fit(values, levels[name]) if name in levels else QuantityMargin.fit(values, knots)
        for name, values in columns.items()
    }


def pack(margins: Mapping[str, Margin]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of all margins, named by their place."""
    tensors: dict[str, npt.NDArray[Any]] = {}
    for place, margin in enumerate(margins.values()):
        for field in fields(margin):
            tensors[f"{place}.{field.name}"] = np.asarray(getattr(margin, field.name))
    return tensors


def unpack(tensors: Mapping[str, npt.NDArray[Any]], names: list[str]) -> dict[str, Margin]:
    """Return the margins that `pack` wrote down, under their names."""
    margins: dict[str, Margin] = {}
    for place, name in enumerate(names):
        upper = tensors[f"{place}.upper"]
        if f"{place}.codes" in tensors:
            margins[name] = LevelMargin(tensors[f"{place}.codes"], upper)
        else:
            rest = (tensors[f"{place}.values"], tensors[f"{place}.lower"])
            margins[name] = QuantityMargin(*rest, upper, tensors[f"{place}.missing"].item())
    return margins


def _light(lower: Floats, upper: Floats, heavy: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the intervals with those of light values shrunk to a point, half of their mass on each side."""
    if len(heavy) < 2:
        return lower, upper  # the only value there is has nothing beside it that could take its mass
    middle = (lower + upper) / 2
    middle[0], middle[-1] = 0.0, 1.0
    return np.where(heavy, lower, middle), np.where(heavy, upper, middle)


def _knots(heavy: npt.NDArray[np.bool_], upper: Floats, knots: int) -> npt.NDArray[np.bool_]:
    """Choose the ends, evenly spaced quantiles, the heavy values and both neighbours of each."""
    kept = heavy.copy()
    kept[np.searchsorted(upper, np.linspace(0, 1, knots)).clip(0, len(upper) - 1)] = True
    kept[:-1] |= heavy[1:]
    kept[1:] |= heavy[:-1]
    kept[[0, -1]] = True
    return kept
