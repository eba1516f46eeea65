"""A process that measures: jobs come as lines on standard input, results leave on what was standard output.

It is started as `python -m understudy.measuring.worker FOLDER`, afresh and not as a fork: OpenMP libraries
do not survive a fork, and a program that calls `run` needs no `if __name__ == "__main__"` around it.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import TextIO

from understudy.measuring.job import answer, attempt, restored
from understudy.measuring.sharing import reopen

__all__ = ["main"]


def main(folder: str) -> None:
    """Measure whatever is asked for, until nobody asks any more."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    out = _own(sys.stdout)
    evidence = reopen(Path(folder))
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    while True:
        measure, seed = restored(lines.get())
        out.write(f"{answer(attempt(measure, evidence, seed))}\n")
        out.flush()


def _own(stdout: TextIO) -> TextIO:
    """Return the pipe of results for ourselves; what libraries print goes where errors go."""
    pipe = os.fdopen(os.dup(stdout.fileno()), "w", encoding="ascii")
    os.dup2(2, stdout.fileno())
    return pipe


def _listen(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    # Whoever asked has left, or was killed: even a measure that has hours to go is of no use to anybody.
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    main(sys.argv[1])
