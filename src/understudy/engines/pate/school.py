"""PATE-GAN as a play: teachers, a student, and a generator that tries to please it (Jordon et al. 2019).

In every step rows are made. Each teacher learns to tell rows of its own part from them; all teachers vote on
each of them; the student learns what was told of the votes; the generator learns from the student. The
student sees made rows alone, with levels that are drawn. All of it is one step of one loop, from one batch of
made rows.

With noise a vote says little, so the student may learn all that it was told, over and over (`memory`), and
the generator may wait until it knows something (`alone`): both are post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.engines.gan.duel import Networks
from understudy.engines.pate.memory import Memory, Notes
from understudy.engines.pate.parts import RowsByPart, homes_of
from understudy.engines.pate.teachers import Teachers
from understudy.engines.training.game import Picks, Taught, Told
from understudy.errors import ParameterError

__all__ = ["Classroom", "School", "Teaching"]

RECALLED = 4  # notes that a student goes over in a step, for each new one


@final
@dataclass(frozen=True)
class Teaching:
    """How many teachers there are, and what the student makes of their votes.

    `count` teachers, or with 0 one for every `rows_each` rows that there are, as far as that is known, and
    two at the least; `width` is that of their hidden layer. `votes` is what a student learns: the "share" of
    the votes, noise and all, or what the "majority" says. `memory` is how many rows that were voted on the
    student keeps; with 0 it learns each but once. The generator begins after `alone` steps.
    """

    count: int = 0
    rows_each: int = 100
    width: int = 16
    votes: Literal["share", "majority"] = "share"
    memory: int = 0
    alone: int = 0

    def __post_init__(self) -> None:
        if min(self.count, self.width, self.memory, self.alone) < 0 or self.rows_each < 1:
            raise ParameterError("Teaching: no number may be below 0, and rows_each must be 1 or more.")
        if self.votes not in ("share", "majority"):
            raise ParameterError(f"Teaching: votes must be 'share' or 'majority'; got {self.votes!r}.")

    def teachers(self, rows: float) -> int:
        """Return how many teachers there are where there are about so many rows.

        >>> Teaching(rows_each=100).teachers(1_049.0), Teaching(count=7).teachers(1e6)
        (10, 7)
        """
        return self.count or max(2, round(rows / self.rows_each))


@final
class Classroom(nn.Module):
    """Generator and student, which may leave; teachers, who may not; and what was told, and how often."""

    steps: Tensor

    def __init__(self, networks: Networks, teachers: Teachers, memory: int = 0) -> None:
        nn.Module.__init__(self)
        self.networks, self.teachers = networks, teachers
        self.memory = Memory(memory, networks.seen) if memory else None
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))


@final
class School(Taught):
    """The play of a generator, its student and the teachers; `queries` rows are made in a step."""

    def __init__(self, room: Classroom, queries: int, teaching: Teaching, key: bytes) -> None:
        self._room, self._queries, self._teaching, self._key = room, queries, teaching, key

    @property
    def both(self) -> Classroom:
        """All networks."""
        return self._room

    @property
    def released(self) -> Networks:
        """Generator and student; never a teacher."""
        return self._room.networks

    @property
    def queries(self) -> int:
        """How many made rows are voted on in a step."""
        return self._queries

    def picks(self, rows: Tensor) -> Picks:
        """Return how rows are picked in the open: for each teacher from its own part."""
        return self.parts(rows, self._key)

    def parts(self, rows: Tensor, key: bytes) -> Picks:
        """Return how rows are picked when a key says which teacher each belongs to."""
        count = self._room.teachers.count
        return RowsByPart(rows, homes_of(rows.cpu().numpy(), count, key), count)

    def duel(self, both: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,) in the open: the votes are told as they are."""
        return self.lesson(both, rows, noise, _as_they_are)

    def lesson(self, both: nn.Module, rows: Tensor, noise: torch.Generator, told: Told) -> Tensor:
        """Return (b,): the losses of teachers, student and generator, each by its own weights."""
        assert isinstance(both, Classroom), "the play is that of these networks"
        networks, teachers = both.networks, both.teachers
        places = networks.conditions.draw(self._queries, noise)
        made = networks.make(places, noise)
        judged = networks.hardened(made)
        shares = told(teachers.votes(judged)).to(judged.dtype) / teachers.count
        own = networks.shown(rows[:, :-1]).view(teachers.count, -1, networks.seen)
        lost = teachers.losses(own, rows[:, -1].view(teachers.count, -1), judged).sum()
        lost = lost + self._students(both, Notes(judged, places, shares), noise)
        pleasing = functional.softplus(-networks.critic.frozen(made.soft, places[:, None])).mean()
        both.steps.add_(1)
        begun = (both.steps > self._teaching.alone).to(lost.dtype)
        return (lost + begun * (pleasing + networks.missed(made.logits, places))).expand(len(rows))

    def _students(self, both: Classroom, notes: Notes, noise: torch.Generator) -> Tensor:
        """Return the cross-entropy of what was told.

        Shares beyond 0 and 1, as noise makes them, weigh as they are: so it is that of the votes on average.
        """
        if both.memory is not None:
            both.memory.note(notes)
            notes = both.memory.recall(RECALLED * self._queries, noise)
        scores = both.networks.critic(notes.rows, notes.places[:, None])
        shares = notes.shares
        labels = shares if self._teaching.votes == "share" else (shares > 0.5).to(shares.dtype)
        lost: Tensor = functional.softplus(scores) - labels * scores
        return lost.mean()


def _as_they_are(votes: Tensor) -> Tensor:
    return votes
