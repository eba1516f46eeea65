"""Two computations at once, on two cores.

Small products of matrices gain little from being divided among cores: threads wait for each other in each
(a step of `tvae.paper()`: 10.4 ms of two cores in place of 7.3 of one). Of two halves of a batch, each stays
on a core from its first product to its last. Torch lets other threads of Python run while it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import final

import torch

from understudy.engines.nets.one_thread import one_thread

__all__ = ["Beside"]


@final
class Beside:
    """Runs two functions at once while it is `open` and torch has more than one thread; else in turns.

    >>> with Beside().open() as beside:
    ...     beside.both(lambda: None, lambda: None)
    """

    def __init__(self) -> None:
        self._other: ThreadPoolExecutor | None = None

    @contextmanager
    def open(self) -> Iterator[Beside]:
        """Hold a second thread ready, and torch at one in each."""
        if torch.get_num_threads() == 1:
            yield self
            return
        with one_thread(), ThreadPoolExecutor(1) as other:
            self._other = other
            try:
                yield self
            finally:
                self._other = None

    def both(self, first: Callable[[], None], second: Callable[[], None]) -> None:
        """Run both, and return when both are done."""
        if self._other is None:
            first()
            second()
            return
        under_way = self._other.submit(second)
        first()
        under_way.result()

    def ahead(self, work: Callable[[], None]) -> Future[None] | None:
        """Begin what will be needed, and return what tells its end; nothing is begun on one core."""
        return None if self._other is None else self._other.submit(work)
