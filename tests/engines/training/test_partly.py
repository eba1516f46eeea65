"""The first stage through a private fit, the rest through one that is made when it is needed."""

from typing import final

import numpy as np
import pytest
import torch
from torch import nn

from understudy.engines.training.fit import Fit
from understudy.engines.training.partly import PartlyOpenFit


@final
class Noted(Fit):
    """Trains nothing; adds 1 to the weights and notes the stage."""

    def __init__(self, private):
        self._private, self.stages = private, []

    @property
    def private(self):
        return self._private

    @property
    def rows(self):
        return 42.0

    @property
    def device(self):
        return torch.device("cpu")

    def train(self, stage, model, loss, inputs=None):
        del loss
        self.stages.append((stage, inputs))
        with torch.no_grad():
            model.weight.add_(1)

    def play(self, stage, game):
        self.train(stage, game.both, None)


@pytest.fixture
def fits():
    return Noted(True), Noted(False)


def test_stages_go_where_they_belong_and_rows_are_opened_once(fits):
    private, opened = fits
    asked = []
    fit = PartlyOpenFit(private, "first", lambda weights: asked.append(weights) or opened)
    model = nn.Linear(2, 1, bias=False)
    before = model.weight.detach().clone()
    fit.train("first", model, None)
    assert asked == []
    fit.train("second", nn.Linear(2, 1), None, inputs=len)
    fit.train("third", nn.Linear(2, 1), None)
    assert private.stages == [("first", None)]
    assert opened.stages == [("second", len), ("third", None)]
    assert len(asked) == 1 and np.array_equal(asked[0]["weight"], before.numpy() + 1)


def test_it_does_not_call_itself_private(fits):
    fit = PartlyOpenFit(fits[0], "first", lambda _: fits[1])
    assert not fit.private and fit.rows == 42.0 and fit.device.type == "cpu"
