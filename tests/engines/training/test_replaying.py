import pytest
import torch

from understudy.engines.training.replaying import Replaying

needs_a_device = pytest.mark.skipif(not torch.cuda.is_available(), reason="a graph needs a device")


def test_a_processor_takes_steps_one_by_one():
    taken = []
    steps = Replaying(lambda: taken.append(1), torch.device("cpu"), torch.Generator())
    for _ in range(5):
        steps.take(pytest.fail)
    assert len(taken) == 5


@needs_a_device
def test_each_replay_draws_anew_and_moves_on():
    device = torch.device("cuda")
    generator = torch.Generator(device).manual_seed(0)
    out, at = torch.zeros(10, device=device), torch.zeros(1, dtype=torch.int64, device=device)

    def step():
        out.index_copy_(0, at, torch.rand(1, generator=generator, device=device))
        at.add_(1)

    steps = Replaying(step, device, generator)
    for _ in range(10):
        steps.take(pytest.fail)
    again = torch.Generator(device).manual_seed(0)
    drawn = [float(torch.rand(1, generator=again, device=device)) for _ in range(10)]
    assert out.tolist() == pytest.approx(drawn) and len(set(drawn)) == 10


@needs_a_device
def test_a_step_that_waits_for_the_host_is_taken_without_a_graph_and_that_is_said():
    device, told = torch.device("cuda"), []
    total = torch.zeros((), device=device)

    def step():
        total.add_(1 + 0 * total.item())

    steps = Replaying(step, device, torch.Generator(device))
    for _ in range(6):
        steps.take(told.append)
    assert float(total) == 6 and len(told) == 1 and "one by one" in told[0]
