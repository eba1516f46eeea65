"""Few threads for torch. With one, sums come in one order, and the same seed gives the same bytes.

The number of threads belongs to the whole process. Whoever sets it holds a lock until the old one is back,
so that two who train side by side do not take each other's number for the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import RLock

import torch

__all__ = ["few_threads", "one_thread"]

_ALONE = RLock()


def one_thread() -> AbstractContextManager[None]:
    """Let torch use one thread for a while, and then as many as before.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    return few_threads(1)


@contextmanager
def few_threads(most: int) -> Iterator[None]:
    """Let torch use so many threads at most for a while, and then as many as before."""
    with _ALONE:
        before = torch.get_num_threads()
        torch.set_num_threads(min(before, most))
        try:
            yield
        finally:
            torch.set_num_threads(before)
