"""Progress that a person sees on a terminal and a pipe never does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, final

if TYPE_CHECKING:
    import rich.progress

__all__ = ["Progress", "Silent", "show"]


class Progress(Protocol):
    """What a long job tells its watcher: its stage, steps done of it; and where work is kept."""

    @property
    def keep(self) -> Path | None:
        """The folder for work that a job which was cut off can go on with; None where nothing is kept."""

    def stage(self, name: str, steps: int = 1) -> None:
        """Begin a named stage of so many steps; the previous one is finished."""

    def step(self, done: int = 1) -> None:
        """Advance the present stage."""

    def tell(self, text: str) -> None:
        """Say something else in the line of the present stage."""


@final
class Silent:
    """A watcher that says nothing."""

    def __init__(self, keep: Path | None = None) -> None:
        self.keep = keep

    def stage(self, name: str, steps: int = 1) -> None:
        """Ignore the stage."""

    def step(self, done: int = 1) -> None:
        """Ignore the step."""

    def tell(self, text: str) -> None:
        """Ignore the words."""


@final
class _Bar:
    """A rich progress bar, one line per stage."""

    def __init__(self, bar: rich.progress.Progress, keep: Path | None = None) -> None:
        self._bar, self.keep = bar, keep
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
def show(wanted: bool, keep: Path | None = None) -> Iterator[Progress]:
    """Yield a live bar on an interactive standard error, a silent watcher elsewhere; both know `keep`."""
    # A program without a console has no standard error at all.
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield Silent(keep)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Rich, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Rich(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar, keep)
