"""One of Flower's two long-lived programs, as a child that ends when its parent does.

A server or a site that is killed must not leave a SuperLink on its port, nor a SuperNode that says the site
is there. `python -m understudy.federated.flower_child superlink ...` takes the words of `flower-superlink`,
`supernode ...` those of `flower-supernode`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from os import _exit as leave
from types import ModuleType
from typing import Any, final

__all__ = ["OUT_OF_STEP", "OutOfStep", "end_when_out_of_step", "end_with_parent", "main"]

_LOOK = 0.5  # seconds
_RECEIVE = "_pull_and_store_message"
OUT_OF_STEP = 75  # the exit code that says: try again


@final
class OutOfStep(Exception):
    """Ends the loop of a SuperNode in good order: it takes leave, so that the next one is let in."""


def end_with_parent(parent: int) -> None:
    """End this process, from a thread, as soon as it is no longer that parent's."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def end_when_out_of_step(module: ModuleType) -> None:
    """Let a SuperNode end, to be started anew, once it dropped a question that it had begun to take.

    That happens when a server is killed while a question is on its way: the run is over when the rest of it
    is asked for. Flower's loop (1.41) has made a task of it by then, whose answer takes the place of the next
    one, or which waits for its pieces without end. A SuperNode keeps nothing, so a new one is in step.
    """
    receive: Callable[..., int | None] = vars(module)[_RECEIVE]

    def receive_in_step(**parts: Any) -> int | None:
        seen: list[object] = []
        pull = parts["receive"]

        def noted() -> object:
            found = pull()
            seen.extend([] if found is None else [found])
            return found

        run = receive(**{**parts, "receive": noted})
        if run is None and seen:
            raise OutOfStep
        return run

    vars(module)[_RECEIVE] = receive_in_step


def main() -> None:
    """Run the program that the first word names."""
    end_with_parent(os.getppid())
    which = sys.argv.pop(1)
    if which == "superlink":
        from understudy.federated.flower_gate import serve

        serve()
    else:
        from flwr.supernode import start_client_internal
        from flwr.supernode.cli import flower_supernode

        end_when_out_of_step(start_client_internal)
        flower_supernode()
        leave(OUT_OF_STEP)  # at once: it took leave of the server, but threads of its own would go on


if __name__ == "__main__":
    main()
