"""Noise on the sum, counted steps, and the planted bugs that would break the promise."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from engines.dpsgd.networks import batch_of, clipped, perceptron, plan_of, squared
from understudy.engines.dpsgd import PoissonBatches, PrivateGradients
from understudy.engines.dpsgd.grid import Grid
from understudy.errors import BudgetError, ParameterError
from understudy.privacy.stream import Stream

WIDE = 100_000


def nothing(model, x):
    return model(x)[:, 0]


def noise_of(plan, stream=None, **bug):
    """Return the gradient of a wide model on an empty batch: noise alone."""
    model = nn.Linear(WIDE, 1, bias=False)
    gradients = PrivateGradients(model, plan, stream or Stream.unsafe_test_noise(7), **bug)
    nobody = torch.zeros(1, dtype=torch.bool)
    gradients.step(batch_of(plan, torch.zeros(1, WIDE), weight=nobody), nothing)
    return model.weight.grad[0].double()


def is_right(noise, deviation):
    """Accepts the true deviation up to five standard errors (false alarm below 10^-6), at N = 10^5."""
    return abs(float(noise.std()) / deviation - 1) < 5 / math.sqrt(2 * WIDE) and (
        abs(float(noise.mean())) < 5 * deviation / math.sqrt(WIDE)
    )


@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("clip", [0.01, 3.0])
def test_the_noise_is_on_the_sum_and_has_the_planned_size(noise, clip):
    plan = plan_of(noise=noise, clip=clip, batch=64.0)
    found = noise_of(plan)
    assert is_right(found, noise * clip / 64)
    assert not is_right(1.05 * found, noise * clip / 64) and not is_right(found / 1.05, noise * clip / 64)


def test_with_batch_clipping_the_noise_is_on_the_mean_as_printed():
    plan = plan_of(noise=2.0, clip=0.3, batch=64.0, style="batch")
    assert is_right(noise_of(plan), 0.6)
    assert plan.event().noise == pytest.approx(1.0)  # and the event says what that is worth


def test_the_planted_bug_noise_halved_is_caught(monkeypatch):
    monkeypatch.setattr(Grid, "scale", property(lambda self: self.deviation / self.step / 2))
    assert not is_right(noise_of(plan_of(batch=64.0)), plan_of().deviation / 64)


def test_the_planted_bug_noise_on_the_mean_instead_of_the_sum_is_caught(monkeypatch):
    def on_the_mean(self, total, noise, divisor):
        total.div_(divisor).add_(noise * self.step / divisor**2)

    monkeypatch.setattr(Grid, "release", on_the_mean)
    assert not is_right(noise_of(plan_of(batch=64.0)), plan_of().deviation / 64)


def test_the_planted_bug_of_a_seed_that_reaches_the_noise_is_caught(monkeypatch):
    def seeded(*_):
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002 - the global seed that must not matter
        return noise_of(plan_of(), Stream.fresh())

    assert not torch.equal(seeded(), seeded())

    def from_torch(_, __, scale, out):
        out.copy_((scale * torch.randn(len(out))).round())

    monkeypatch.setattr("understudy.engines.dpsgd.source._Processor.noise", from_torch)
    assert torch.equal(seeded(), seeded())


def test_the_signal_is_the_clipped_sum_over_the_public_batch():
    torch.manual_seed(1)
    model, plan = perceptron([3, 4, 2]), plan_of(noise=1e-3, batch=16.0)
    x, y = torch.randn(6, 3), torch.randn(6, 2)
    expected, _ = clipped(model, plan, squared, x, y)
    gradients = PrivateGradients(model, plan, Stream.fresh())
    gradients.step(batch_of(plan, x, y), squared)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name] / 16, rtol=0, atol=6 * plan.deviation / 16)


def test_every_gradient_lies_on_the_grid():
    model, plan = perceptron([3, 4, 2]), plan_of(batch=16.0)
    gradients = PrivateGradients(model, plan, Stream.fresh())
    gradients.step(batch_of(plan, torch.randn(6, 3), torch.randn(6, 2)), squared)
    step = Grid.of(plan, sum(p.numel() for p in model.parameters())).step / 16
    for parameter in model.parameters():
        whole = parameter.grad.double() / step
        assert torch.equal(whole, whole.round())


def run(plan, steps):
    model, stream = nn.Linear(2, 1), Stream.fresh()
    batches, gradients = (
        PoissonBatches(plan, [torch.ones(9, 2)], stream),
        PrivateGradients(model, plan, stream),
    )
    for _ in range(steps):
        gradients.step(batches.draw(), nothing)
    return gradients


def test_as_many_steps_as_planned_are_taken_and_counted():
    gradients = run(plan_of(steps=5), 5)
    assert gradients.steps == 5 == gradients.event().steps


def test_one_step_more_than_planned_is_refused():
    plan = plan_of(steps=5)
    gradients = run(plan, 5)
    with pytest.raises(BudgetError, match="all 5 planned"):
        gradients.step(batch_of(plan, torch.ones(2, 2), number=5), nothing)


def test_the_planted_bug_one_step_uncounted_is_caught(monkeypatch):
    monkeypatch.setattr(PrivateGradients, "count_one", lambda _: None)
    with pytest.raises(ParameterError, match="expected the batch of step 0; got 1"):
        run(plan_of(steps=5), 5)


def test_each_step_has_noise_of_its_own():
    plan = plan_of(steps=2)
    model, stream = nn.Linear(50, 1), Stream.fresh()
    gradients, seen = PrivateGradients(model, plan, stream), []
    for number in range(2):
        nobody = torch.zeros(1, dtype=torch.bool)
        gradients.step(batch_of(plan, torch.zeros(1, 50), weight=nobody, number=number), nothing)
        seen.append(model.weight.grad.clone())
    assert not torch.equal(*seen)


def test_a_batch_of_another_plan_or_step_is_refused():
    plan = plan_of()
    gradients = PrivateGradients(nn.Linear(2, 1), plan, Stream.fresh())
    with pytest.raises(ParameterError, match="another plan"):
        gradients.step(batch_of(plan_of(rate=0.4), torch.ones(2, 2)), nothing)
    with pytest.raises(ParameterError, match="step 0"):
        gradients.step(batch_of(plan, torch.ones(2, 2), number=3), nothing)


def test_noise_of_the_test_stream_is_marked_as_not_private():
    plan = plan_of()
    assert PrivateGradients(nn.Linear(2, 1), plan, Stream.fresh()).private
    marked = PrivateGradients(nn.Linear(2, 1), plan, Stream.unsafe_test_noise(0))
    assert not marked.private and marked.plan is plan


def test_batch_norm_and_a_micro_batch_of_nobody_are_refused():
    with pytest.raises(ParameterError, match="BatchNorm1d"):
        PrivateGradients(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), plan_of(), Stream.fresh())
    with pytest.raises(ParameterError, match="microbatch"):
        PrivateGradients(nn.Linear(2, 1), plan_of(), Stream.fresh(), microbatch=0)


def test_a_private_model_learns():
    torch.manual_seed(0)
    x = torch.randn(2_000, 3)
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
    plan, stream = plan_of(noise=1.0, clip=1.0, rate=0.1, steps=150, batch=200.0), Stream.unsafe_test_noise(1)
    model = nn.Linear(3, 1)
    batches, gradients = PoissonBatches(plan, [x, y], stream), PrivateGradients(model, plan, stream)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(plan.steps):
        gradients.step(batches.draw(), squared)
        optimizer.step()
    assert float(squared(model, x, y).detach().mean()) < 0.2


def test_a_run_taken_up_at_a_step_has_the_noise_it_would_have_had():
    plan, rows, found = plan_of(steps=4), [torch.zeros(0, 3), torch.zeros(0, 2)], []
    for first in (0, 3):
        torch.manual_seed(0)
        model, stream = perceptron([3, 4, 2]), Stream.unsafe_test_noise(1)
        batches, gradients = PoissonBatches(plan, rows, stream), PrivateGradients(model, plan, stream)
        batches.skip_to(first)
        gradients.skip_to(first)
        for _ in range(first, 4):
            gradients.step(batches.draw(), squared)
        found.append(model[0].weight.grad.clone())
        with pytest.raises(BudgetError):
            gradients.count_one()
    assert torch.equal(*found)
