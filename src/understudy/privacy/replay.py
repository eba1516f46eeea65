"""Record and replay: the cheapest strong test of a private run (Cebere et al., PETS 2026).

A run on a table is recorded: every mechanism, what it saw and what it released. Then the same run is
made on a neighbouring table with all releases taken from the tape. If the code is right it asks
the same mechanisms in the same order, and what each sees differs by at most its sensitivity.

Nothing here is for production. A vault that reads under a tape writes an entry of infinite price.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import UnderstudyError
from understudy.privacy.mechanism import Mechanism
from understudy.privacy.stream import Stream

__all__ = ["Step", "Tape", "current_tape", "overreach", "recording", "replaying", "strays", "stubbed"]

_ROUNDING = 1e-9  # relative: a distance is added up in floats
Around = Callable[[Mechanism], AbstractContextManager[object]]


@final
@dataclass(frozen=True)
class Step:
    """One read: its name, the mechanism, what it saw, and what it released."""

    name: str
    mechanism: Mechanism
    statistic: npt.NDArray[Any]
    output: Any


@final
@dataclass
class Tape:
    """The reads of a run, and where their outputs come from: fresh noise, an earlier tape, or a stub."""

    output: Callable[[int, str, Mechanism, npt.NDArray[Any]], Any]
    steps: list[Step] = field(default_factory=list)

    def pass_through(self, name: str, mechanism: Mechanism, statistic: npt.NDArray[Any]) -> Any:
        """Note a read and return its output."""
        output = self.output(len(self.steps), name, mechanism, statistic)
        self.steps.append(Step(name, mechanism, statistic, output))
        return output


_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)


def current_tape() -> Tape | None:
    """Return the tape that reads pass through, if any."""
    return _TAPE.get()


@contextmanager
def _running(tape: Tape) -> Iterator[Tape]:
    token = _TAPE.set(tape)
    try:
        yield tape
    finally:
        _TAPE.reset(token)


@contextmanager
def recording(seed: int = 0, around: Around | None = None) -> Iterator[Tape]:
    """Record every read; the noise is a test's, fixed by the seed.

    `around` is what a mechanism releases within: an auditor may listen to it at work.
    """
    noise = Stream.unsafe_test_noise(seed)

    def output(at: int, name: str, mechanism: Mechanism, seen: npt.NDArray[Any]) -> Any:
        with nullcontext() if around is None else around(mechanism):
            return mechanism.release(seen, noise.child(name, at))

    with _running(Tape(output)) as tape:
        yield tape


@contextmanager
def replaying(recorded: Tape) -> Iterator[Tape]:
    """Give every read the output that was recorded, and record what it sees this time.

    A read that was not the next one recorded is refused; `strays` finds the finer differences.
    """

    def output(at: int, name: str, mechanism: Mechanism, _seen: npt.NDArray[Any]) -> Any:
        if at >= len(recorded.steps) or recorded.steps[at].name != name:
            raise UnderstudyError(f"replay: read {at} is {name!r}, which was not the next one recorded.")
        if type(recorded.steps[at].mechanism) is not type(mechanism):
            raise UnderstudyError(f"replay: read {at}, {name!r}, is by another mechanism than was recorded.")
        return copy.deepcopy(recorded.steps[at].output)

    with _running(Tape(output)) as tape:
        yield tape


@contextmanager
def stubbed(recorded: Tape) -> Iterator[Tape]:
    """Give every read the recorded output without looking at what it sees: for taint tests."""
    with _running(
        Tape(lambda at, _name, _mechanism, _seen: copy.deepcopy(recorded.steps[at].output))
    ) as tape:
        yield tape


def strays(recorded: Tape, replayed: Tape) -> list[str]:
    """Return where a replayed run left the recorded one: other questions, or another number of them.

    A question is all that a mechanism is made of. Two rules that turn rows into vectors are the same
    if their code is; what they carry with them shows in what they see.
    """
    found = [
        f"read {at}, {first.name!r}, asks something else"
        for at, (first, second) in enumerate(zip(recorded.steps, replayed.steps, strict=False))
        if first.name != second.name or not _alike(first.mechanism, second.mechanism)
    ]
    if len(recorded.steps) != len(replayed.steps):
        found.append(f"{len(recorded.steps)} reads became {len(replayed.steps)}")
    return found


def overreach(recorded: Tape, replayed: Tape) -> list[str]:
    """Return the reads whose statistic moved by more than their mechanism says that one row can."""
    found = []
    for at, (first, second) in enumerate(zip(recorded.steps, replayed.steps, strict=False)):
        allowed = first.mechanism.sensitivity.value
        moved = _moved(first, second)
        if not moved <= allowed * (1 + _ROUNDING):
            found.append(f"read {at}, {first.name!r}, moved by {moved:g}; at most {allowed:g} is declared")
    return found


def _moved(first: Step, second: Step) -> float:
    if first.statistic.shape[1:] != second.statistic.shape[1:]:
        return math.inf
    try:
        return first.mechanism.distance(first.statistic, second.statistic)
    except ValueError:  # arrays of two lengths: what is told is not even of one kind
        return math.inf


def _alike(left: Any, right: Any) -> bool:
    """Say whether two parts of a mechanism are the same, arrays cell by cell and functions by their code."""
    if type(left) is not type(right):
        return False
    if dataclasses.is_dataclass(left):
        fields = [field.name for field in dataclasses.fields(left)]
        return all(_alike(getattr(left, name), getattr(right, name)) for name in fields)
    if isinstance(left, np.ndarray):
        return bool(left.dtype == right.dtype and np.array_equal(left, right))
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(_alike, left, right))
    if callable(left):
        return bool(getattr(left, "__code__", left) == getattr(right, "__code__", right))
    return bool(left == right)
