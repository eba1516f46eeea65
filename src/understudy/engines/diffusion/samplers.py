"""Walks from noise back to a table: one loop for numbers and codes, for every kind of noise and of step.

What is noise for numbers and for codes is said by two walks, and the loop asks a denoiser at every time:

    discrete time     Gaussian(eta=1) ancestral, Gaussian(eta=0) DDIM; Multinomial
    continuous time   EDM; Masked

With `second` the numbers take each step again along the mean of the directions at its two ends: Heun's
method, for walks without fresh noise. Known cells are put in at every time with the noise of that time, and
`again` walks each `jump` of steps more than once so that the others can fit them (Lugmayr et al. 2022,
RePaint); cells of masked codes are shown as they are. A walk may also begin late, at rows that go with the
known cells (`donors`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, final

import torch
from torch import Tensor

from understudy.errors import ParameterError

__all__ = [
    "CodesWalk",
    "Denoiser",
    "Fixed",
    "NoCodes",
    "NumbersWalk",
    "Plan",
    "sample",
    "times",
    "unit_times",
]

# (numbers (b, k), codes (b, m), times (b,)) -> what the numbers' walk expects (b, k), logits (b, total)
Denoiser = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


class NumbersWalk(Protocol):
    """What the loop asks of numbers: `Gaussian` and `EDM` answer."""

    def start(self, rows: int, generator: torch.Generator, /) -> Tensor:
        """Return numbers of the first time."""

    def noised(self, x: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None) -> Tensor:
        """Return numbers of time t, given those of time `since`, or the record's own."""

    def direction(self, x: Tensor, guess: Tensor, t: Tensor, /) -> Tensor:
        """Return the noise in x by the network's guess."""

    def move(
        self, x: Tensor, direction: Tensor, t: Tensor, s: Tensor, generator: torch.Generator, /
    ) -> Tensor:
        """Return numbers of time s."""


class CodesWalk(Protocol):
    """What the loop asks of codes: `Multinomial`, `Masked` and `NoCodes` answer."""

    shows_known: ClassVar[bool]

    def start(self, rows: int, generator: torch.Generator, /) -> Tensor:
        """Return codes of the first time."""

    def noised(
        self, codes: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None
    ) -> Tensor:
        """Return codes of time t, given those of time `since`, or the record's own."""

    def step(
        self, codes_t: Tensor, logits: Tensor, t: Tensor, s: Tensor, generator: torch.Generator, /
    ) -> Tensor:
        """Return codes of time s."""


