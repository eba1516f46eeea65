"""Where a quantity lies, from noisy counts of its rows by powers of two: bounds, and first parts inside them.

What matters is the distance to the farthest rows: values far below it, of either sign, are all near nought.
So the parts are rungs of the ladder in a row, on one side of nought or on both; if they reach nought, all
that lies below the lowest of them is one part too, or, where rungs among it clearly hold rows, as many more
rungs. Which rungs, the counts say by their evidence. Let m parts
hold all n rows, every split of them equally likely beforehand, and all other parts none. Noisy counts y then
have the evidence

    (m - 1)! / n^(m - 1) * integral of prod N(y; c, s^2) over all splits c of n rows,

which is, but for the ends of the integral, a product over the parts of sqrt(2 pi) s / n * exp(y^2 / 2 s^2),
times n N(n - sum of y; 0, sum of s^2), times (m - 1)!. So a part must hold more than noise to be worth it,
and the parts together about as many rows as there are (MacKay 2003, chapter 28). All of it is
post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, log_ndtr

from understudy.table.magnitude import CELLS, SMALLEST

__all__ = ["Parts", "parts_of"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

RUNGS = 7  # kept on each side: what lies below is within 2^-7 of the farthest power, on either side of nought
DOUBT = 0.5  # logarithm of how much less likely each part more is beforehand
FAR = 0.1  # the same for each doubling away from 1: numbers of everyday size are the likelier ones
GAP = 8.0  # the same for rungs without rows between others: noise makes one of many cells stand out far away
CLEAR = 5.0  # deviations of noise that noughts must hold to have a part of their own
_NOUGHT = CELLS // 2
_LEAST = 0.5  # steps: whole numbers above it are at least 1
_FARTHEST = 2.0**62  # steps: twice as many are no whole number of 64 bits


@final
@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a quantity: rising edges, the last just past the highest value; what each holds; variances."""

    edges: npt.NDArray[Any]
    counts: Floats
    variances: Floats


def parts_of(counts: npt.NDArray[Any], sigma: float, rows: float, *, whole: bool) -> Parts:
    """Return the parts where the rows of one column lie, by its counts in the cells of `magnitude`.

    >>> counts = np.zeros(CELLS)
    >>> counts[_NOUGHT + 36], counts[_NOUGHT + 35] = 900, 100
    >>> parts_of(counts, 5.0, 1_000.0, whole=True).edges.tolist()
    [9, 17, 33]
    """
    base = -SMALLEST - 1 if whole else 0  # whole numbers have no rung below that of 1
    up = np.asarray(counts[_NOUGHT + 1 + base :], dtype=np.float64)
    down = np.asarray(counts[: _NOUGHT - base][::-1], dtype=np.float64)
    ladder = _Ladder((up, down), float(counts[_NOUGHT]), sigma, rows, base)
    return _in_own_terms(*ladder.laid_out(), whole=whole)


@final
@dataclass(frozen=True)
class _Around:
    """Parts around nought: below the lowest rung on the sides that are 1, and so many rungs from it on.

    `even` is 1 where rows below the lowest rung are taken to be spread, 0 where they are all noughts.
    """

    lowest: int
    above: int
    below: int
    up: int
    down: int
    even: int


