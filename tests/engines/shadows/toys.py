"""Generators for tests: what they draw is known. Classes of a module, so that processes find them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy.errors import InputError


@dataclass(frozen=True)
class Echo:
    """Draws the places that it learned from; writes down each training where it is told to."""

    log: str = ""

    def __call__(self, rows, seed):
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(f"{seed}\n")
        return lambda size, draw: {
            "place": np.random.default_rng(draw).choice(rows, size),
            "seed": np.full(size, float(seed % 1_000)),
        }


@dataclass(frozen=True)
class Refusing:
    """Learns nothing, and says why."""

    why: str = "toy: it refuses."

    def __call__(self, *_):
        raise InputError(self.why)


@dataclass(frozen=True)
class Short:
    """Draws one row too few."""

    def __call__(self, rows, _):
        return lambda size, _: {"place": rows[: size - 1]}


@dataclass(frozen=True)
class Team:
    """Learns many at once, and finds what was learned so; writes down how many there were each time."""

    folder: str
    quicker: bool = True

    def together(self, lessons):
        with (Path(self.folder) / "log").open("a") as file:
            file.write(f"{len(lessons)}\n")
        if not self.quicker:
            return ()
        for _, seed in lessons:
            (Path(self.folder) / f"{seed}").touch()
        return [Echo()(*lesson) for lesson in lessons]

    def __call__(self, rows, seed):
        known = (Path(self.folder) / f"{seed}").exists()
        if known != self.quicker:
            raise InputError("toy: this was not learned together.")
        return Echo()(rows, seed)
