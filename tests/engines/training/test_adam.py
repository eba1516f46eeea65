"""Adam by its kernel: torch's own optimizers to the bit, and nothing loaded that nobody asked for."""

import subprocess
import sys

import pytest
import torch

from understudy.engines.training.adam import Adam
from understudy.engines.training.fit import Settings

NO_DEVICE = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
SHAPES = ((7, 3), (5,), ())


def weights(device="cpu"):
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randn(shape, generator=generator).to(device).requires_grad_(True)
        for shape in ((7, 3), (5,), ())
    ]


def some_grads(step, device="cpu"):
    generator = torch.Generator().manual_seed(step)
    return [torch.randn(shape, generator=generator).to(device) for shape in ((7, 3), (5,), ())]


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NO_DEVICE)])
@pytest.mark.parametrize("name", ["adam", "adamw"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_it_is_torchs_own_to_the_bit(name, decay, device):
    mine, theirs = weights(device), weights(device)
    kind = torch.optim.AdamW if name == "adamw" else torch.optim.Adam
    other = kind(theirs, lr=0.1, betas=(0.8, 0.9), weight_decay=decay, fused=True)
    own = Adam(mine, Settings(optimizer=name, betas=(0.8, 0.9), weight_decay=decay))
    for step in range(5):
        for a, b, grad in zip(mine, theirs, some_grads(step, device), strict=True):
            a.grad, b.grad = grad.clone(), grad.clone()
        other.param_groups[0]["lr"] = 0.1 / (step + 1)
        other.step()
        own.step(0.1 / (step + 1))
    assert all(torch.equal(a, b) for a, b in zip(mine, theirs, strict=True))


def test_weights_without_a_gradient_stay_and_begin_when_they_have_one():
    mine, theirs = weights(), weights()
    own, other = Adam(mine, Settings(optimizer="adam")), torch.optim.Adam(theirs, lr=0.1, fused=True)
    own.step(0.1)  # nobody has one: nothing happens
    for step in range(3):
        for at, (a, b, grad) in enumerate(zip(mine, theirs, some_grads(step), strict=True)):
            if at <= step:
                a.grad, b.grad = grad.clone(), grad.clone()
        own.step(0.1)
        other.step()
    assert all(torch.equal(a, b) for a, b in zip(mine, theirs, strict=True))
    assert [float(own.moments[weight]["step"]) for weight in mine] == [3.0, 2.0, 1.0]


def test_a_training_loads_no_compiler():
    code = (
        "import sys, numpy as np, torch\n"
        "from understudy.engines.training.adam import Adam\n"
        "from understudy.engines.training.fit import Settings\n"
        "weight = torch.zeros(3, requires_grad=True)\n"
        "weight.grad = torch.ones(3)\n"
        "Adam([weight], Settings()).step(0.1)\n"
        "print('torch._dynamo' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
