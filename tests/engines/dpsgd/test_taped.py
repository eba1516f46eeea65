import pytest
import torch
from torch import nn

from understudy.engines.dpsgd.tape import Tape
from understudy.engines.dpsgd.taped import QUICK, TAPED
from understudy.errors import ParameterError


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


def test_an_input_that_is_changed_in_place_is_refused_in_every_pass():
    class Sneaky(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.late = nn.Linear(3, 4), nn.Linear(4, 1), False

        def forward(self, x):
            hidden = self.first(x) * 1.0
            out = self.second(hidden)
            if self.late:
                with torch.no_grad():
                    hidden.mul_(0.01)
            return out.squeeze(1)

    model = Sneaky()
    tape, x, everybody = Tape(model), torch.randn(5, 3), torch.ones(5, dtype=torch.bool)
    tape.run(lambda: model(x), everybody)
    model.late = True
    with pytest.raises((ParameterError, RuntimeError)):
        tape.run(lambda: model(x), everybody)