@final
@dataclass(frozen=True, eq=False)
class _Ladder:
    """Counts of rungs upwards and downwards from nought, of noughts, the deviation of each, and all rows."""

    sides: tuple[Floats, Floats]
    noughts: float
    sigma: float
    rows: float
    base: int

    def laid_out(self) -> tuple[Floats, Floats, Floats]:
        """Return edges, counts and variances of the parts that the rows most likely lie in."""
        alone = [self._alone(side) for side in self.sides]
        around = [self._around(*sides, even) for sides in ((1, 1), (1, 0), (0, 1)) for even in (0, 1)]
        best = int(np.argmax([*(each[0] for each in alone), *(each[0] for each in around)]))
        if best > 1:
            return self._around_nought(self._with_lower_rungs(around[best - 2][1]))
        _, first, many = alone[best]
        edges, held = _powers(first, many, self.base), self.sides[best][first : first + many]
        if best == 1:
            edges, held = -edges[::-1], held[::-1]
        return edges, held, np.full(many, self.sigma**2)

    def _alone(self, side: Floats) -> tuple[float, int, int]:
        """Return the evidence for rungs in a row on one side, and which: the first, and how many."""
        held, gain = _sums(side), _sums(self._gain(side, self.sigma**2))
        first, many = np.arange(len(side))[:, None], np.arange(1, RUNGS + 1)[None, :]
        past = np.minimum(first + many, len(side))
        found = self._evidence(gain[past] - gain[first], held[past] - held[first], many, many * self.sigma**2)
        found = found - _far(first + many, self.base)
        place = int(np.where(first + many <= len(side), found, -np.inf).argmax())
        return float(found.ravel()[place]), place // RUNGS, place % RUNGS + 1

    def _around(self, up: int, down: int, even: int) -> tuple[float, _Around]:
        """Return the evidence for parts from nought on, upwards, downwards or both, and which these are.

        The rows below the lowest rung are all noughts, or spread evenly, whichever speaks louder.
        """
        first = 1 - even  # rungs that a side must have: noughts alone are no reason to go farther
        lowest, above, below = np.ogrid[
            : len(self.sides[0]), first * up : RUNGS * up + 1, first * down : RUNGS * down + 1
        ]
        near, spread = self._near(lowest, up * even, down * even)
        gain, held = np.maximum(self._gain(near, spread), self._apart(lowest, up * even, down * even)), near
        for side, many in zip(self.sides, (above, below), strict=True):
            past = np.minimum(lowest + many, len(side))
            gains, sums = _sums(self._gain(side, self.sigma**2)), _sums(side)
            gain, held = gain + gains[past] - gains[lowest], held + sums[past] - sums[lowest]
        found = self._evidence(gain, held, above + below + 1, spread + (above + below) * self.sigma**2)
        past = lowest + np.maximum(above, below)
        doubt = _far(past, self.base) + DOUBT * (up + down)
        found = np.where(past <= len(self.sides[0]), found - doubt, -np.inf)
        best = np.unravel_index(int(found.argmax()), found.shape)
        rungs = (int(best[1]) + first * up, int(best[2]) + first * down)
        return float(found.max()), _Around(int(best[0]), rungs[0], rungs[1], up, down, even)

    def _with_lower_rungs(self, which: _Around) -> _Around:
        """Return the parts with all rungs down to the lowest one that clearly holds rows, on either side.

        A side of which only what lies below the lowest rung was taken in, and clearly no row, is left out.
        """
        sides = which.even * which.up, which.even * which.down
        near, spread = self._near(np.array(which.lowest), *sides)
        if not which.even or self._apart(np.array(which.lowest), *sides) <= self._gain(near, spread):
            return which
        clear = [
            np.flatnonzero(on * (self._gain(side[: which.lowest], self.sigma**2) > 0))
            for on, side in zip(sides, self.sides, strict=True)
        ]
        first = int(min((each[0] for each in clear if len(each)), default=which.lowest))
        ends = [
            which.lowest + many if many else int(found.max(initial=first - 1)) + 1
            for many, found in zip((which.above, which.below), clear, strict=True)
        ]
        above, below = (on * (end - first) for on, end in zip(sides, ends, strict=True))
        return _Around(first, above, below, int(above > 0), int(below > 0), 0)

    def _near(self, lowest: Places, up: int, down: int) -> tuple[Floats, Floats]:
        """Return what is counted from nought to the lowest rung, upwards and downwards, and its variance."""
        held = self.noughts + up * _sums(self.sides[0])[lowest] + down * _sums(self.sides[1])[lowest]
        return held, np.asarray((1 + (up + down) * lowest) * self.sigma**2, dtype=np.float64)

    def _apart(self, lowest: Places, up: int, down: int) -> Floats:
        """Return what the cells from nought to the lowest rung add, where some tell by themselves.

        By their sum alone they would add less than as rungs of their own: with thousands of rows in them, it
        would be likelier that all far rows are noise than that near ones lie below the lowest rung.
        """
        alone = np.maximum(self._gain(np.array(self.noughts), self.sigma**2), 0.0)
        sides = [_told_by_rungs(self._gain(side, self.sigma**2))[lowest] for side in self.sides]
        found = alone + up * sides[0] + down * sides[1]
        return np.where(found > 0, found, -np.inf)

    def _gain(self, counted: Floats, variance: float | Floats) -> Floats:
        """Return what each part adds to the logarithm of the evidence by holding rows."""
        deviation = np.sqrt(variance)
        place, end = counted / deviation, self.rows / deviation
        price = np.log(np.sqrt(2 * np.pi) / end) - DOUBT
        return np.asarray(0.5 * place**2 + _log_chance(-place, end - place) + price)

    def _evidence(self, gain: Floats, held: Floats, many: Places, variance: npt.NDArray[Any]) -> Floats:
        """Return the logarithm of the evidence for so many parts, which must hold all rows together."""
        density = -0.5 * (self.rows - held) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)
        return np.asarray(gain + gammaln(many) + np.log(self.rows) + density)

    def _around_nought(self, which: _Around) -> tuple[Floats, Floats, Floats]:
        """Return rungs of both sides and what lies below them: one part, or noughts and what is beside."""
        low, many = which.lowest, which.above + which.below
        up, down = self.sides[0][low : low + which.above], self.sides[1][low : low + which.below][::-1]
        begin = -_powers(low, which.below, self.base)[::-1] if which.down and (low or which.below) else [0.0]
        end = _powers(low, which.above, self.base) if which.up and (low or which.above) else [0.0]
        sides = which.even * which.up, which.even * which.down
        near, variance = map(float, self._near(np.array(low), *sides))
        if many:
            # By its own count, and by what the others leave over.
            rest, noise = self.rows - float(up.sum() + down.sum()), many * self.sigma**2
            near = (noise * near + variance * rest) / (noise + variance)
            variance = 1 / (1 / noise + 1 / variance)
        middle, unsure = np.array([near]), np.array([variance])
        if self.base and low and not which.even and self.noughts > CLEAR * self.sigma:
            begin, middle, unsure = self._with_noughts_apart(which, np.asarray(begin), near, variance)
        variances = np.concatenate(
            [np.full(which.below, self.sigma**2), unsure, np.full(which.above, self.sigma**2)]
        )
        return np.concatenate([begin, end]), np.concatenate([down, middle, up]), variances

    def _with_noughts_apart(
        self, which: _Around, begin: Floats, near: float, variance: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return edges up to nought's own, and what lies below, in and above it, as far as there are sides.

        Where all rows below the lowest rung are noughts, equal pieces may never come to nought: 12 times 64
        of 2^11 whole numbers are wider than 1, and every other nought would come out as a 1.
        """
        spread = which.lowest * self.sigma**2
        held = [float(side[: which.lowest].sum()) for side in self.sides]
        beside = [((held[1], spread),) if which.down else (), ((held[0], spread),) if which.up else ()]
        parts = np.array([*beside[0], (near, variance), *beside[1]])
        nought = np.array([0.0, _LEAST] if which.up else [0.0])
        edges = np.concatenate([begin, nought]) if which.down else nought
        return edges, parts[:, 0], parts[:, 1]


def _told_by_rungs(gain: Floats) -> Floats:
    """Return what all rungs below each one add, those that tell by themselves, less their gaps."""
    clear = gain > 0
    gaps = np.concatenate([[False], clear[:-1] & ~clear[1:]])  # the first rung of each
    return _sums(np.where(clear, gain, 0.0) - GAP * gaps)


def _far(past: Places, base: int) -> Floats:
    """Return how much less likely parts that end with this rung are beforehand."""
    return np.asarray(FAR * np.abs(past + base + SMALLEST))


def _powers(first: int, many: int, base: int) -> Floats:
    return np.asarray(2.0 ** (np.arange(first, first + many + 1) + base + SMALLEST))


def _sums(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


def _log_chance(low: Floats, high: Floats) -> Floats:
    """Return the logarithm of the chance that a normal number lies between two ends."""
    low, high = (
        np.where(low > 0, -high, low),
        np.where(low > 0, -low, high),
    )  # the lower tail is the exact one
    most = log_ndtr(high)
    return np.asarray(most + np.log1p(-np.exp(log_ndtr(low) - most)))


def _in_own_terms(edges: Floats, counts: Floats, variances: Floats, *, whole: bool) -> Parts:
    """Return parts from each edge up to the next: a positive rung holds its outer edge, not its inner one."""
    if not whole:
        inside = np.where(edges > 0, np.nextafter(edges, np.inf), edges)
        inside[-1] = np.nextafter(0.0, np.inf) if edges[-1] == 0 else inside[-1]
        return Parts(inside, counts, variances)
    steps = np.where(edges > 0, np.floor(edges) + 1, np.ceil(edges))
    steps[-1] = 1 if edges[-1] == 0 else steps[-1]
    return Parts(np.clip(steps, -_FARTHEST, _FARTHEST).astype(np.int64), counts, variances)
