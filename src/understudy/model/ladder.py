"""Where a quantity lies, from noisy counts of its rows by powers of two: bounds, and first parts inside them.

What matters is the distance to the farthest rows: values far below it, of either sign, are all near nought.
So the farthest power is found first; of the ladder only the highest rungs are kept on each side; and what
lies below them is one part, which holds the rows that no rung has. All of it is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.table.magnitude import CELLS, SMALLEST

__all__ = ["Parts", "parts_of"]

Floats = npt.NDArray[np.float64]
Run = tuple[int, int]

RUNGS = 7  # kept on each side: what lies below is within 2^-7 of the farthest power, on either side of nought
# Deviations of noise that each rung of a run must add to be worth going on: from 32 deviations of rows on
# the more of them, the more rows there are: then a rung that is missed holds hardly any of them.
PENALTY, MORE, MOST = 1.1, 0.4, 3.0
LEAST = 4.0  # deviations beyond the penalty that make a run sure by itself
LIKELY = 2.0  # deviations beyond the penalty that make it likely, if rows must lie somewhere
OTHER_SIDE, OF_REST = 1.0, 0.1  # deviations, and share of rows left over, that rungs beyond a run need
LEFT_OVER = 2.0  # deviations by which rows are left over
NOUGHT = 3.0  # deviations that the count of noughts needs to be more than noise
WINDOW = 8  # rungs that are looked at together where no run stands out
_NOUGHT = CELLS // 2
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
    [8, 16, 32]
    """
    base = -SMALLEST if whole else 0  # whole numbers have no rung below 1
    up = np.asarray(counts[_NOUGHT + 1 + base :], dtype=np.float64)
    down = np.asarray(counts[: _NOUGHT - base][::-1], dtype=np.float64)
    ladder = _Ladder((up, down), float(counts[_NOUGHT]), sigma, base)
    return _in_own_terms(*ladder.laid_out(rows), whole=whole)


