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

__all__ = ["end_with_parent", "main"]

_LOOK = 0.5  # seconds


def end_with_parent(parent: int) -> None:
    """End this process, from a thread, as soon as it is no longer that parent's."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Run the program that the first word names."""
    end_with_parent(os.getppid())
    which = sys.argv.pop(1)
    if which == "superlink":
        from understudy.federated.flower_gate import serve

        serve()
    else:
        from flwr.supernode.cli import flower_supernode

        flower_supernode()


if __name__ == "__main__":
    main()
