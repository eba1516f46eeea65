"""One thread for torch: sums then come in one order, and the same seed gives the same bytes.

The number of threads belongs to the whole process. Whoever sets it holds a lock until the old one is back,
so that two who train side by side do not take each other's number for the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

__all__ = ["one_thread"]

_ALONE = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread for a while, and then as many as before.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    with _ALONE:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)
