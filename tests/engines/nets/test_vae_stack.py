"""A stack of layers written out: it is the stack of layers, forwards and backwards."""

import pytest
import torch
from torch import nn

from understudy.engines.nets.vae_stack import back, by_rows, stack_of, through

NEVER = 2**62


def layers(activation, depth):
    torch.manual_seed(0)
    kind = nn.SiLU if activation == "silu" else nn.ReLU
    hidden = [part for _ in range(depth) for part in (nn.Linear(4, 4), kind())]
    return nn.Sequential(*hidden, nn.Linear(4, 3)).double()


def written_out(model, activation):
    weights = [parameter.detach() for parameter in model.parameters()]
    grads = [torch.full_like(weight, torch.nan) for weight in weights]
    return stack_of(weights, grads, NEVER, silu=activation == "silu"), grads


@pytest.mark.parametrize("activation", ["silu", "relu"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_what_it_makes_and_all_derivatives_are_those_of_torch(activation, depth):
    model = layers(activation, depth)
    stack, grads = written_out(model, activation)
    for _ in range(2):  # nothing of the first rows is left in the second
        rows, down = torch.randn(5, 4, dtype=torch.double), torch.randn(5, 3, dtype=torch.double)
        made = model(rows.requires_grad_(True))
        expected = torch.autograd.grad(made, [rows, *model.parameters()], down)
        with torch.no_grad():
            passed = through(stack, rows.T.contiguous())
            first = back(stack, passed, down.T.contiguous())
            assert torch.allclose(passed.made.T, made)
            assert torch.allclose(by_rows(stack, first).T, expected[0])
        assert all(torch.allclose(a, b) for a, b in zip(grads, expected[1:], strict=True))
