"""Where words leave the program: a stream that may be missing, full, or closed by its reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast, final

__all__ = ["Outlet", "outlets"]


@final
class Outlet:
    """A stream that keeps its first refusal instead of raising it; all else is the stream's own.

    A command whose reader has gone away finishes what it does and leaves with its own exit code. Raised in
    the midst of a `print`, the refusal would cut the command off and hide how it ended.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.refusal: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write, unless the stream has refused before."""
        if self.refusal is None:
            try:
                return self.stream.write(text)
            except OSError as error:
                self.refusal = error
        return len(text)

    def flush(self) -> None:
        """Send what is held back, unless the stream has refused before."""
        if self.refusal is None:
            try:
                self.stream.flush()
            except OSError as error:
                self.refusal = error

    def drop(self) -> None:
        """Let what a refusing stream still holds run into nothing: it would complain at the very end."""
        if self.refusal is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


@contextmanager
def outlets() -> Iterator[tuple[Outlet, Outlet]]:
    """Put outlets where standard output and error are, and the streams back afterwards."""
    # Without a console, or where the caller closed its streams, there is None: it speaks to nobody.
    before = sys.stdout, sys.stderr
    nobody = [cast(TextIO, open(os.devnull, "w")) for stream in before if stream is None]  # noqa: SIM115 - below
    spare = iter(nobody)
    out, err = (Outlet(next(spare) if stream is None else stream) for stream in before)
    sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, err)
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr = before
        for stream in nobody:
            stream.close()
