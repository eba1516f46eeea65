"""What recipes of networks share: stages, their pace, and what they ask for."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pytest

from model.toy_generator import ToyGenerator
from understudy import check
from understudy.engines.learner import Learner
from understudy.errors import ParameterError
from understudy.model.network_recipe import NetworkRecipe, Pace
from understudy.model.neural_fit import Method
from understudy.privacy import Budget
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.tables import people

BUDGET = Budget(measure="rho", amount=1.0)


@final
@dataclass(frozen=True)
class TwoLearner(Learner):
    """Trains two scalars that matter to nothing, and draws numbers."""

    stages = ("one", "two")

    def learn(self, fields, fit, seed):
        import torch

        model = torch.nn.Linear(fields.width, 1)
        for stage in self.stages:
            fit.train(stage, model, _square)
        return ToyGenerator(np.random.default_rng(seed).normal(size=(10, fields.width)).astype(np.float32))


def _square(model, rows, noise):
    import torch

    return (model(rows).squeeze(1) - torch.rand(len(rows), generator=noise)) ** 2


@final
@dataclass(frozen=True)
class TwoStages(NetworkRecipe):
    """Two stages of equal settings; tables of one column do not fit it."""

    steps: int = check.integer(6, low=1, high=10)
    lr: float = check.number(0.1, low=0.01, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999)
    noisy_steps: int = check.integer(3, low=1, high=10)
    noisy_lr: float = check.number(0.2, low=0.01, high=1.0)
    rate: float = check.number(1.0, low=0.01, high=1.0)
    margins_share: float = check.number(0.4, low=0.01, high=0.9)
    asked: ClassVar[list] = []

    def stages(self):
        return {"one": 1.0, "two": 2.0}

    def method(self, *, noisy):
        from understudy.engines.training.fit import Settings

        self.asked.append(noisy)
        steps, lr, ema = self.pace(noisy=noisy)
        settings = {name: Settings(steps=steps, batch=16, lr=lr, ema=ema) for name in self.stages()}
        return Method(TwoLearner(), settings, "cpu")

    def refuse_unfit(self, schema):
        if len(schema.columns) == 1:
            raise ParameterError("two_stages: one column is too few.")


def declared():
    return Schema.infer(Table(people())).declare()


def test_a_budget_has_a_pace_of_its_own_and_a_shorter_average():
    assert TwoStages().pace(noisy=False) == Pace(6, 0.1, 0.999)
    assert TwoStages().pace(noisy=True) == Pace(3, 0.2, 0.99)
    assert TwoStages(ema=0.5).pace(noisy=True).ema == 0.5


def test_stages_share_what_the_margins_leave():
    _, one, two = TwoStages().asks(declared())
    assert (one.share, two.share) == pytest.approx((0.2, 0.4))
    assert {(ask.count, ask.rate) for ask in (one, two)} == {(3, 1.0)}


@pytest.mark.parametrize("budget", [None, BUDGET])
def test_the_same_recipe_learns_with_a_budget_and_without(budget):
    TwoStages.asked.clear()
    model = TwoStages().fit(people(), declared(), budget=budget, progress=False)
    assert TwoStages.asked == [budget is not None]
    trained = [entry.name for entry in model.certificate.entries if entry.name.startswith("training")]
    assert trained == ([] if budget is None else ["training.one", "training.two"])
    assert model.certificate.sound is (budget is not None)


@pytest.mark.parametrize("budget", [None, BUDGET])
def test_an_unfit_table_is_refused_before_anything_is_read(budget):
    first = people().select([0])
    with pytest.raises(ParameterError, match="too few"):
        TwoStages().fit(first, Schema.infer(Table(first)).declare(), budget=budget, progress=False)
