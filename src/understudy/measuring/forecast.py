"""How long measures will take: by what they took before, this machine's speed, and what is seen on the way.

`costs.json` is written by `benchmarks/metrics_run.py --learn`. For each measure it holds the seconds at
10,000 rows, 10 columns and 10 cells of an encoded row, and the powers with which they grow with each;
beside them the seconds of a fixed small computation on the same machine, against which this one is timed. A
measure that is not in it is guessed by its level.
"""

from __future__ import annotations

import heapq
import json
import math
import time
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, final

import numpy as np

from understudy.measuring.measure import Measure
from understudy.table.evidence import Evidence

__all__ = ["Clock", "expected", "makespan", "sizes", "yardstick"]

UNITS = (10_000, 10, 10)  # rows, columns, cells of an encoded row
_MOST_LEVELS = 64  # of one column that an encoder gives cells of their own
_GUESS = {"quick": (1.0, 1.0, 1.0, 0.0), "standard": (15.0, 1.0, 1.0, 0.0), "full": (120.0, 1.0, 1.0, 0.0)}
_DOUBT = 0.2  # how much of the forecast is trusted as if it had been seen already


def expected(measures: Sequence[Measure], evidence: Evidence) -> list[float]:
    """Return the seconds that each measure is likely to take on one core of this machine."""
    slow = yardstick() / float(_stored()["yardstick"])
    return [slow * _seconds(measure, evidence) for measure in measures]


def sizes(measure: Measure, evidence: Evidence) -> tuple[float, float, float]:
    """Return the rows that a measure looks at, the columns, and the cells of an encoded row, in `UNITS`."""
    rows = max(len(evidence.table("train")), len(evidence.table("synthetic")))
    drawn = min(rows, getattr(measure, "rows", rows))  # of larger tables a measure draws so many rows
    domain = evidence.coding.domain
    cells = sum(1 if column.quantity else min(column.levels, _MOST_LEVELS) for column in domain)
    return drawn / UNITS[0], len(domain) / UNITS[1], cells / UNITS[2]


def yardstick() -> float:
    """Return the seconds of a small fixed computation: the best of three."""
    values = np.random.default_rng(0).standard_normal(100_000)
    square = values[:62_500].reshape(250, 250)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        np.sort(values)
        np.unique(np.rint(values * 100), return_counts=True)
        np.linalg.norm(square @ square)
        times.append(time.perf_counter() - start)
    return min(times)


def makespan(seconds: Sequence[float], workers: int, busy: Sequence[float] = ()) -> float:
    """Return when the last of these jobs ends, longest first, if the workers are busy for so long yet.

    >>> makespan([3, 2, 2], workers=2)
    4.0
    """
    free = [*busy, *(0.0 for _ in range(workers - len(busy)))]
    heapq.heapify(free)
    for each in sorted(seconds, reverse=True):
        heapq.heapreplace(free, free[0] + each)
    return float(max(free, default=0.0))


@final
class Clock:
    """Keeps the forecast of a run true: what has ended corrects what is still to come."""

    def __init__(self, seconds: Sequence[float], workers: int) -> None:
        self._waiting = dict(enumerate(seconds))
        self._running: dict[int, tuple[float, float]] = {}
        self._workers = workers
        self._foreseen = self._seen = _DOUBT * sum(seconds)

    def begun(self, job: int, now: float) -> None:
        """Say that a job has begun."""
        self._running[job] = (self._waiting.pop(job), now)

    def ended(self, job: int, now: float) -> float:
        """Say that a job has ended, and return the seconds that it took."""
        seconds, start = self._running.pop(job)
        self._foreseen += seconds
        self._seen += now - start
        return now - start

    @property
    def running(self) -> list[int]:
        """The jobs that have begun and not ended."""
        return list(self._running)

    def left(self, now: float) -> float:
        """Return the seconds until everything has ended, as far as can be said."""
        ratio = self._seen / self._foreseen if self._foreseen else 1.0
        # A job that takes longer than foreseen is given a fifth of what it took already.
        busy = [max(ratio * s - (now - start), (now - start) / 5) for s, start in self._running.values()]
        return makespan([ratio * seconds for seconds in self._waiting.values()], self._workers, busy)


def _seconds(measure: Measure, evidence: Evidence) -> float:
    name = measure.title().partition(".")[2]
    base, *powers = _stored()["costs"].get(name, _GUESS[measure.level])
    grown = (size**power for size, power in zip(sizes(measure, evidence), powers, strict=True))
    return float(base * math.prod(grown))


@cache
def _stored() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("costs.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored
