"""Measures with known behaviour, in a module that a worker can import too."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pyarrow as pa

from understudy import check
from understudy.errors import TooFewRows
from understudy.measuring.comparison import Comparison
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Measure
from understudy.table.evidence import Evidence

SECRET = "Ottilie of 12 Mill Lane"


def evidence(rows=200, seed=0, **more):
    """Return two mixed tables of one law."""
    rng = np.random.default_rng(seed)
    tables = [
        pa.table(
            {
                "x": rng.standard_normal(rows),
                "sex": rng.choice(["F", "M"], rows),
                "g": rng.integers(5, size=rows),
            }
        )
        for _ in range(2)
    ]
    return Evidence(train=tables[0], synthetic=tables[1], **more)


@final
@dataclass(frozen=True)
class Gap(Comparison):
    """The difference of the means of x; 0 is best."""

    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    def score(self, real, synthetic, rng):  # noqa: ARG002
        return Score(float(real["x"].mean() - synthetic["x"].mean()))


@final
@dataclass(frozen=True)
class Distance(Comparison):
    """The absolute difference of the means of x; 0 is best."""

    def score(self, real, synthetic, rng):  # noqa: ARG002
        return Score(float(abs(real["x"].mean() - synthetic["x"].mean())), {"one": 1.0})


@final
@dataclass(frozen=True)
class SplitDistance(Comparison):
    """The same, with parts of the real rows for its null."""

    null_by = "split"

    def score(self, real, synthetic, rng):  # noqa: ARG002
        return Score(float(abs(real["x"].mean() - synthetic["x"].mean())))


@final
@dataclass(frozen=True)
class Undefined(Comparison):
    """A score that no table has."""

    def score(self, real, synthetic, rng):  # noqa: ARG002
        return Score(np.nan, {"part": np.nan})


class Odd(Measure):
    """A measure whose `find` is a line of code."""


@final
@dataclass(frozen=True)
class Drawn(Odd):
    """A number drawn from the generator, and a table that all measures share."""

    scale: float = check.number(1.0, low=0.0, high=10.0)

    def find(self, evidence, rng):
        total = evidence.cached(("total",), evidence.coded("train")["x"].sum)
        return Finding(Score(self.scale * rng.random() + total), 0.0, 100.0, 0.0, np.int64(3), ("drawn",))


@final
@dataclass(frozen=True)
class Refusing(Odd):
    """Refuses, by a typed error."""

    def find(self, evidence, rng):  # noqa: ARG002
        raise TooFewRows("toy: it needs 1,000,000 rows; got fewer.")


@final
@dataclass(frozen=True)
class Quoting(Odd):
    """Fails with an error of another library that quotes a cell."""

    def find(self, evidence, rng):  # noqa: ARG002
        raise ValueError(f"could not convert {SECRET!r} to float")


@final
@dataclass(frozen=True)
class Hungry(Odd):
    """Asks for more memory than there is."""

    def find(self, evidence, rng):  # noqa: ARG002
        raise MemoryError


@final
@dataclass(frozen=True)
class Killed(Odd):
    """Dies as a process does that takes too much memory."""

    def find(self, evidence, rng):  # noqa: ARG002
        os.kill(os.getpid(), signal.SIGKILL)


@final
@dataclass(frozen=True)
class Leaving(Odd):
    """Ends its process by itself."""

    def find(self, evidence, rng):  # noqa: ARG002
        raise SystemExit(3)


@final
@dataclass(frozen=True)
class Chatty(Odd):
    """Prints, as libraries do."""

    def find(self, evidence, rng):  # noqa: ARG002
        print("0:	learn: 0.5	total: 1ms")
        os.write(1, b"from below Python\n")
        return Finding(Score(1.0), 1.0, 1.0, 1.0, 1)


@final
@dataclass(frozen=True)
class Threads(Odd):
    """How many threads the linear algebra of this process has at most."""

    def find(self, evidence, rng):  # noqa: ARG002
        from threadpoolctl import threadpool_info

        most = max((pool["num_threads"] for pool in threadpool_info()), default=1)
        return Finding(Score(float(most)), 1.0, 1.0, 1.0, 1)


@final
@dataclass(frozen=True)
class Slow(Odd):
    """Takes its time, and says what process it ran in."""

    seconds: float = check.number(30.0, low=0.0, high=100.0)

    def find(self, evidence, rng):  # noqa: ARG002
        time.sleep(self.seconds)
        return Finding(Score(float(os.getpid())), 0.0, 1e9, 0.0, 1)
