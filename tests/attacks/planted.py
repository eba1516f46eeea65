"""Toy private programs, each told apart on two tables one row apart by the best statistic that there is."""

import numpy as np
import torch
from torch import nn

from understudy.engines.dpsgd import Plan, PoissonBatches, PrivateGradients
from understudy.measuring.bounds import bounds_of
from understudy.measuring.likelihood import log_ratio
from understudy.privacy import Certificate, Entry
from understudy.privacy.stream import Stream

DELTA = 1e-9


def within(event, without, having):
    """Whether what was seen of both tables is within what the event costs, at 99.9 %."""
    found = bounds_of(np.array(without), np.array(having), delta=DELTA)
    return found.within(Certificate((Entry("the toy", "measure", event),)))


def reads(mechanism, without, having, runs):
    """The log-likelihood ratios of so many releases of each table, by the law that is claimed."""
    seen = mechanism.statistic(having), mechanism.statistic(without)
    return tuple(
        [
            log_ratio(mechanism, mechanism.release(one, Stream.unsafe_test_noise(first + run)), *seen)
            for run in range(runs)
        ]
        for first, one in ((0, seen[1]), (10**6, seen[0]))
    )


# Every record's gradient is its number: noughts, and one record that goes far beyond the clip.
PLAN = Plan(noise=1.0, clip=1.0, rate=1.0, steps=2, batch=1)
WORLDS = torch.zeros(3, 1), torch.tensor([[0.0], [0.0], [0.0], [50.0]])


def training(rows, seed, *, resumed=False):
    """The sum of both released gradients of a run of two steps, cut off after the first one or not."""
    stream, model = Stream.unsafe_test_noise(seed), nn.Linear(1, 1, bias=False)
    batches = PoissonBatches(PLAN, [rows], stream.child("batches"))
    gradients, told = PrivateGradients(model, PLAN, stream.child("noise")), 0.0
    for step in range(PLAN.steps):
        if resumed and step == 1:
            gradients = PrivateGradients(model, PLAN, stream.child("noise"))
            gradients.skip_to(step)
        gradients.step(batches.draw(), lambda model, x: model(x).squeeze(1))
        # Weights tell each step's gradient: the quietest of them is what an attacker listens to.
        told = float(model.weight.grad) if resumed and step == 1 else told + float(model.weight.grad)
    return told


def trainings(runs, **how):
    return tuple(
        [training(rows, first + run, **how) for run in range(runs)]
        for first, rows in zip((0, 10**6), WORLDS, strict=True)
    )
