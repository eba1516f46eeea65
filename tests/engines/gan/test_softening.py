"""Soft rows written out are those of the networks, and so is what they teach."""

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Networks, Rules
from understudy.engines.gan.networks import Size
from understudy.engines.gan.softening import Softener

FIELDS = Fields((1,), (0, 2), (3, 2), flags=(2,))


def soft_of(networks, told, gumbel):
    """Return soft rows by small functions."""
    numbers, logits = told[:, :1].tanh(), told[:, 1:]
    soft = networks.segments.log_softmax((logits + gumbel) / networks.rules.temperature).exp()
    return networks._seen(numbers, soft)


@pytest.mark.parametrize("temperature", [0.2, 0.002])
@pytest.mark.parametrize("far", [0.0, 40.0, -40.0, 90.0, 500.0])
def test_rows_and_derivatives_are_those_of_small_functions(temperature, far):
    drawn = torch.Generator().manual_seed(0)
    rules = Rules(temperature=temperature, size=Size(4, 8, 1))
    networks = Networks(FIELDS, rules, 100.0, drawn).double()
    told, by_soft = (torch.randn(30, 6, generator=drawn).double() for _ in range(2))
    told[:, 1] += far
    gumbel = -(-torch.rand(30, 5, generator=drawn).double().log()).log()
    places, room = torch.arange(30) % 5, [torch.empty(30, 6).double() for _ in range(2)]
    softener = Softener(networks, 60, told, room[0], room[1])
    with torch.no_grad():
        softener.forward(gumbel)
        softener.back(by_soft.clone(), places)
    asked = told.clone().requires_grad_(True)
    soft = soft_of(networks, asked, gumbel)
    assert torch.allclose(room[1], soft, atol=1e-12)
    lost = (soft * by_soft).sum() + 30 / 60 * networks.missed(asked[:, 1:], places)
    (wanted,) = torch.autograd.grad(lost, asked)
    assert torch.allclose(room[0], wanted, rtol=1e-6, atol=1e-10)


def test_single_precision_holds_whatever_is_drawn():
    rules, drawn = Rules(size=Size(4, 8, 1)), torch.Generator().manual_seed(0)
    networks = Networks(Fields((), (0, 1), (42, 2)), rules, 100.0, drawn)
    told = torch.randn(4_000, 44, generator=drawn) * 5
    chance = torch.rand(4_000, 44, generator=drawn)
    chance[:20], chance[20:40] = 1e-20, 1 - 1e-7
    gumbel = -(-chance.clamp(1e-20, 1 - 1e-7).log()).log()
    soft = torch.empty(4_000, 44)
    Softener(networks, 4_000, told, torch.empty(4_000, 44), soft).forward(gumbel)
    wanted = networks.segments.log_softmax((told + gumbel) / rules.temperature).exp()
    np.testing.assert_allclose(soft.numpy(), wanted.numpy(), atol=1e-4)
