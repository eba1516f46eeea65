"""A training run through the vault: paid for first, learning something, and no step more than reserved."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from engines.pate.schools import school
from understudy.engines.dpsgd.plan import Plan
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.dpsgd.training import NoisyTraining
from understudy.engines.training.fit import Settings
from understudy.errors import BudgetError, ParameterError
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.stream import Stream

ROWS = 2_000


def table(rows: int = ROWS) -> dict[str, np.ndarray]:
    x = np.random.default_rng(0).standard_normal(rows)
    return {"x": x, "y": 3 * x + 1}


def loss_of(model: nn.Module, rows: torch.Tensor, _noise: torch.Generator) -> torch.Tensor:
    return (model(rows[:, :1]).squeeze(1) - rows[:, 1]) ** 2


def noisy_loss(model: nn.Module, rows: torch.Tensor, noise: torch.Generator) -> torch.Tensor:
    shift = torch.randn(len(rows), generator=noise)
    return (model(rows[:, :1]).squeeze(1) - rows[:, 1] - shift) ** 2


def mechanism(plan: Plan, loss=loss_of, **more) -> NoisyTraining:
    torch.manual_seed(0)
    settings = Settings(lr=0.1, schedule="linear", ema=0.9)
    trainee = Trainee(nn.Linear(1, 1), loss, settings, **more)
    return NoisyTraining(plan, trainee, lambda columns: np.stack([columns["x"], columns["y"]], axis=1))


PLAN = Plan.sampling(200, ROWS, noise=1.0, clip=1.0, steps=150)


def vault(plan: Plan = PLAN, budget: Budget | None = None) -> Vault:
    ledger = Ledger()
    entry = Entry("training", "train", plan.event(), ("x", "y"), name="training")
    stream = ledger.reserve([entry], budget or Budget(epsilon=20.0, delta=1e-5))
    return Vault(table(), ledger, stream)


def test_a_run_through_the_vault_learns_and_is_in_the_ledger():
    held = vault()
    weights = held.read("training", mechanism(PLAN))
    assert float(weights["weight"]) == pytest.approx(3, abs=0.3)
    assert float(weights["bias"]) == pytest.approx(1, abs=0.3)
    assert held.ledger.entries[0].event == PLAN.event()


def test_a_run_of_one_step_more_than_reserved_is_refused_before_it_starts():
    held, longer = vault(), Plan.sampling(200, ROWS, noise=1.0, clip=1.0, steps=151)
    with pytest.raises(BudgetError):
        held.read("training", mechanism(longer))


def test_a_run_with_less_noise_than_reserved_is_refused():
    held, quieter = vault(), Plan.sampling(200, ROWS, noise=0.9, clip=1.0, steps=150)
    with pytest.raises(BudgetError):
        held.read("training", mechanism(quieter))


def test_a_plan_beyond_the_budget_is_never_reserved():
    with pytest.raises(BudgetError, match="does not fit"):
        vault(budget=Budget(epsilon=0.5, delta=1e-5))


def test_neighbours_are_one_row_apart_wherever_the_row_stands():
    run, rows = mechanism(PLAN), table(50)
    whole = run.statistic(rows)
    for gone in (0, 25, 49):
        rest = run.statistic({name: np.delete(values, gone) for name, values in rows.items()})
        assert run.distance(whole, rest) == 1 == run.sensitivity.value
    assert run.distance(whole, run.statistic({name: values[::-1] for name, values in rows.items()})) == 0


def test_two_runs_of_one_seed_have_different_noise():
    first, second = (vault().read("training", mechanism(PLAN))["weight"] for _ in range(2))
    assert not torch.equal(first, second)


class Odd(nn.Module):
    """A layer that the tape does not know: gradients are taken record by record."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows @ self.weight + self.bias


def test_a_loss_that_draws_is_trained_on_either_road():
    for model in (nn.Linear(1, 1), Odd()):
        settings = Settings(lr=0.1, schedule="linear", ema=0.9)
        run = NoisyTraining(PLAN, Trainee(model, noisy_loss, settings), mechanism(PLAN).matrix)
        weights = vault().read("training", run)
        assert float(weights["weight"]) == pytest.approx(3, abs=0.5)


def test_a_play_whose_critic_is_shown_no_row_is_refused():
    made = school()
    run = mechanism(PLAN, game=made)
    with pytest.raises(ParameterError, match="votes have a read of their own"):
        run.release(run.statistic(table(20)), Stream.unsafe_test_noise(0))
