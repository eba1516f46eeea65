"""A process that trains shadow models: `python -m understudy.engines.shadows.worker FOLDER MODEL ...`."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from understudy.engines.shadows.models import made, put_up
from understudy.engines.shadows.training import FAILED, opened
from understudy.errors import UnderstudyError

__all__ = ["main"]


def main(folder: Path, models: list[int]) -> int:
    """Train these models of a folder and keep their sets there; return the exit code."""
    try:
        make, plan = opened(folder)
        for model in models:
            put_up(made(make, plan, model), folder, model)
    except UnderstudyError as error:  # its text quotes no cell, unlike those of other errors
        part = folder / f"failed.{os.getpid()}.part"
        part.write_text(json.dumps(str(error)), encoding="utf-8")
        part.replace(folder / FAILED)
        return 1
    return 0


def _listen() -> None:
    # Straight from the system: a buffer that a thread reads from cannot be closed when Python ends.
    while os.read(0, 1024):
        pass
    # Whoever asked has left, or was killed: what is being trained is of no use to anybody.
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_listen, daemon=True).start()
    sys.exit(main(Path(sys.argv[1]), [int(model) for model in sys.argv[2:]]))
