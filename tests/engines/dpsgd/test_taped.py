import pytest
import torch
from torch import nn

from understudy.engines.dpsgd.taped import QUICK, TAPED


@pytest.mark.parametrize(
    ("module", "x"),
    [
        (nn.Linear(3, 4), torch.randn(5, 3)),
        (nn.Linear(3, 4, bias=False), torch.randn(5, 2, 3)),
        (nn.LayerNorm(3), torch.randn(5, 3)),
        (nn.LayerNorm((2, 3)), torch.randn(5, 2, 3)),
        (nn.LayerNorm(3, bias=False), torch.randn(5, 2, 3)),
        (nn.Embedding(4, 3), torch.tensor([[0, 3], [1, 1]])),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("wanted", [True, False], ids=["inner", "first"])
@pytest.mark.parametrize("functions", [TAPED, QUICK], ids=["careful", "quick"])
def test_a_taped_layer_computes_what_the_layer_computes_and_keeps_the_derivative(
    module, x, wanted, functions
):
    kept = []
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    x = x.detach().requires_grad_() if wanted and x.is_floating_point() else x.detach()
    plain, taped = module(x), functions[type(module)](module, x, lambda a, d: kept.append((a, d)))
    torch.testing.assert_close(taped, plain)
    derivative = torch.randn_like(plain)
    if x.requires_grad:
        torch.testing.assert_close(
            torch.autograd.grad(taped, x, derivative)[0], torch.autograd.grad(plain, x, derivative)[0]
        )
    else:
        taped.backward(derivative)
    assert len(kept) == 1 and torch.equal(kept[0][1], derivative)
    assert all(parameter.grad is None for parameter in module.parameters())