@final
class NoCodes:
    """The codes of a table, or of a latent space, that has none."""

    shows_known: ClassVar[bool] = True

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return (rows, 0)."""
        return torch.zeros(rows, 0, dtype=torch.int64, device=generator.device)

    def noised(
        self,
        codes: Tensor,
        t: Tensor,
        generator: torch.Generator,
        since: Tensor | None = None,
    ) -> Tensor:
        """Return the codes."""
        del t, generator, since
        return codes

    def step(
        self,
        codes_t: Tensor,
        logits: Tensor,
        t: Tensor,
        s: Tensor,
        generator: torch.Generator,
    ) -> Tensor:
        """Return the codes."""
        del logits, t, s, generator
        return codes_t


@final
@dataclass(frozen=True, eq=False)
class Fixed:
    """Cells that a drawn row must have: (rows, k) numbers and (rows, m) codes, where the masks are true."""

    numbers: Tensor
    numbers_mask: Tensor
    codes: Tensor
    codes_mask: Tensor


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """The times to walk through, falling, the last below 0: the record itself.

    `lifts`, one per step, are times a little above, to which fresh noise takes the walk before each step
    (the churn of EDM). `second`, `again` and `jump` are as the module says.
    """

    times: Tensor
    lifts: Tensor | None = None
    second: bool = False
    again: int = 1
    jump: int = 1

    def __post_init__(self) -> None:
        if self.times.dim() != 1 or len(self.times) < 2 or min(self.again, self.jump) < 1:
            raise ParameterError("Plan: expected two times or more, and again and jump of 1 or more.")
        if self.lifts is not None and len(self.lifts) != len(self.times) - 1:
            raise ParameterError("Plan: expected one lift per step, or none.")


def times(steps: int, count: int, spacing: Literal["even", "quadratic"] = "even") -> Tensor:
    """Return `count` of the times 0 .. steps - 1, falling, and -1; quadratic ones are denser near the record.

    >>> times(1000, 4), times(1000, 4, "quadratic")
    (tensor([999, 666, 333,   0,  -1]), tensor([999, 444, 111,   0,  -1]))
    """
    if not 1 <= count <= steps:
        raise ParameterError(f"times: the number of steps must be 1 to {steps}; got {count}.")
    part = torch.linspace(0, 1, count, dtype=torch.float64) if count > 1 else torch.ones(1).double()
    places = ((steps - 1) * (part if spacing == "even" else part**2)).round().long()
    return torch.cat([torch.maximum(places, torch.arange(count)).flip(0), torch.tensor([-1])])


def unit_times(count: int) -> Tensor:
    """Return `count` times from 1 to 0, and -1: those of continuous walks.

    >>> unit_times(3)
    tensor([ 1.0000,  0.5000,  0.0000, -1.0000])
    """
    if count < 1:
        raise ParameterError(f"unit_times: the number of steps must be 1 or more; got {count}.")
    return torch.cat([torch.linspace(1, 0, count), -torch.ones(1)])


@torch.no_grad()
def sample(
    denoiser: Denoiser,
    walks: tuple[NumbersWalk, CodesWalk],
    plan: Plan,
    rows: int,
    generator: torch.Generator,
    *,
    fixed: Fixed | None = None,
    start: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """Draw rows: (rows, k) numbers and (rows, m) codes, on the device of the generator.

    The walk begins at noise, or at the rows of `start` with the noise of the first time put on them.
    """
    moments = plan.times.to(generator.device)
    lifts = moments if plan.lifts is None else plan.lifts.to(generator.device)
    walk = _Walk(denoiser, *walks, plan, generator, fixed, moments, lifts)
    state = walk.pinned(walk.start(rows) if start is None else walk.noised(start), moments[0])
    for first in range(0, len(moments) - 1, plan.jump):
        last = min(first + plan.jump, len(moments) - 1)
        for left in reversed(range(plan.again)):
            for place in range(first, last):
                state = walk.step(state, place)
            state = walk.back(state, moments[last], moments[first]) if left else state
    return state


_State = tuple[Tensor, Tensor]


@final
@dataclass(frozen=True, eq=False)
class _Walk:
    denoiser: Denoiser
    numbers: NumbersWalk
    codes: CodesWalk
    plan: Plan
    generator: torch.Generator
    fixed: Fixed | None
    moments: Tensor
    lifts: Tensor

    def start(self, rows: int) -> _State:
        return self.numbers.start(rows, self.generator), self.codes.start(rows, self.generator)

    def noised(self, state: _State) -> _State:
        t = self.moments[0]
        numbers = self.numbers.noised(state[0], t, self.generator)
        return numbers, self.codes.noised(state[1], t, self.generator)

    def step(self, state: _State, place: int) -> _State:
        t, s = self.moments[place], self.moments[place + 1]
        last = place == len(self.moments) - 2
        if self.plan.lifts is not None:
            lifted = self.lifts[place]
            state, t = self.back(state, t, lifted), lifted
        return self.once(state, t, s, second=self.plan.second and not last)

    def once(self, state: _State, t: Tensor, s: Tensor, *, second: bool) -> _State:
        x, codes = state
        guess, logits = self.denoiser(x, codes, t.expand(len(x)))
        direction = self.numbers.direction(x, guess, t)
        later = self.codes.step(codes, logits, t, s, self.generator)
        then = self.pinned((self.numbers.move(x, direction, t, s, self.generator), later), s)
        if not second:
            return then
        # A denoiser may know a quicker way to numbers alone: the codes have moved already.
        quick: Denoiser = getattr(self.denoiser, "numbers_alone", self.denoiser)
        guess, _ = quick(*then, s.expand(len(x)))
        mean = (direction + self.numbers.direction(then[0], guess, s)) / 2
        return self.pinned((self.numbers.move(x, mean, t, s, self.generator), then[1]), s)

    def back(self, state: _State, s: Tensor, t: Tensor) -> _State:
        numbers = self.numbers.noised(state[0], t, self.generator, since=s)
        return self.pinned((numbers, self.codes.noised(state[1], t, self.generator, since=s)), t)

    def pinned(self, state: _State, t: Tensor) -> _State:
        fixed = self.fixed
        if fixed is None:
            return state
        numbers = self.numbers.noised(fixed.numbers, t, self.generator)
        codes = fixed.codes if self.codes.shows_known else self.codes.noised(fixed.codes, t, self.generator)
        return (
            torch.where(fixed.numbers_mask, numbers, state[0]),
            torch.where(fixed.codes_mask, codes, state[1]),
        )
