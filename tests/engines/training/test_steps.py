import pytest
import torch

from engines.training.networks import network, noisy_loss, rows_of
from understudy.engines.training.fit import Settings
from understudy.engines.training.steps import OpenSteps
from understudy.errors import ParameterError


def steps_of(loss=noisy_loss, **settings):
    model = network()
    steps = OpenSteps(model, loss, torch.from_numpy(rows_of()), Settings(steps=10, **settings), (0, "a"))
    steps.begin(0)
    return model, steps


def test_a_loss_that_is_not_one_number_per_record_is_refused():
    _, steps = steps_of(lambda model, rows, _noise: model(rows).square().mean())
    with pytest.raises(ParameterError, match="one number per record"):
        steps.take(print)


def test_the_loss_that_is_shown_is_the_mean_of_the_last_batch():
    _, steps = steps_of(lambda model, rows, _noise: model(rows).sum(1) * 0 + 3.0)
    steps.take(print)
    assert steps.loss() == 3.0


def test_long_gradients_are_cut():
    def huge(model, rows, noise):
        return 1e6 * noisy_loss(model, rows, noise)

    norms = []
    for clip in (0.0, 0.5):
        model, steps = steps_of(huge, clip=clip)
        steps.take(print)
        norms.append(float(torch.cat([p.grad.flatten() for p in model.parameters()]).norm()))
    assert norms[0] > 1e3 and norms[1] == pytest.approx(0.5, rel=1e-3)


def test_a_block_begun_again_takes_the_same_steps():
    found = []
    for _ in range(2):
        model, steps = steps_of()
        for _ in range(3):
            steps.take(print)
        found.append(model[0].weight.detach().clone())
    assert torch.equal(*found)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="a graph needs a device")
def test_captured_steps_are_those_taken_one_by_one():
    found = []
    for captures in (True, False):
        model = network().cuda()
        rows = torch.from_numpy(rows_of()).cuda()
        steps = OpenSteps(model, noisy_loss, rows, Settings(steps=40, ema=0.9), (0, "a"))
        steps._replaying._captures = captures
        steps.begin(0)
        for _ in range(40):
            steps.take(pytest.fail)
        found.append(model[0].weight.detach().clone())
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
