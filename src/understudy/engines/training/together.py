"""Fits that train as one: each runs as if alone, and where it trains it waits for the others.

Every job runs in a thread of its own, but only one at a time. When all of them wait to be trained, or are
through, models that can stand side by side are trained as one stack (`stacked`), those that cannot by
themselves; then the jobs go on to the next stage. No method has to know of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar, final
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from understudy.engines.training.drawing import NotAhead
from understudy.engines.training.fit import Loss, Settings
from understudy.engines.training.identity import digest_of
from understudy.engines.training.order import seed_of
from understudy.engines.training.slopes import SlopedTogether
from understudy.engines.training.stacked import Batches, train_side_by_side
from understudy.engines.training.widened import shape_of
from understudy.engines.training.written import Pupil, is_written, train_written

__all__ = ["Lesson", "Meeting", "meeting", "together"]

Found = TypeVar("Found")


@final
@dataclass(frozen=True, eq=False)
class Lesson:
    """One stage of one fit: the model, the rows that its loss is given, and how it is trained by itself."""

    model: nn.Module
    loss: Loss
    rows: Tensor
    settings: Settings
    seed: tuple[int, str]
    alone: Callable[[], None]

    def key(self) -> tuple[object, ...]:
        """Return what must be equal for two lessons to be one."""
        told = (self.seed[1], self.settings, self.rows.shape[1:], self.rows.device, digest_of(self.loss))
        return *told, *_shape(self.model)


# Of models that are trained again and again: a shape takes as long to tell as a step of a small network.
_SHAPES: WeakKeyDictionary[nn.Module, tuple[object, ...]] = WeakKeyDictionary()


def _shape(model: nn.Module) -> tuple[object, ...]:
    if model not in _SHAPES:
        _SHAPES[model] = shape_of(model)
    return _SHAPES[model]


def together(jobs: Sequence[Callable[[], Found]], *, alike: bool = False, gladly: bool = True) -> list[Found]:
    """Run all jobs until they are through, and return what they found; the first error of any is raised.

    With `alike` each model learns what it would learn alone, up to the rounding of products side by side; if
    not `gladly`, models stand side by side only where their loss has its derivatives written out for that.
    """
    where = Meeting(len(jobs), alike=alike, gladly=gladly)
    found: dict[int, Found] = {}

    def sit(number: int) -> None:
        with where.turn(number):
            found[number] = jobs[number]()

    threads = [threading.Thread(target=sit, args=(number,), daemon=True) for number in range(len(jobs))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        where.close()
    if where.error is not None:
        raise where.error
    return [found[number] for number in range(len(jobs))]


def meeting() -> Meeting | None:
    """Return the meeting that the present job sits in, if it does."""
    return _PRESENT.get()


@final
class Meeting:
    """Where jobs wait for each other; whoever comes last trains all models."""

    def __init__(self, jobs: int, *, alike: bool = False, gladly: bool = True) -> None:
        self._changed, self._alike, self._gladly = threading.Condition(), alike, gladly
        self._sitting, self._open = jobs, True
        self._brought: dict[int, Lesson] = {}
        self._done: set[Lesson] = set()
        self._failed: dict[Lesson, Exception] = {}
        self.error: BaseException | None = None

    def turn(self, number: int) -> _Turn:
        """Return what a job runs inside: it runs while no other does."""
        return _Turn(self, number)

    def train(self, lesson: Lesson) -> None:
        """Wait until all jobs that are left want to train, and come back with a trained model.

        If the training of all fails, it fails in each job that waited for it, as it would have alone.
        """
        number = _NUMBER.get()
        self._brought[number] = lesson
        self._train_if_all_are_here()
        self._changed.wait_for(lambda: lesson in self._done or lesson in self._failed or not self._open)
        if lesson in self._failed:
            raise self._failed[lesson]
        if lesson not in self._done:
            raise _Closed

    def close(self) -> None:
        """Send everybody home: no job that still waits is trained."""
        with self._changed:
            self._open = False
            self._changed.notify_all()

    def enter(self) -> None:
        """Begin a turn."""
        self._changed.acquire()

    def leave(self, error: BaseException | None) -> None:
        """End a turn for good; others may have waited for this one alone."""
        self._sitting -= 1
        if error is not None:
            self._fail(error)
        else:
            self._train_if_all_are_here(leaving=True)
        self._changed.release()

    def _train_if_all_are_here(self, *, leaving: bool = False) -> None:
        if not self._open or not self._brought or len(self._brought) < self._sitting:
            return
        lessons = [self._brought[number] for number in sorted(self._brought)]
        self._brought = {}
        try:
            _train(lessons, alike=self._alike, gladly=self._gladly)
        except Exception as error:
            # Whoever came last may catch it: the others wait for this too, and must hear of it.
            self._failed.update(dict.fromkeys(lessons, error))
            self._changed.notify_all()
            if leaving:
                return
            raise
        self._done.update(lessons)
        self._changed.notify_all()

    def _fail(self, error: BaseException) -> None:
        if self.error is None and not isinstance(error, _Closed):
            self.error = error
        self._open = False
        self._changed.notify_all()


@final
class _Turn:
    """The time in which a job runs; it ends with the job, whatever becomes of that."""

    def __init__(self, where: Meeting, number: int) -> None:
        self._where, self._number = where, number

    def __enter__(self) -> None:
        self._where.enter()
        _PRESENT.set(self._where)
        _NUMBER.set(self._number)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._where.leave(error)
        return True  # `together` raises it, where somebody hears of it


@final
class _Closed(Exception):
    """This job's training is called off, since another job failed."""


_PRESENT: ContextVar[Meeting | None] = ContextVar("meeting", default=None)
_NUMBER: ContextVar[int] = ContextVar("number")


def _train(lessons: Sequence[Lesson], *, alike: bool, gladly: bool) -> None:
    groups: dict[object, list[Lesson]] = {}
    for lesson in lessons:
        batch = min(lesson.settings.batch, len(lesson.rows)) if alike else None
        groups.setdefault((lesson.key(), batch), []).append(lesson)
    for group in groups.values():
        _train_alike(group, gladly=gladly) if alike else _train_one_side(group)


def _train_alike(lessons: Sequence[Lesson], *, gladly: bool) -> None:
    first, pupils = lessons[0], [Pupil(lesson.model, lesson.rows, lesson.seed) for lesson in lessons]
    if len(lessons) > 1 and is_written(first.loss, pupils, first.settings):
        assert isinstance(first.loss, SlopedTogether), "others are not written out"
        train_written(pupils, first.loss, first.settings)
        return
    if not gladly:
        _train_apart(lessons)
        return
    try:
        _train_one_side(lessons, alike=True)
    except NotAhead:  # raised before the first step
        _train_apart(lessons)


def _train_apart(lessons: Sequence[Lesson]) -> None:
    for lesson in lessons:
        lesson.alone()


def _train_one_side(lessons: Sequence[Lesson], *, alike: bool = False) -> None:
    first = lessons[0]
    if len(lessons) == 1 or first.settings.validation:
        _train_apart(lessons)
        return
    sizes = [len(lesson.rows) for lesson in lessons]
    ends = torch.tensor(sizes).cumsum(0).tolist()
    sets = [torch.arange(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    rows, orders = torch.cat([lesson.rows for lesson in lessons]), [lesson.seed for lesson in lessons]
    batches = Batches(rows, sets, orders, alike)
    models = [lesson.model for lesson in lessons]
    train_side_by_side(models, first.loss, batches, first.settings, seed_of(*first.seed, "together"))
