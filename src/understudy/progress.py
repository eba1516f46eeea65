"""Progress that a person sees on a terminal and a pipe never does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, final

if TYPE_CHECKING:
    import rich.progress

__all__ = ["Progress", "Silent", "show"]


class Progress(Protocol):
    """What a long job tells its watcher: the stage it is in, and steps done of it."""

    def stage(self, name: str, steps: int = 1) -> None:
        """Begin a named stage of so many steps; the previous one is finished."""

    def step(self, done: int = 1) -> None:
        """Advance the present stage."""

    def tell(self, text: str) -> None:
        """Say something else in the line of the present stage."""


@final
class Silent:
    """A watcher that says nothing."""

    def stage(self, name: str, steps: int = 1) -> None:
        """Ignore the stage."""

    def step(self, done: int = 1) -> None:
        """Ignore the step."""

    def tell(self, text: str) -> None:
        """Ignore the words."""


@final
class _Bar:
    """A rich progress bar, one line per stage."""

    def __init__(self, bar: rich.progress.Progress) -> None:
        self._bar = bar
        self._task: rich.progress.TaskID | None = None

    def stage(self, name: str, steps: int = 1) -> None:
        """Finish the present line and open the next one."""
        if self._task is not None:
            self._bar.update(self._task, completed=self._bar.tasks[self._task].total)
        self._task = self._bar.add_task(name, total=steps)

    def step(self, done: int = 1) -> None:
        """Advance the present line."""
        if self._task is not None:
            self._bar.advance(self._task, done)

    def tell(self, text: str) -> None:
        """Change the words of the present line."""
        if self._task is not None:
            self._bar.update(self._task, description=text)


@contextmanager
def show(wanted: bool) -> Iterator[Progress]:
    """Yield a live bar on an interactive standard error, a silent watcher elsewhere."""
    # A program without a console has no standard error at all.
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Rich, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Rich(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)
