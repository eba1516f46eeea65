import pytest
import torch

from engines.dpsgd.networks import perceptron, plan_of, squared
from understudy.engines.dpsgd import PoissonBatches, PrivateGradients, capture
from understudy.errors import BudgetError
from understudy.privacy.stream import Stream


def steps_of(plan, device="cpu"):
    torch.manual_seed(0)
    model, stream = perceptron([3, 8, 2]).to(device), Stream.unsafe_test_noise(1)
    rows = [torch.randn(200, 3).to(device), torch.randn(200, 2).to(device)]
    batches, gradients = PoissonBatches(plan, rows, stream), PrivateGradients(model, plan, stream)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, batches, gradients, capture(gradients, batches, squared, optimizer), optimizer


def by_hand(plan, device="cpu"):
    model, batches, gradients, _, optimizer = steps_of(plan, device)
    for _ in range(plan.steps):
        gradients.step(batches.draw(), squared)
        optimizer.step()
    return model


def assert_same(one, other):
    for left, right in zip(one.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-4)


def test_without_a_device_the_steps_are_those_taken_by_hand():
    plan = plan_of(steps=8)
    model, batches, gradients, steps, _ = steps_of(plan)
    for _ in range(plan.steps):
        steps.step()
    assert not steps.captured and gradients.steps == batches.drawn == 8
    assert_same(model, by_hand(plan))


def test_one_step_more_than_planned_is_refused():
    steps = steps_of(plan_of(steps=1))[3]
    steps.step()
    with pytest.raises(BudgetError):
        steps.step()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="a graph needs a device")
def test_replayed_steps_are_those_taken_by_hand():
    plan = plan_of(steps=12)
    model, batches, gradients, steps, _ = steps_of(plan, "cuda")
    for _ in range(plan.steps):
        steps.step()
    assert steps.captured and gradients.steps == batches.drawn == 12
    assert_same(model, by_hand(plan, "cuda"))
    with pytest.raises(BudgetError):
        steps.step()
