"""A crew of processes that take jobs one after another; one that dies loses its job and is replaced."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, final

from understudy.measuring.job import DEBUG

__all__ = ["Crew", "News"]

MODULE = "understudy.measuring.worker"
PATIENCE = 10.0  # seconds that a process may take to end once it has closed its pipe
# Processes are parallel already; threads inside them would only wait for each other.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
) | {"NUMEXPR_NUM_THREADS": "1", "LOKY_MAX_CPU_COUNT": "1"}


@final
@dataclass(frozen=True)
class News:
    """Something that happened to a job: it has begun, it is done (with an answer), or it is lost (why)."""

    job: int
    what: Literal["begun", "done", "lost"]
    text: str = ""


@final
class Crew:
    """Processes for as long as a `with` block lasts; however it ends, they end with it."""

    def __init__(self, folder: Path, jobs: Sequence[tuple[int, str]], size: int) -> None:
        self._folder = folder
        self._jobs = deque(jobs)
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._hired: list[subprocess.Popen[str]] = []
        self._closed = False
        self._servants = [threading.Thread(target=self._serve, daemon=True) for _ in range(size)]

    def __enter__(self) -> Crew:
        for servant in self._servants:
            servant.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closed = True
            for worker in self._hired:
                worker.kill()
        for servant in self._servants:
            servant.join()

    def news(self, wait: float) -> News | None:
        """Return what happened next; None if nothing did for so many seconds."""
        try:
            return self._news.get(timeout=wait)
        except queue.Empty:
            return None

    def _serve(self) -> None:
        """Bring jobs to one process after another, until none is left."""
        worker: subprocess.Popen[str] | None = None
        while (job := self._next()) is not None:
            place, line = job
            self._news.put(News(place, "begun"))
            try:
                worker = worker or self._hire()
            except OSError as error:
                self._news.put(News(place, "lost", f"no process could be started ({error.strerror})."))
                continue
            if worker is None:
                return
            if reply := _ask(worker, line):
                self._news.put(News(place, "done", reply))
            else:
                self._news.put(News(place, "lost", _cause(_bury(worker))))
                worker = None
        if worker is not None:
            _end(worker)

    def _next(self) -> tuple[int, str] | None:
        with self._lock:
            return None if self._closed or not self._jobs else self._jobs.popleft()

    def _hire(self) -> subprocess.Popen[str] | None:
        """Start a process; None if the block has ended meanwhile."""
        with self._lock:
            if self._closed:
                return None
            paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
            worker = subprocess.Popen(  # noqa: S603 - this Python, our own module
                # -P: a file in the working directory must not pass for a module that we did not choose.
                [sys.executable, "-P", "-m", MODULE, str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # What a library complains of may quote cells.
                stderr=None if os.environ.get(DEBUG) == "1" else subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
                text=True,
                encoding="ascii",
            )
            self._hired.append(worker)
            return worker


def _ask(worker: subprocess.Popen[str], line: str) -> str:
    """Return the answer to a job; nothing if the process died over it."""
    assert worker.stdin is not None and worker.stdout is not None, "both are pipes"
    try:
        worker.stdin.write(f"{line}\n")
        worker.stdin.flush()
        reply = worker.stdout.readline()
    except OSError:
        return ""
    return reply if reply.endswith("\n") else ""


def _end(worker: subprocess.Popen[str]) -> int:
    """Close the pipes of a process and return how it ended."""
    for pipe in (worker.stdin, worker.stdout):
        assert pipe is not None, "both are pipes"
        try:
            pipe.close()
        except OSError:  # it died with a job in the pipe; that it died is what the caller goes by
            continue
    return worker.wait()


def _bury(worker: subprocess.Popen[str]) -> int:
    """Return how a process ended that answers no more; one that lingers is made an end of."""
    try:
        worker.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()
    return _end(worker)


def _cause(code: int) -> str:
    if code >= 0:
        return f"its process ended with exit code {code}."
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    guess = "; most likely memory ran out" if name == "SIGKILL" else ""
    return f"its process was ended by {name}{guess}."
