"""A loss with its derivatives written out: a training uses them, and learns what it would have learned."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch import nn

from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.slopes import Sloped, Slopes
from understudy.engines.training.steps import OpenSteps


class Squares(Sloped):
    """The squared error of a linear model that tells 0, with its derivative written out."""

    def __init__(self):
        self.heard = []

    def __call__(self, model, rows, noise):
        del noise
        return model(rows).square().sum(-1)

    def slopes(self, model, batch, *, short):
        self.heard.append(f"{'short ' if short else ''}slopes of {batch}")
        return Written(self, model)


class Written(Slopes):
    def __init__(self, loss, model):
        self.loss, self.model = loss, model

    @property
    def learned(self):
        return list(self.model.parameters())

    def begin(self):
        self.loss.heard.append("block")

    def put(self, rows, noise):
        del noise
        self.loss.heard.append("put")
        with torch.no_grad():
            self.model.weight.grad = 2 * self.model(rows).T @ rows / len(rows)

    @contextmanager
    def computing(self):
        self.loss.heard.append("begins")
        yield
        self.loss.heard.append("ends")


def trained(loss, **settings):
    model = nn.Linear(3, 1, bias=False)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, -2.0, 3.0]]))
    rows = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    OpenFit(rows, {"a": Settings(steps=3, batch=5, **settings)}, 0, device="cpu").train("a", model, loss)
    return model.weight.detach()


def test_a_training_takes_the_derivatives_that_are_written_out():
    loss = Squares()
    trained(loss, precision="float32")
    assert loss.heard == ["slopes of 5", "begins", "block", "put", "put", "put", "ends"]


@pytest.mark.parametrize("settings", [{}, {"clip": 0.1}, {"ema": 0.5}, {"pull": 0.1}])
def test_it_learns_what_it_learns_by_automatic_differentiation(settings):
    assert torch.allclose(trained(Squares(), **settings), trained(Squares().__call__, **settings))


def test_half_precision_asks_for_short_products():
    loss = Squares()
    trained(loss, precision="bf16")
    assert loss.heard[0] == "short slopes of 5"


def test_the_loss_that_is_shown_is_that_of_the_last_batch_and_disturbs_nothing():
    rows, model = torch.arange(6.0).view(2, 3), nn.Linear(3, 1, bias=False)
    steps = OpenSteps(model, Squares(), rows, Settings(steps=2, batch=2), (0, "a"))
    steps.begin(0)
    steps.take(print)
    before = torch.random.get_rng_state()
    assert steps.loss() == pytest.approx(model(rows).square().mean().item())
    assert torch.equal(torch.random.get_rng_state(), before)
