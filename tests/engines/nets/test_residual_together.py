"""Networks side by side: what they tell and teach is what each would alone."""

import pytest
import torch

from understudy.engines.nets.perceptron import sinusoidal
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.residual_together import Learned, back, residual_together, through

ROWS = 5


def networks(depth):
    found = [
        Residual(3, 4, width=8, depth=depth, generator=torch.Generator().manual_seed(0)) for _ in range(3)
    ]
    noise = torch.Generator().manual_seed(1)
    for network in found:
        for parameter in network.parameters():
            parameter.data.normal_(generator=noise)
    return found


def learned(models):
    weights = {
        name: torch.stack([dict(each.named_parameters())[name].detach() for each in models])
        for name, _ in models[0].named_parameters()
    }
    return Learned(weights, {name: torch.zeros_like(value) for name, value in weights.items()})


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_each_network_tells_and_teaches_what_it_would_alone(depth):
    models, noise = networks(depth), torch.Generator().manual_seed(2)
    own = learned(models)
    x, t = torch.randn(3, ROWS, 3, generator=noise), torch.randint(0, 1000, (3, ROWS), generator=noise)
    by = torch.randn(3, ROWS, 4, generator=noise)
    side = residual_together(models[0], own, ROWS)
    for _ in range(2):  # whatever is left in its rooms from the last time
        side.enter.given.copy_(x)
        side.first.given.copy_(sinusoidal(t, side.first.given.shape[-1]))
        through(side)
        side.leave.by_made.copy_(by)
        back(side)
    for at, model in enumerate(models):
        told = model(x[at], t[at])
        torch.testing.assert_close(side.leave.made[at], told.detach(), rtol=1e-4, atol=1e-4)
        found = torch.autograd.grad(told, list(model.parameters()), by[at])
        for (name, _), slope in zip(model.named_parameters(), found, strict=True):
            torch.testing.assert_close(own.grads[name][at], slope, rtol=1e-3, atol=1e-3)


def test_a_part_of_the_networks_is_known_by_the_names_in_there():
    own = Learned({"net.enter.bias": torch.ones(1)}, {"net.enter.bias": torch.zeros(1)})
    assert list(own.within("net.").weights) == list(own.within("net.").grads) == ["enter.bias"]
