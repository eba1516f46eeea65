"""Many measures on the same evidence: in processes of their own, longest first, with a forecast."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import final

from understudy.errors import ParameterError
from understudy.measuring.crew import Crew, News
from understudy.measuring.forecast import Clock, expected
from understudy.measuring.job import answered, attempt, failed, job
from understudy.measuring.measure import Measure
from understudy.measuring.sharing import shared
from understudy.progress import Progress, show
from understudy.result import Result
from understudy.rng import stream
from understudy.table.evidence import Evidence

__all__ = ["cores", "run", "said_seconds"]

MOST_WORKERS = 1_024
TICK = 0.5  # seconds between two looks at the clock


def run(
    measures: Sequence[Measure],
    evidence: Evidence,
    *,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    done: Callable[[int, Result], None] | None = None,
) -> list[Result]:
    """Measure everything; the results come in the order of the measures.

    `done` is told the place and the result of each measure as soon as it ends.

    One process for each core unless `workers` says otherwise; with 0 everything happens in this process, for
    a debugger. A measure that fails, or whose process is killed, has the value NaN and a note that says why.
    The same seed gives the same results whatever the number of workers.
    """
    size = _size(workers, len(measures))
    stream(seed)  # a seed that is none is refused before anything is begun
    lines = [job(measure, int(seed)) for measure in measures] if size else []
    seconds = expected(measures, evidence)
    order = sorted(range(len(measures)), key=lambda place: -seconds[place])
    with show(progress) as watcher:
        board = _Board(measures, Clock(seconds, max(1, size)), watcher, done)
        if size == 0:
            return _alone(measures, evidence, order, board, seed)
        with shared(evidence) as folder, Crew(folder, [(p, lines[p]) for p in order], size) as crew:
            return _together(measures, crew, board)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@final
class _Board:
    """What a person sees of a run: how much is done, how long the rest will take, and what is under way."""

    def __init__(
        self,
        measures: Sequence[Measure],
        clock: Clock,
        watcher: Progress,
        done: Callable[[int, Result], None] | None,
    ) -> None:
        self._tell_done = done
        self._names = [measure.title().partition(".")[2] for measure in measures]
        self._clock, self._watcher, self._done = clock, watcher, 0
        watcher.stage("judging", len(measures))
        self.tick()

    def begun(self, job: int) -> None:
        """Say that a measure has begun."""
        self._clock.begun(job, time.perf_counter())
        self.tick()

    def ended(self, job: int) -> float:
        """Say that a measure has ended, and return the seconds that it took."""
        seconds = self._clock.ended(job, time.perf_counter())
        self._done += 1
        self._watcher.step()
        self.tick()
        return seconds

    def found(self, job: int, result: Result) -> Result:
        """Pass a result on to whoever asked to be told."""
        if self._tell_done is not None:
            self._tell_done(job, result)
        return result

    def tick(self) -> None:
        """Bring the line up to date."""
        left = said_seconds(self._clock.left(time.perf_counter()))
        names = ", ".join(self._names[job] for job in self._clock.running)
        self._watcher.tell(f"{self._done} of {len(self._names)} measures, about {left} left  {names}")


def said_seconds(seconds: float) -> str:
    """Return a forecast in the few digits that it deserves.

    >>> said_seconds(0.3), said_seconds(47.2), said_seconds(200)
    ('1 s', '47 s', '3 min 20 s')
    """
    whole = max(1, round(seconds))
    return f"{whole} s" if whole < 60 else f"{whole // 60:,} min {whole % 60} s"


def _alone(
    measures: Sequence[Measure], evidence: Evidence, order: list[int], board: _Board, seed: int
) -> list[Result]:
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    found: dict[int, Result] = {}
    # The same number of threads as in a worker: sums of floats depend on it.
    with threadpool_limits(1):
        for place in order:
            board.begun(place)
            found[place] = attempt(measures[place], evidence, seed)
            board.ended(place)
            board.found(place, found[place])
    return [found[place] for place in range(len(measures))]


def _together(measures: Sequence[Measure], crew: Crew, board: _Board) -> list[Result]:
    found: dict[int, Result] = {}
    while len(found) < len(measures):
        news = crew.news(TICK)
        if news is None:
            board.tick()
        elif news.what == "begun":
            board.begun(news.job)
        else:
            outcome = _outcome(measures[news.job], news, board.ended(news.job))
            found[news.job] = board.found(news.job, outcome)
    return [found[place] for place in range(len(measures))]


def _outcome(measure: Measure, news: News, seconds: float) -> Result:
    return answered(news.text) if news.what == "done" else failed(measure, news.text, seconds)


def _size(workers: int | None, jobs: int) -> int:
    if workers is None:
        return min(cores(), jobs)
    if isinstance(workers, bool) or not isinstance(workers, int) or not 0 <= workers <= MOST_WORKERS:
        raise ParameterError(
            f"run: workers must be a whole number from 0 to {MOST_WORKERS:,}, or None; got {workers!r}."
        )
    return min(workers, jobs)
