"""A while without garbage collection, for what must not be disturbed: the capture of a CUDA graph.

While a stream is captured nothing on the device may be freed. A graph of an earlier training that lies in a
cycle of references is freed whenever the collector comes by; if that is during a capture, the capture fails.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["undisturbed"]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Collect garbage now, and not again before the end.

    >>> with undisturbed():
    ...     gc.isenabled()
    False
    """
    gc.collect()
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
