"""Who learns from what in a school: nothing passes from rows to the student but what is told of votes."""

import numpy as np
import pytest
import torch

from engines.pate.schools import RULES, bytes_of, school, seeded, some_rows, taught, teachers_of
from understudy.engines.fields import Fields
from understudy.engines.pate.memory import Notes
from understudy.engines.pate.school import Teaching
from understudy.errors import ParameterError


def always_two(votes):
    return torch.full_like(votes, 2)


def as_they_are(votes):
    return votes


def test_with_the_same_votes_told_no_row_reaches_student_or_generator():
    rows = some_rows()
    others = [some_rows(seed=1), np.ones_like(rows), rows[:1], rows[:0]]
    one = taught(rows, always_two, memory=30)
    for other in others:
        found = taught(other, always_two, memory=30)
        assert bytes_of(found.released) == bytes_of(one.released)
        assert teachers_of(found) != teachers_of(one)


def test_rows_that_are_no_numbers_spoil_teachers_and_nobody_else():
    rows = some_rows()
    rows[:, 1] = np.nan
    made = taught(rows, as_they_are)
    assert not any(torch.isfinite(p).all() for p in made.both.teachers.parameters())
    assert all(torch.isfinite(p).all() for p in made.released.parameters())


@pytest.mark.parametrize("gone", [0, 17, 59])
def test_a_row_more_or_less_changes_one_teacher_and_one_vote(gone):
    rows, seen = some_rows(), []

    def noted(votes):
        seen.append(votes.clone())
        return always_two(votes)

    whole = teachers_of(taught(rows, noted))
    rest = teachers_of(taught(np.delete(rows, gone, axis=0), noted))
    assert sum(a != b for a, b in zip(whole, rest, strict=True)) == 1
    assert len(seen) == 16 and all(len(votes) == 10 for votes in seen)
    for first, second in zip(seen[:8], seen[8:], strict=True):
        assert int((first - second).abs().max()) <= 1


def test_what_is_told_reaches_the_student_and_no_teacher_knows_of_it_before_rows_are_made():
    rows = some_rows()
    one, other = taught(rows, always_two, steps=1), taught(rows, as_they_are, steps=1)
    assert bytes_of(one.released.critic) != bytes_of(other.released.critic)
    assert teachers_of(one) == teachers_of(other)
    assert bytes_of(one.released.generator) == bytes_of(other.released.generator)


def test_the_student_is_shown_made_rows_with_levels_that_are_drawn(monkeypatch):
    made, shown = school(), []
    critic = made.released.critic
    forward = type(critic).forward
    monkeypatch.setattr(
        type(critic), "forward", lambda self, x, *rest: shown.append(x) or forward(self, x, *rest)
    )
    picks = made.picks(torch.from_numpy(some_rows()))
    losses = made.duel(made.both, picks(5, seeded()), seeded(1))
    assert losses.shape == (30,) and len(shown) == 1
    assert shown[0].shape == (10, 6) and not shown[0].requires_grad
    assert set(shown[0][:, 1:].flatten().tolist()) == {0.0, 1.0}
    assert (shown[0][:, 1:4].sum(1) == 1).all() and (shown[0][:, 4:].sum(1) == 1).all()


def test_a_student_learns_shares_beyond_nought_and_one_or_what_the_majority_says():
    # Of a student that knows nothing, the slope of the loss is how much too little it thinks of a row.
    for votes, wanted in (("share", [2.5, -0.1, -2.5]), ("majority", [0.5, -0.5, -0.5])):
        for share, slope in zip((-2.0, 0.6, 3.0), wanted, strict=True):
            made = school(votes=votes)
            leave = made.released.critic.leave
            torch.nn.init.zeros_(leave.weight)
            torch.nn.init.zeros_(leave.bias)
            notes = Notes(torch.zeros(2, 6), torch.zeros(2, dtype=torch.int64), torch.full((2,), share))
            lost = made._students(made.both, notes, seeded())
            assert float(torch.autograd.grad(lost, leave.bias)[0]) == pytest.approx(slope)


def test_a_student_goes_over_what_it_was_told_and_keeps_it():
    made = taught(some_rows(), always_two, memory=45)
    memory = made.both.memory
    assert int(memory.told) == 80 and memory.rows.shape == (45, 6)
    assert (memory.shares == 2 / 6).all()
    assert set(memory.rows[:, 1:].flatten().tolist()) == {0.0, 1.0}, "what is kept are made rows"


def test_the_generator_waits_while_the_student_learns_alone():
    rows = some_rows()
    waiting, fresh = taught(rows, as_they_are, steps=4, alone=4), school()
    assert bytes_of(waiting.released.generator) == bytes_of(fresh.released.generator)
    assert bytes_of(waiting.released.critic) != bytes_of(fresh.released.critic)
    begun = taught(rows, as_they_are, steps=5, alone=4)
    assert bytes_of(begun.released.generator) != bytes_of(fresh.released.generator)


def test_a_table_of_numbers_alone_and_one_of_levels_alone_are_taught():
    for fields in (Fields((0, 1), (), ()), Fields((), (0, 1), (2, 3))):
        rows = np.ones((20, 2), np.float32)
        assert all(
            torch.isfinite(p).all() for p in taught(rows, as_they_are, fields=fields).both.parameters()
        )
    assert RULES.asks


def test_how_many_teachers_there_are_follows_from_about_how_many_rows():
    assert Teaching(rows_each=50).teachers(1_000.0) == 20
    assert Teaching(rows_each=50).teachers(1.0) == 2
    assert Teaching(count=9).teachers(1.0) == 9
    for wrong in ({"count": -1}, {"rows_each": 0}, {"width": -1}, {"votes": "all"}, {"memory": -1}):
        with pytest.raises(ParameterError, match="Teaching"):
            Teaching(**wrong)
