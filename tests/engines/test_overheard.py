"""What is overheard speaks for a row that is there, and says nothing of one that is not."""

import numpy as np
import pytest
import torch
from torch import nn

from engines.pate.schools import school, some_rows
from understudy.engines.dpsgd import Plan, PoissonBatches, PrivateGradients
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.overheard import overhearing, speaks_for
from understudy.engines.pate.votes import NoisyVotes
from understudy.engines.training.fit import Settings
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.stream import Stream

PLAN = Plan(noise=0.01, clip=1.0, rate=1.0, steps=1, batch=4)


def heard_of(rows, row):
    stream, model = Stream.unsafe_test_noise(0), nn.Linear(2, 1, bias=False)
    nn.init.constant_(model.weight, 0.1)
    gradients = PrivateGradients(model, PLAN, stream.child("noise"))
    with overhearing(row) as heard:
        gradients.step(PoissonBatches(PLAN, [rows], stream.child("batches")).draw(), lambda m, x: m(x)[:, 0])
    return heard, gradients


def test_a_noisy_sum_speaks_for_a_row_as_far_as_it_lies_along_its_gradient():
    # The gradient of a record is the record: one along each axis, that in question longer than the clip.
    rows = torch.tensor([[1.0, 0.0], [0.0, 5.0]])
    (there,), gradients = heard_of(rows, np.array([[0.0, 5.0]], np.float32))
    (gone,), _ = heard_of(rows[:1], np.array([[0.0, 5.0]], np.float32))
    # A clipped gradient of length 1 over a noise of 0.01: 1 / 0.01^2, up to the noise itself.
    assert there > 9_000 and abs(gone) < 1_000
    assert gradients.model.weight.grad is not None
    assert abs(speaks_for(gradients, gradients.model, lambda m: 0 * m.weight.sum()[None])) == 0


def test_nothing_is_overheard_when_nobody_listens_any_more():
    rows = torch.ones(2, 2)
    heard, _ = heard_of(rows, np.ones((1, 2), np.float32))
    heard_of(rows, np.ones((1, 2), np.float32))
    assert len(heard) == 1


def test_teachers_are_the_worst_there_can_be_while_somebody_listens():
    def lessons(rows):
        made = school(queries=10, teachers=50)
        trainee = Trainee(made.both, made.duel, Settings(3, 5), game=made)
        with overhearing(rows[:1]) as heard:
            read = NoisyVotes(DiscreteGaussian(0.1, 30), trainee, lambda _: rows)
            read.release(rows, Stream.unsafe_test_noise(1))
        return [round(each * 0.1**2) for each in heard]

    # No teacher has a row before the first step; then each that has one votes for all ten rows.
    assert lessons(some_rows(1)) == [0, 10, 10]
    assert lessons(some_rows(0).reshape(0, 3)) == [0, 0, 0]


def test_a_row_is_listened_for_as_the_training_sees_it():
    # Rows become their halves on the way: the row in question is known as such a half, too.
    rows, row = torch.tensor([[0.0, 0.5]]), np.array([[0.0, 1.0]], np.float32)
    stream, model = Stream.unsafe_test_noise(0), nn.Linear(2, 1, bias=False)
    gradients = PrivateGradients(model, PLAN, stream.child("noise"))
    with overhearing(row, inputs=lambda x: x / 2) as heard:
        gradients.step(PoissonBatches(PLAN, [rows], stream.child("batches")).draw(), lambda m, x: m(x)[:, 0])
    assert heard[0] == pytest.approx(0.25 / 0.01**2, rel=0.1)


def test_what_was_heard_of_a_training_that_dies_is_kept():
    heard, row = [], np.ones((1, 2), np.float32)

    def dying():
        with overhearing(row, heard=heard):
            heard_of(torch.ones(2, 2), row)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        dying()
    assert len(heard) == 1


def test_a_gradient_that_is_not_finite_speaks_for_nothing():
    _, gradients = heard_of(torch.ones(2, 2), np.ones((1, 2), np.float32))
    assert speaks_for(gradients, gradients.model, lambda m: (m.weight.sum() * torch.inf)[None]) == 0
