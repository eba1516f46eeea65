import pytest
import torch
from torch import nn

from understudy.engines.dpsgd.elementwise import ELEMENTWISE

KINDS = [
    nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.SiLU(), nn.GELU(), nn.GELU("tanh"),
    nn.LeakyReLU(), nn.LeakyReLU(0.3), nn.ELU(), nn.ELU(0.5),
]  # fmt: skip
ODD = [0.0, -0.0, torch.inf, -torch.inf, torch.nan]


def test_every_kind_is_tried_here():
    assert {type(module) for module in KINDS} == set(ELEMENTWISE)


@pytest.mark.parametrize("module", KINDS, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("in_place", [False, True], ids=["aside", "in place"])
def test_values_and_derivatives_are_those_of_torch_to_the_bit(module, dtype, in_place):
    torch.manual_seed(1)
    x = torch.cat([torch.randn(40, dtype=dtype) * 3, torch.tensor(ODD, dtype=dtype)]).requires_grad_()
    expected, d = module(x), torch.randn(len(x), dtype=dtype)
    (slope,) = torch.autograd.grad(expected, x, d)
    kind, before = ELEMENTWISE[type(module)], x.detach().clone()
    out = before.clone() if in_place else torch.empty_like(before)
    kind.value(module, out if in_place else before, out)
    torch.testing.assert_close(out, expected.detach(), rtol=0, atol=0, equal_nan=True)
    found = d if in_place else torch.empty_like(d)
    kind.derivative(module, d, out if kind.from_result else before, found)
    torch.testing.assert_close(found, slope, rtol=0, atol=0, equal_nan=True)