@final
@dataclass(frozen=True, eq=False)
class _Ladder:
    """Counts of rungs upwards and downwards from nought, of noughts, and the deviation of each."""

    sides: tuple[Floats, Floats]
    noughts: float
    sigma: float
    base: int

    def laid_out(self, rows: float) -> tuple[Floats, Floats, Floats]:
        """Return edges, counts and variances of the parts that so many rows lie in."""
        runs = self._runs(rows)
        if runs == (None, None):
            return np.zeros(2), np.array([rows]), np.array([self.sigma**2])
        top = max(run[1] for run in runs if run is not None)
        lowest = max(top - RUNGS + 1, 0)
        rest, noise = self._rest(runs, lowest, rows)
        if None in runs and self.noughts <= NOUGHT * self.sigma and rest <= LEFT_OVER * noise:
            return self._run_alone(runs, lowest)
        ends = [self._reach(place, run, (lowest, top), rest) for place, run in enumerate(runs)]
        return self._around_nought((ends[0], ends[1]), lowest, rows)

    def _runs(self, rows: float) -> tuple[Run | None, Run | None]:
        """Return the rungs of each side that hold rows in a row, None for a side without."""
        doublings = math.log2(max(rows / (32 * self.sigma), 1.0))
        penalty = min(PENALTY + MORE * doublings, MOST) * self.sigma
        found = [_best_run(side, penalty) for side in self.sides]
        runs = [run if score > LEAST * self.sigma else None for score, run in found]
        if runs == [None, None] and rows - self.noughts > LEFT_OVER * self.sigma:
            if max(score for score, _ in found) <= LIKELY * self.sigma:
                # Rows that are spread over many rungs may stand out on none of them.
                found = [_fullest(side) for side in self.sides]
            place = int(found[1][0] > found[0][0])
            runs[place] = found[place][1]
        return runs[0], runs[1]

    def _rest(self, runs: tuple[Run | None, Run | None], lowest: int, rows: float) -> tuple[float, float]:
        """Return the rows that the runs do not hold, and the deviation of that."""
        held = [
            side[max(run[0], lowest) : run[1] + 1]
            for side, run in zip(self.sides, runs, strict=True)
            if run is not None
        ]
        noise = self.sigma * math.sqrt(sum(len(each) for each in held))
        return rows - sum(float(each.sum()) for each in held), noise

    def _reach(self, place: int, run: Run | None, kept: tuple[int, int], rest: float) -> int:
        """Return the farthest rung of a side, -1 if it has none: its run's end, or beyond, where rows are."""
        lowest, top = kept
        end = -1 if run is None else run[1]
        start = max(lowest, end + 1)
        beyond = self.sides[place][start : top + 1]
        if len(beyond) == 0:
            return end
        noise = OTHER_SIDE * self.sigma * np.sqrt(np.arange(1, len(beyond) + 1))
        gain = np.cumsum(beyond) - np.maximum(noise, OF_REST * rest)
        return start + int(gain.argmax()) if gain.max() > 0 else end

    def _run_alone(self, runs: tuple[Run | None, Run | None], lowest: int) -> tuple[Floats, Floats, Floats]:
        """Return the rungs of the one run that holds all rows: it may lie well away from nought."""
        place = 0 if runs[0] is not None else 1
        first, last = runs[place] or (0, 0)
        rungs = range(max(first, lowest), last + 1)
        edges = np.array([self._power(rung) for rung in range(rungs.start, last + 2)])
        counts = self.sides[place][rungs.start : last + 1]
        if place == 1:
            edges, counts = -edges[::-1], counts[::-1]
        return edges, counts, np.full(len(counts), self.sigma**2)

    def _around_nought(
        self, ends: tuple[int, int], lowest: int, rows: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return rungs of both sides and one part for all that lies below them, with the rest of the rows."""
        below, above = range(ends[1], lowest - 1, -1), range(lowest, ends[0] + 1)
        down, up = [self.sides[1][rung] for rung in below], [self.sides[0][rung] for rung in above]
        edges = [
            *(-self._power(rung + 1) for rung in below),
            -self._power(lowest) if below else 0.0,
            *(self._power(rung) for rung in above),
            self._power(ends[0] + 1) if above else 0.0,
        ]
        counts = np.array([*down, rows - float(sum(down) + sum(up)), *up])
        variances = np.full(len(counts), self.sigma**2)
        variances[len(down)] *= max(len(down) + len(up), 1)
        return np.array(edges), counts, variances

    def _power(self, rung: int) -> float:
        return float(2.0 ** (rung + self.base + SMALLEST))


def _best_run(side: Floats, penalty: float) -> tuple[float, Run]:
    """Return the rungs in a row that hold most, each less the penalty, and what they hold."""
    best, found, held, start = -math.inf, (0, 0), 0.0, 0
    for rung, gain in enumerate(side - penalty):
        if held <= 0:
            held, start = 0.0, rung
        held += float(gain)
        if held > best:
            best, found = held, (start, rung)
    return best, found


def _fullest(side: Floats) -> tuple[float, Run]:
    sums = np.convolve(side, np.ones(WINDOW), mode="valid")
    place = int(sums.argmax())
    return float(sums[place]), (place, place + WINDOW - 1)


def _in_own_terms(edges: Floats, counts: Floats, variances: Floats, *, whole: bool) -> Parts:
    """Return parts from each edge up to the next: a negative rung holds its inner edge, not its outer one."""
    if not whole:
        inside = np.where(edges < 0, np.nextafter(edges, np.inf), edges)
        inside[-1] = np.nextafter(0.0, np.inf) if edges[-1] == 0 else inside[-1]
        return Parts(inside, counts, variances)
    steps = np.where(edges < 0, np.floor(edges) + 1, np.ceil(edges))
    steps[-1] = 1 if edges[-1] == 0 else steps[-1]
    return Parts(np.clip(steps, -_FARTHEST, _FARTHEST).astype(np.int64), counts, variances)
